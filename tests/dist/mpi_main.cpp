#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "tests/dist/mpi_runner.hpp"

// The main function of tests that mpiexec starts: all ranks run the same tests, the first one tells
// of them all and the others of what fails. As many ranks as the first argument says are expected.
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
  const cisolve::dist::Mpi mpi;
  cisolve::test::test_mpi(mpi);
  if (argc != 2 || mpi.size() != std::stoi(argv[1])) {
    std::cerr << mpi.size() << " ranks of " << mpi.library()
              << "; expected those of the argument\n";
    return 1;
  }
  const char* limit = std::getenv("CISOLVE_TEST_LIMIT");
  alarm(limit == nullptr ? 110 : std::stoi(limit));  // which ends it: nobody waits for ever
  if (mpi.ranks()->rank() != 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresAlone);  // which then owns it
    ::testing::GTEST_FLAG(output) = "";
  }
  return RUN_ALL_TESTS();
}
