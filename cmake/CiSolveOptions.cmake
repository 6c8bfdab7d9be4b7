# Compiler settings of all targets of this project; none reaches a user's program. As a subdirectory of
# another project this one takes its build type, compiler launcher and output folders. Variables that
# are set without a condition hold in this folder and below.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
  find_program(CISOLVE_CCACHE ccache)
endif()

if(CISOLVE_CCACHE)
  # ccache cannot see on which macros and times a precompiled header depends; ours depends on none.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CISOLVE_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CISOLVE_CCACHE})
endif()

find_program(CISOLVE_MOLD mold)

find_package(OpenMP REQUIRED COMPONENTS CXX)

add_library(cisolve_options INTERFACE)
# For all targets: a precompiled header is accepted only with the macros of its compilation.
target_link_libraries(cisolve_options INTERFACE OpenMP::OpenMP_CXX)
target_include_directories(cisolve_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(cisolve_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${CISOLVE_WERROR}>>:-Werror>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${CISOLVE_NATIVE}>>:-march=native>)
if(CISOLVE_MOLD)
  # Links several times as fast. To resolve references between shared libraries, mold takes objects
  # of ours that define them, too, and a module then needs MPI: modules use the default linker.
  target_link_options(cisolve_options INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fuse-ld=mold>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 falsely reports overlaps in "text" + std::string, unset lanes in its own AVX-512 header,
  # and unset members if a sanitizer adds branches.
  target_compile_options(cisolve_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  if(CISOLVE_NATIVE OR CISOLVE_SANITIZE)
    target_compile_options(cisolve_options INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  endif()
endif()

set(CISOLVE_SANITIZE "" CACHE STRING "Sanitizers for the whole build, such as address,undefined")
if(CISOLVE_SANITIZE)
  target_compile_options(cisolve_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${CISOLVE_SANITIZE} -fno-omit-frame-pointer
                              -fno-sanitize-recover=all>)
  if(CISOLVE_SANITIZE MATCHES address)
    # The address sanitizer detects the access itself; checking each pointer as well takes a sixth
    # of all compiling.
    target_compile_options(cisolve_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null>)
  endif()
  target_link_options(cisolve_options INTERFACE -fsanitize=${CISOLVE_SANITIZE})
endif()
