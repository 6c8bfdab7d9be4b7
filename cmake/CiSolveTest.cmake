# What all tests are compiled with: it is not their own code that is to be fast, and what they include
# of others is parsed once, in a precompiled header that belongs to this library.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json REQUIRED)
# Undefined behaviour is looked for in the rooms: tests would take half as long again to compile.
# A target of its own, linked after cisolve_options: of two such flags the last one counts.
add_library(cisolve_test_unwatched INTERFACE)
if(CISOLVE_SANITIZE MATCHES undefined)
  target_compile_options(cisolve_test_unwatched INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=undefined>)
endif()
add_library(cisolve_test_options INTERFACE)
target_link_libraries(cisolve_test_options INTERFACE
  cisolve_options cisolve_test_unwatched GTest::gmock GTest::gtest Eigen3::Eigen nlohmann_json::nlohmann_json)
cisolve_compile_soon(cisolve_test_options INTERFACE -O1)
target_compile_definitions(cisolve_test_options INTERFACE
  EIGEN_DONT_VECTORIZE EIGEN_DONT_PARALLELIZE CISOLVE_SOURCES="${PROJECT_SOURCE_DIR}")
target_include_directories(cisolve_test_options INTERFACE ${PROJECT_SOURCE_DIR})

add_library(cisolve_test_main STATIC
  ${PROJECT_SOURCE_DIR}/tests/support/main.cpp ${PROJECT_SOURCE_DIR}/tests/support/test_clock.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp)
set_target_properties(cisolve_test_main PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_compile_options(cisolve_test_main PRIVATE -fPIE)  # as programs are, which share its header
target_link_libraries(cisolve_test_main PUBLIC cisolve_test_options)
target_precompile_headers(cisolve_test_main PRIVATE
  ${PROJECT_SOURCE_DIR}/tests/support/precompiled.hpp)

# Tests have limits of processor time (tests/support/test_clock.hpp). By the clock, ctest ends a program
# only as a last resort, in seconds: a busy machine is to change no verdict.
set(CISOLVE_LAST_RESORT 3600)

# cisolve_test_library(NAME SOURCES ... LINK ...): what several test programs share.
function(cisolve_test_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(cisolve_test_${name} STATIC ${ARG_SOURCES})
  set_target_properties(cisolve_test_${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(cisolve_test_${name} PRIVATE -fPIE)
  target_link_libraries(cisolve_test_${name} PUBLIC ${ARG_LINK} cisolve_test_main)
  target_precompile_headers(cisolve_test_${name} REUSE_FROM cisolve_test_main)
endfunction()

# cisolve_test(NAME SOURCES ... LINK ... [BACKENDS | RANKS | DEVICE] [COST seconds] [LABELS ...])
# With BACKENDS the same program is registered once for each built backend, which it finds in the
# environment (tests/support/backend.hpp); the cuda one carries the label gpu and is skipped, with
# the reason, where there is no GPU. RANKS registers it for openmp and cuda: threads that are ranks
# compute with one of these (tests/support/rank_runner.hpp). DEVICE is for the cuda backend alone.
# COST: those that take long begin first, so that no core waits for them in the end.
# Threads that wait do not spin: several tests share the cores.
function(cisolve_test name)
  cmake_parse_arguments(ARG "BACKENDS;RANKS;DEVICE" "COST" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${ARG_LINK} cisolve_test_main)
  target_precompile_headers(test_${name} REUSE_FROM cisolve_test_main)
  cisolve_compile_together(test_${name})
  set(backends)
  if(ARG_BACKENDS)
    set(backends reference openmp)
  elseif(ARG_RANKS)
    set(backends openmp)
  endif()
  if((ARG_BACKENDS OR ARG_RANKS OR ARG_DEVICE) AND CISOLVE_WITH_CUDA)
    list(APPEND backends cuda)
  endif()
  if(NOT ARG_BACKENDS AND NOT ARG_RANKS AND NOT ARG_DEVICE)
    set(backends any)
  endif()
  foreach(backend IN LISTS backends)
    set(test ${name}.${backend})
    set(environment OMP_WAIT_POLICY=passive CISOLVE_TEST_BACKEND=${backend})
    if(backend STREQUAL any)
      set(test ${name})
      set(environment OMP_WAIT_POLICY=passive)
    endif()
    # glibc fills what it hands out, so that nothing lives on pages that happen to be zero: as doubles
    # these bytes are 1e306.
    list(APPEND environment MALLOC_PERTURB_=128)
    # What was measured on this machine would change what is planned.
    list(APPEND environment XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/no-rates)
    list(APPEND environment GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/reports/${test}.xml)
    add_test(NAME ${test} COMMAND test_${name})
    set(labels ${ARG_LABELS})
    if(backend STREQUAL cuda)
      list(APPEND labels gpu)
      set_tests_properties(${test} PROPERTIES SKIP_REGULAR_EXPRESSION "no CUDA device")
    endif()
    set_tests_properties(${test} PROPERTIES
      LABELS "${labels}" TIMEOUT ${CISOLVE_LAST_RESORT} ENVIRONMENT "${environment}")
    if(ARG_COST)
      set_tests_properties(${test} PROPERTIES COST ${ARG_COST})
    endif()
  endforeach()
endfunction()
