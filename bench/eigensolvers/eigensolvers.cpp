#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>

#include "bench/eigensolvers/test_problems.hpp"

// eigensolvers DATA CONFIGS [JSON [WIDTH [TOLERANCE]]]: how many products with the matrix our
// Davidson and those of others need for the same answers. Everybody gets the same preconditioner,
// start vectors, width of a block, room and tolerance, and is checked alike. WIDTH 0 is a block as
// wide as the states, at most 4.
namespace cisolve::bench {
namespace {

constexpr Index kMostRows = 70000;
constexpr double kMissed = 1e-7;  // so much above the lowest that anybody found, a state is another

struct Line {
  const TestProblem* problem;
  int width;
  std::map<std::string, Score> scores;
};

/// A state that somebody found and others did not is a missed state.
void mark_missed(Line& line) {
  std::vector<double> lowest;
  for (const auto& [name, score] : line.scores) {
    if (!score.failure.empty()) continue;
    if (lowest.empty()) lowest = score.values;
    for (std::size_t j = 0; j < lowest.size(); ++j)
      lowest[j] = std::min(lowest[j], score.values[j]);
  }
  for (auto& [name, score] : line.scores)
    for (std::size_t j = 0; score.failure.empty() && j < lowest.size(); ++j)
      if (score.values[j] > lowest[j] + kMissed) score.failure = "missed a state";
}

void write_line(const Line& line) {
  std::cout << std::left << std::setw(28) << line.problem->name << std::right << std::setw(7)
            << line.problem->matrix.shape.rows << std::setw(4) << line.problem->states;
  for (const Contestant& contestant : contestants()) {
    const Score& score = line.scores.at(contestant.name);
    std::cout << std::setw(18)
              << std::to_string(score.products) + (score.failure.empty() ? "" : " (!)");
  }
  std::cout << std::endl;
}

struct Total {
  Index products = 0;
  int failures = 0;
  double seconds = 0;
};

Total total_of(const std::vector<Line>& lines, const std::string& name, const std::string& kind) {
  Total total;
  for (const Line& line : lines) {
    if (!kind.empty() && line.problem->kind != kind) continue;
    const Score& score = line.scores.at(name);
    total.products += score.products;
    total.failures += score.failure.empty() ? 0 : 1;
    total.seconds += score.seconds;
  }
  return total;
}

void write_totals(const std::vector<Line>& lines) {
  std::cout << '\n'
            << std::left << std::setw(22) << "totals" << std::right << std::setw(10) << "random"
            << std::setw(10) << "ci" << std::setw(10) << "all" << std::setw(10) << "failures"
            << std::setw(10) << "seconds" << '\n';
  for (const Contestant& contestant : contestants()) {
    const Total all = total_of(lines, contestant.name, "");
    std::cout << std::left << std::setw(22) << contestant.name << std::right << std::setw(10)
              << total_of(lines, contestant.name, "random").products << std::setw(10)
              << total_of(lines, contestant.name, "ci").products << std::setw(10) << all.products
              << std::setw(10) << all.failures << std::setw(10) << std::fixed
              << std::setprecision(1) << all.seconds << std::defaultfloat << '\n';
  }
}

std::string json(const std::vector<Line>& lines, double tolerance) {
  std::ostringstream out;
  out << std::setprecision(6) << "{\"benchmark\": \"eigensolvers\", \"tolerance\": " << tolerance
      << ",\n \"problems\": [";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    out << (i == 0 ? "" : ",") << "\n  {\"name\": \"" << line.problem->name
        << "\", \"rows\": " << line.problem->matrix.shape.rows
        << ", \"nonzeros\": " << line.problem->matrix.nonzeros()
        << ", \"states\": " << line.problem->states << ", \"width\": " << line.width
        << ", \"solvers\": [";
    for (std::size_t k = 0; k < contestants().size(); ++k) {
      const Score& score = line.scores.at(contestants()[k].name);
      out << (k == 0 ? "" : ",") << "\n    {\"name\": \"" << contestants()[k].name
          << "\", \"products\": " << score.products << ", \"iterations\": " << score.iterations
          << ", \"restarts\": ";
      if (score.restarts < 0)
        out << "null";
      else
        out << score.restarts;
      out << ", \"residual\": " << (std::isfinite(score.residual) ? score.residual : -1)
          << ", \"seconds\": " << score.seconds << ", \"failure\": \"" << score.failure << "\"}";
    }
    out << "]}";
  }
  out << "],\n \"totals\": [";
  for (std::size_t k = 0; k < contestants().size(); ++k) {
    const std::string& name = contestants()[k].name;
    const Total all = total_of(lines, name, "");
    out << (k == 0 ? "" : ",") << "\n  {\"name\": \"" << name
        << "\", \"products\": " << all.products
        << ", \"random\": " << total_of(lines, name, "random").products
        << ", \"ci\": " << total_of(lines, name, "ci").products
        << ", \"failures\": " << all.failures << ", \"seconds\": " << all.seconds << "}";
  }
  out << "]}\n";
  return out.str();
}

void contest(const std::string& data, const std::string& configs, const std::string& file,
             int width, double tolerance, const std::string& some) {
  std::erase_if(contestants(), [&](const Contestant& contestant) {
    return contestant.name.find(some) == std::string::npos;
  });
  const base::Backend backend = base::Backend::by_name("openmp", 1, {});
  std::ranges::sort(contestants(), {}, &Contestant::name);
  std::vector<TestProblem> problems = random_problems(backend);
  for (TestProblem& problem : ci_problems(data, configs, kMostRows, backend))
    problems.push_back(std::move(problem));
  std::cout << std::left << std::setw(28) << "products" << std::right << std::setw(7) << "rows"
            << std::setw(4) << "k";
  for (const Contestant& contestant : contestants()) std::cout << std::setw(18) << contestant.name;
  std::cout << '\n';
  std::vector<Line> lines;
  for (const TestProblem& problem : problems) {
    Line line{
        &problem, width > 0 ? std::min(width, problem.states) : std::min(problem.states, 4), {}};
    for (const Contestant& contestant : contestants())
      line.scores.emplace(contestant.name,
                          run(contestant, problem, line.width, tolerance, backend));
    mark_missed(line);
    write_line(line);
    for (const auto& [name, score] : line.scores)
      if (!score.failure.empty())
        std::cerr << problem.name << ", " << name << ": " << score.failure << ", residual "
                  << score.residual << '\n';
    lines.push_back(std::move(line));
  }
  write_totals(lines);
  if (!file.empty()) std::ofstream(file) << json(lines, tolerance);
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  const auto argument = [&](int i, const char* otherwise) {
    return std::string(argc > i ? argv[i] : otherwise);
  };
  cisolve::bench::contest(argument(1, ""), argument(2, "configs"), argument(3, ""),
                          std::stoi(argument(4, "0")), std::stod(argument(5, "1e-8")),
                          argument(6, ""));
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
