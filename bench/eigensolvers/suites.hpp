#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/eigensolvers/test_problems.hpp"

namespace cisolve::bench {

/// Which test problems are taken, and where they are found.
struct Suites {
  std::string data;
  std::string configs = "configs";
  std::string hard = "bench/eigensolvers/hard";
  std::vector<std::string> names{"random", "ci", "hard"};
  std::string problem;  // those alone with this in their names

  void add_options(CLI::App& app);
  /// Those of the suite ci with at most so many rows, those of hard with each number of states.
  std::vector<TestProblem> problems(Index most_rows, const std::vector<int>& states,
                                    const base::Backend& host) const;
};

}  // namespace cisolve::bench
