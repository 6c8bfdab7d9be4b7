# Compile options of all tests: their own code need not be fast, and external headers are parsed
# once, in a precompiled header of this library.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json REQUIRED)
# The undefined-behaviour sanitizer instruments the rooms only: tests would take half as long again
# to compile. A target of its own, linked after cisolve_options: the last of two such flags counts.
add_library(cisolve_test_unwatched INTERFACE)
if(CISOLVE_SANITIZE MATCHES undefined)
  target_compile_options(cisolve_test_unwatched INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=undefined>)
endif()
add_library(cisolve_test_options INTERFACE)
target_link_libraries(cisolve_test_options INTERFACE
  cisolve_options cisolve_test_unwatched GTest::gmock GTest::gtest Eigen3::Eigen nlohmann_json::nlohmann_json)
cisolve_compile_soon(cisolve_test_options INTERFACE
  $<IF:$<BOOL:$<TARGET_PROPERTY:CISOLVE_UNOPTIMISED>>,-O0,-O1>)
target_compile_definitions(cisolve_test_options INTERFACE
  EIGEN_DONT_VECTORIZE EIGEN_DONT_PARALLELIZE CISOLVE_SOURCES="${PROJECT_SOURCE_DIR}")
target_include_directories(cisolve_test_options INTERFACE ${PROJECT_SOURCE_DIR})

add_library(cisolve_test_main STATIC
  ${PROJECT_SOURCE_DIR}/tests/support/main.cpp ${PROJECT_SOURCE_DIR}/tests/support/test_clock.cpp
  ${PROJECT_SOURCE_DIR}/tests/support/test_sources.cpp ${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp)
set_target_properties(cisolve_test_main PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_compile_options(cisolve_test_main PRIVATE -fPIE)  # as for programs, which share its header
target_link_libraries(cisolve_test_main PUBLIC cisolve_test_options)
target_precompile_headers(cisolve_test_main PRIVATE
  ${PROJECT_SOURCE_DIR}/tests/support/precompiled.hpp)
# The same header for programs without optimisation, whose tests start processes and compute nothing
# themselves: they are compiled in half of the time.
add_library(cisolve_test_unoptimised OBJECT ${PROJECT_SOURCE_DIR}/tests/support/precompiled.cpp)
set_target_properties(cisolve_test_unoptimised PROPERTIES
  POSITION_INDEPENDENT_CODE OFF CISOLVE_UNOPTIMISED ON)
target_compile_options(cisolve_test_unoptimised PRIVATE -fPIE)
target_link_libraries(cisolve_test_unoptimised PRIVATE cisolve_test_options)
target_precompile_headers(cisolve_test_unoptimised PRIVATE
  ${PROJECT_SOURCE_DIR}/tests/support/precompiled.hpp)

# Tests have limits of processor time (tests/support/test_clock.hpp). This wall-clock limit of
# ctest, in seconds, is only a last resort: a busy machine must not change a verdict.
set(CISOLVE_LAST_RESORT 3600)

# cisolve_test_library(NAME SOURCES ... LINK ...): code that several test programs share.
function(cisolve_test_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(cisolve_test_${name} STATIC ${ARG_SOURCES})
  set_target_properties(cisolve_test_${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(cisolve_test_${name} PRIVATE -fPIE)
  target_link_libraries(cisolve_test_${name} PUBLIC ${ARG_LINK} cisolve_test_main)
  target_precompile_headers(cisolve_test_${name} REUSE_FROM cisolve_test_main)
endfunction()

# cisolve_test_program(NAME [UNOPTIMISED] [SOURCES ...] [LINK ...]): one program for many tests, which
# cisolve_test(... OF NAME) adds. SOURCES: those without tests. UNOPTIMISED: at -O0, as above.
# Sources are compiled together, a few at a time: each alone would instantiate the templates of
# GoogleTest, Eigen and its room anew, which takes longer than its own code, but large batches delay
# whoever changes one of them.
set(CISOLVE_TEST_BATCH 6 CACHE STRING "Most sources of a test program that are compiled together")
function(cisolve_test_program name)
  cmake_parse_arguments(ARG "UNOPTIMISED" "" "SOURCES;LINK" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${ARG_LINK} cisolve_test_main)
  if(ARG_UNOPTIMISED)
    set_target_properties(test_${name} PROPERTIES CISOLVE_UNOPTIMISED ON)
    target_precompile_headers(test_${name} REUSE_FROM cisolve_test_unoptimised)
  else()
    target_precompile_headers(test_${name} REUSE_FROM cisolve_test_main)
  endif()
  cmake_language(EVAL CODE "cmake_language(DEFER CALL cisolve_complete_test_program test_${name})")
endfunction()

# Called when all tests of a program are known: tests/support/test_sources.hpp.
function(cisolve_complete_test_program program)
  cisolve_compile_together(${program} BATCH ${CISOLVE_TEST_BATCH})
  get_property(tests TARGET ${program} PROPERTY CISOLVE_TESTS)
  get_property(sources TARGET ${program} PROPERTY CISOLVE_TEST_SOURCES)
  list(JOIN sources ":" sources)
  foreach(test IN LISTS tests)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT CISOLVE_TEST_ALL_SOURCES=${sources})
  endforeach()
endfunction()

# cisolve_test(NAME [OF PROGRAM] SOURCES ... LINK ... [BACKENDS | RANKS | DEVICE] [COST seconds]
# [LABELS ...])
# The tests of these sources, or of headers with tests that they name; in the program of
# cisolve_test_program, or in one of their own. The target test_NAME is or builds that program.
# BACKENDS: registered once for each built backend, named in the environment
# (tests/support/backend.hpp); tests of cuda have the label gpu and are skipped, with the reason,
# without a GPU. RANKS: registered for openmp and cuda, with which thread ranks compute
# (tests/support/rank_runner.hpp). DEVICE: for the cuda backend only. COST: long tests begin first,
# so that no core waits for them in the end. Waiting threads do not spin: several tests share the
# cores.
function(cisolve_test name)
  cmake_parse_arguments(ARG "BACKENDS;RANKS;DEVICE" "OF;COST" "SOURCES;LINK;LABELS" ${ARGN})
  if(ARG_OF)
    set(program test_${ARG_OF})
    target_sources(${program} PRIVATE ${ARG_SOURCES})
    target_link_libraries(${program} PRIVATE ${ARG_LINK})
    add_custom_target(test_${name} DEPENDS ${program})
    set(sources)
    foreach(source IN LISTS ARG_SOURCES)
      cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
      cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      list(APPEND sources ${path})
    endforeach()
    set_property(TARGET ${program} APPEND PROPERTY CISOLVE_TEST_SOURCES ${sources})
    list(JOIN sources ":" sources)
  else()
    set(program test_${name})
    add_executable(${program} ${ARG_SOURCES})
    target_link_libraries(${program} PRIVATE ${ARG_LINK} cisolve_test_main)
    target_precompile_headers(${program} REUSE_FROM cisolve_test_main)
    cisolve_compile_together(${program})
  endif()
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
    # glibc fills allocated memory, so that nothing relies on pages that happen to be zero: as
    # doubles these bytes are 1e306.
    list(APPEND environment MALLOC_PERTURB_=128)
    # Machine rates measured here would change the plans.
    list(APPEND environment XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/no-rates)
    list(APPEND environment GTEST_OUTPUT=xml:${PROJECT_BINARY_DIR}/reports/${test}.xml)
    if(ARG_OF)
      list(APPEND environment CISOLVE_TEST_SOURCES=${sources})
      set_property(TARGET ${program} APPEND PROPERTY CISOLVE_TESTS ${test})
    endif()
    add_test(NAME ${test} COMMAND ${program})
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
