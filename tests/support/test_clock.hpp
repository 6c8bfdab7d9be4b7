#pragma once

namespace cisolve::test {

/// Limits for each test, counted in processor time so that a busy machine changes no verdict.
struct TestLimits {
  double processor_seconds;  ///< of the program and all its child processes
  double idle_seconds;       ///< wall time without any processor time
};

/// The limits of CISOLVE_TEST_LIMIT, in seconds of processor time, or the defaults.
TestLimits test_limits();

/// Processor time of a process and its descendants so far, in seconds.
double processor_seconds_of(int process);

/// Starts a process that ends this one and all its children when a test exceeds the limits, and
/// names the test. A process, not a thread, because some tests count threads, fork, or limit their
/// own memory. Call once, before any thread is started.
void watch_tests(TestLimits limits);

/// Names of tests that the program has registered twice, "Suite.Name", separated by spaces: if two
/// sources include the same test definitions, each source registers every test.
const char* tests_registered_twice();

}  // namespace cisolve::test
