#include "bench/eigensolvers/suites.hpp"

namespace cisolve::bench {

void Suites::add_options(CLI::App& app) {
  app.add_option("--data", data, "a folder of integral files, for the suite ci");
  app.add_option("--configs", configs, "a folder of configurations, for the suite ci");
  app.add_option("--hard", hard, "the folder of the suite hard");
  app.add_option("--suites", names, "of random, ci and hard")->delimiter(',');
  app.add_option("--problem", problem, "only those with this in their names");
}

std::vector<TestProblem> Suites::problems(Index most_rows, const std::vector<int>& states,
                                          const base::Backend& host) const {
  std::vector<TestProblem> all;
  const auto take = [&](std::vector<TestProblem> some) {
    for (TestProblem& one : some)
      if (one.name.find(problem) != std::string::npos) all.push_back(std::move(one));
  };
  for (const std::string& suite : names) {
    if (suite == "random") take(random_problems(host));
    if (suite == "ci") take(ci_problems(data, configs, most_rows, host));
    if (suite == "hard") take(hard_problems(hard, states, host));
  }
  return all;
}

}  // namespace cisolve::bench
