#pragma once

#include <string>

namespace cisolve::test {

// One program holds the tests of many sources; ctest runs those of a few of them at a time.

/// Limits the filter of GoogleTest to tests whose source, or header, CISOLVE_TEST_SOURCES names:
/// ends of paths, such as solver/ranks_test.cpp, separated by colons; all tests without it. Returns
/// what is wrong, or nothing: a name without a test, or a source with tests that
/// CISOLVE_TEST_ALL_SOURCES, the names of all that are registered with ctest, lacks.
std::string choose_tests_by_source();

}  // namespace cisolve::test
