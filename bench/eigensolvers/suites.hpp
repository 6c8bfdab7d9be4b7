#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/eigensolvers/test_problems.hpp"

namespace cisolve::bench {

/// Selection of test problems, and their folders.
struct Suites {
  std::string data;
  std::string configs = "configs";
  std::string hard = "bench/eigensolvers/hard";
  std::vector<std::string> names{"random", "ci", "hard"};
  std::string problem;  // only problems with this in their names

  void add_options(CLI::App& app);
  /// Suite `ci`: problems with at most `most_rows` rows; suite `hard`: each problem with each
  /// number of states.
  std::vector<TestProblem> problems(Index most_rows, const std::vector<int>& states,
                                    const base::Backend& host) const;
};

}  // namespace cisolve::bench
