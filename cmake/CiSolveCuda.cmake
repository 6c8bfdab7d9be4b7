# Looks for a CUDA toolkit. CISOLVE_WITH_CUDA: whether the cuda backend is built. With
# CISOLVE_CUDA_CHECK a build without it still compiles and links the CUDA sources (the program
# cuda_check, which is never run): scripts/test does so on machines without a GPU.
set(CISOLVE_WITH_CUDA OFF)
if(CISOLVE_CUDA AND CISOLVE_CUDA_CHECK)
  message(FATAL_ERROR "CISOLVE_CUDA_CHECK is for builds without the cuda backend: set CISOLVE_CUDA=OFF")
endif()
if(CISOLVE_CUDA OR CISOLVE_CUDA_CHECK)
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # Machine code for each, and PTX that the driver compiles for later ones.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80-real 86-real 89-real 90-real 100 120)
    endif()
    enable_language(CUDA)
    if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know the flag
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    find_package(CUDAToolkit REQUIRED)
    if(CUDAToolkit_VERSION VERSION_LESS 13)
      message(STATUS "cuda backend: off, toolkit ${CUDAToolkit_VERSION} is older than 13")
      set(CISOLVE_CUDA_CHECK OFF)
    else()
      set(CISOLVE_WITH_CUDA ${CISOLVE_CUDA})
      target_compile_options(cisolve_options INTERFACE
        $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda --expt-relaxed-constexpr -Xcompiler=-Wall
                                   -diag-suppress=554,20012,20014>)
      set(state on)
      if(CISOLVE_CUDA_CHECK)
        set(state "off, its sources are compiled and linked")
      endif()
      message(STATUS "cuda backend: ${state}, toolkit ${CUDAToolkit_VERSION}, "
                     "architectures ${CMAKE_CUDA_ARCHITECTURES}")
    endif()
  else()
    message(STATUS "cuda backend: off, no CUDA toolkit found")
    set(CISOLVE_CUDA_CHECK OFF)
  endif()
else()
  message(STATUS "cuda backend: off (CISOLVE_CUDA)")
endif()

# cisolve_cuda_check(NAME SOURCES ... LINK ...): sources of the cuda backend, or of its tests, that
# CISOLVE_CUDA_CHECK compiles; those of rooms are linked into cuda_check as well.
function(cisolve_cuda_check name)
  cmake_parse_arguments(ARG "ROOM" "" "SOURCES;LINK" ${ARGN})
  if(NOT CISOLVE_CUDA_CHECK OR NOT ARG_SOURCES)
    return()
  endif()
  add_library(${name}_cuda_check OBJECT ${ARG_SOURCES})
  target_include_directories(${name}_cuda_check PRIVATE
    ${PROJECT_SOURCE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(${name}_cuda_check PRIVATE ${ARG_LINK} cisolve_options)
  if(ARG_ROOM)
    set_property(GLOBAL APPEND PROPERTY CISOLVE_CUDA_CHECKED ${name}_cuda_check)
  endif()
endfunction()

# cisolve_cuda_check_program(SOURCE): links these objects before the libraries of the rooms, which
# supply all functions without a twin among them; the linker reports a function that only one side
# has.
function(cisolve_cuda_check_program source)
  if(NOT CISOLVE_CUDA_CHECK)
    return()
  endif()
  add_executable(cuda_check ${source})
  get_property(checked GLOBAL PROPERTY CISOLVE_CUDA_CHECKED)
  foreach(objects IN LISTS checked)
    target_sources(cuda_check PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
  target_link_libraries(cuda_check PRIVATE cisolve_app cisolve_options
    OpenMP::OpenMP_CXX CUDA::cudart_static ${CMAKE_DL_LIBS})
endfunction()
