#include <gmock/gmock.h>

#include <iostream>

#include "tests/dist/mpi_runner.hpp"
#include "tests/support/mutant_hits.hpp"
#include "tests/support/test_clock.hpp"

// Main function of tests that mpiexec starts: all ranks run the same tests; the first reports all
// of them, the others failures only. The first argument is the expected number of ranks.
namespace {

class FailuresAlone final : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.failed())
      std::cerr << result.file_name() << ":" << result.line_number()
                << ": on another rank: " << result.message() << '\n'
                << std::flush;
  }
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleMock(&argc, argv);
  cisolve::test::watch_tests(cisolve::test::test_limits());  // before MPI starts threads
  const cisolve::dist::Mpi mpi;
  cisolve::test::test_mpi(mpi);
  if (argc != 2 || mpi.size() != std::stoi(argv[1])) {
    std::cerr << mpi.size() << " ranks of " << mpi.library()
              << "; expected those of the argument\n";
    return 1;
  }
  if (const char* twice = cisolve::test::tests_registered_twice(); *twice != '\0') {
    std::cerr << "registered twice in this program: " << twice << '\n';
    return 1;
  }
  if (mpi.ranks()->rank() != 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresAlone);  // takes ownership
    ::testing::GTEST_FLAG(output) = "";
  }
  cisolve::test::MutantHits::append_if_wanted();
  return RUN_ALL_TESTS();
}
