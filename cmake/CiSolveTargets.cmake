# With CISOLVE_UNITY the C++ sources of a folder are compiled together, CISOLVE_UNITY_BATCH (or
# BATCH, for this target) at a time, so names in their unnamed namespaces must differ. Folders stay
# separate: a program takes from a library the objects that it needs, and Python must not need MPI
# because of a neighbour in its object. CUDA sources, which CMake joins from 3.31 on, stay separate.
# Standard headers are parsed once for all targets with the options of base, and separately with
# OWN_HEADERS for targets with other options, or with clang, which requires identical macros.
function(cisolve_compile_together target)
  cmake_parse_arguments(ARG "OWN_HEADERS" "BATCH" "" ${ARGN})
  set(most ${CISOLVE_UNITY_BATCH})
  if(ARG_BATCH)
    set(most ${ARG_BATCH})
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(source MATCHES "[.]hpp$")
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "in_${folder}" group)
    math(EXPR ${group} "${${group}} + 1")
    math(EXPR batch "(${${group}} - 1) / ${most}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CISOLVE_UNITY} UNITY_BUILD_MODE GROUP)
  get_target_property(reused ${target} PRECOMPILE_HEADERS_REUSE_FROM)
  if(reused)
    return()
  endif()
  if(target STREQUAL "cisolve_base" OR ARG_OWN_HEADERS OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_precompile_headers(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/base/standard_headers.hpp>)
  else()
    target_precompile_headers(${target} REUSE_FROM cisolve_base)
  endif()
endfunction()

# cisolve_compile_soon(TARGET INTERFACE|PRIVATE LEVEL): for code that is slow to compile and not to
# run. LEVEL, such as -O1, may depend on the configuration.
function(cisolve_compile_soon target scope level)
  target_compile_options(${target} ${scope} $<$<COMPILE_LANGUAGE:CXX>:${level}>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # At -O1 GCC 12 falsely reports copies beyond the end of "text" + std::string; the sanitizers
    # check that, too.
    target_compile_options(${target} ${scope}
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds;-Wno-stringop-overflow>)
  endif()
endfunction()

# cisolve_find(NAME DEBIAN_PACKAGE ...): find_package; if it fails, the error names the package to
# install.
macro(cisolve_find name package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} is missing: install ${package}, as Debian and Ubuntu call it")
  endif()
endmacro()

# cisolve_room(NAME SOURCES ... CUDA ... NOCUDA ... LINK ... PRIVATE_LINK ...)
# One library per room, static unless BUILD_SHARED_LIBS is on. CUDA sources are built with the cuda
# backend, NOCUDA sources without it. Users see the public headers only (CiSolveHeaders.cmake); sources
# of this project include from its root, by cisolve_options.
function(cisolve_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;CUDA;NOCUDA;LINK;PRIVATE_LINK" ${ARGN})
  set(sources ${ARG_SOURCES})
  if(CISOLVE_WITH_CUDA)
    list(APPEND sources ${ARG_CUDA})
    set_source_files_properties(${ARG_CUDA} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  else()
    list(APPEND sources ${ARG_NOCUDA})
    cisolve_cuda_check(cisolve_${name} ROOM SOURCES ${ARG_CUDA} LINK ${ARG_LINK} ${ARG_PRIVATE_LINK})
  endif()
  add_library(cisolve_${name} ${sources})
  add_library(cisolve::${name} ALIAS cisolve_${name})
  set_target_properties(cisolve_${name} PROPERTIES EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    DEFINE_SYMBOL "" INSTALL_RPATH $ORIGIN INSTALL_RPATH_USE_LINK_PATH ON)
  add_dependencies(cisolve_${name} cisolve_headers)
  cisolve_compile_together(cisolve_${name})
  target_compile_features(cisolve_${name} PUBLIC cxx_std_20)
  target_include_directories(cisolve_${name} PUBLIC
    $<BUILD_INTERFACE:${CISOLVE_PUBLIC_INCLUDE}> $<INSTALL_INTERFACE:include>)
  target_link_libraries(cisolve_${name} PUBLIC ${ARG_LINK}
    PRIVATE $<BUILD_INTERFACE:cisolve_options> ${ARG_PRIVATE_LINK})
  cisolve_register_room(${name} ${ARG_LINK} ${ARG_PRIVATE_LINK})
endfunction()

# cisolve_register_room(NAME LINKED ...): NAME is installed, as a component that needs the rooms among
# LINKED, and those that these need.
function(cisolve_register_room name)
  set(needs)
  foreach(linked IN LISTS ARGN)
    if(linked MATCHES "^cisolve::(.*)")
      get_property(more GLOBAL PROPERTY CISOLVE_NEEDS_${CMAKE_MATCH_1})
      list(APPEND needs ${more} ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES needs)
  set_property(GLOBAL PROPERTY CISOLVE_NEEDS_${name} ${needs})
  set_property(GLOBAL APPEND PROPERTY CISOLVE_ROOMS cisolve_${name})
endfunction()
