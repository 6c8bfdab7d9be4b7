#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "bench/eigensolvers/suites.hpp"

// Products with the matrix that our solvers and others need for the same answers. All have the same
// preconditioner, start vectors, workspace and tolerance, and are checked alike. In the suites
// `random` and `ci` all blocks have the same width: the number of states, at most 4, unless
// specified. In `hard` the others work on one vector at a time, which suits them best, and ours
// choose.
namespace cisolve::bench {
namespace {

constexpr Index kMostRows = 70000;
constexpr double kMissed = 1e-7;  // a value this far above the lowest one found is another state

struct Line {
  const TestProblem* problem;
  int width;
  std::map<std::string, Score> scores;
};

/// A state that one solver found and another did not is a missed state.
void mark_missed(Line& line) {
  std::vector<double> lowest = line.problem->lowest;
  lowest.resize(std::min<std::size_t>(lowest.size(), line.problem->states));
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
            << line.problem->matrix->shape.rows << std::setw(4) << line.problem->states;
  for (const Contestant& contestant : contestants()) {
    const Score& score = line.scores.at(contestant.name);
    std::cout << std::setw(18)
              << std::to_string(score.products - score.searched) +
                     (score.searched > 0 ? " + " + std::to_string(score.searched) : "") +
                     (score.failure.empty() ? "" : " (!)");
  }
  std::cout << std::endl;
}

struct Total {
  Index products = 0;
  int failures = 0;
  double seconds = 0;
  double product_seconds = 0;
  double seconds_at_best_rate = 0;  // time of its products at the speed of the fastest solver
};

/// Seconds per vector of the fastest products on that problem, or on the device.
double best_product(const Line& line) {
  if (const double there = line.scores.begin()->second.device_seconds_per_product; there > 0)
    return there;
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [name, score] : line.scores)
    if (score.products > 0)
      best = std::min(best, score.product_seconds / static_cast<double>(score.products));
  return best;
}

Total total_of(const std::vector<Line>& lines, const std::string& name, const std::string& kind) {
  Total total;
  for (const Line& line : lines) {
    if (!kind.empty() && line.problem->kind != kind) continue;
    const Score& score = line.scores.at(name);
    total.products += score.products;
    total.failures += score.failure.empty() ? 0 : 1;
    total.seconds += score.seconds;
    total.product_seconds += score.product_seconds;
    total.seconds_at_best_rate += static_cast<double>(score.products) * best_product(line);
  }
  return total;
}

void write_totals(const std::vector<Line>& lines) {
  std::cout << '\n'
            << std::left << std::setw(22) << "totals" << std::right << std::setw(10) << "random"
            << std::setw(10) << "ci" << std::setw(10) << "hard" << std::setw(10) << "all"
            << std::setw(10) << "failures" << std::setw(10) << "seconds" << std::setw(12)
            << "in products" << std::setw(24) << "products at best speed" << '\n';
  for (const Contestant& contestant : contestants()) {
    const Total all = total_of(lines, contestant.name, "");
    std::cout << std::left << std::setw(22) << contestant.name << std::right << std::setw(10)
              << total_of(lines, contestant.name, "random").products << std::setw(10)
              << total_of(lines, contestant.name, "ci").products << std::setw(10)
              << total_of(lines, contestant.name, "hard").products << std::setw(10) << all.products
              << std::setw(10) << all.failures << std::setw(10) << std::fixed
              << std::setprecision(1) << all.seconds << std::setw(12) << all.product_seconds
              << std::setw(24) << all.seconds_at_best_rate << std::defaultfloat << '\n';
  }
}

std::string json(const std::vector<Line>& lines, double tolerance) {
  std::ostringstream out;
  out << std::setprecision(6) << "{\"benchmark\": \"eigensolvers\", \"tolerance\": " << tolerance
      << ",\n \"problems\": [";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    out << (i == 0 ? "" : ",") << "\n  {\"name\": \"" << line.problem->name
        << "\", \"rows\": " << line.problem->matrix->shape.rows
        << ", \"nonzeros\": " << line.problem->matrix->nonzeros()
        << ", \"states\": " << line.problem->states << ", \"width\": " << line.width
        << ", \"solvers\": [";
    for (std::size_t k = 0; k < contestants().size(); ++k) {
      const Score& score = line.scores.at(contestants()[k].name);
      out << (k == 0 ? "" : ",") << "\n    {\"name\": \"" << contestants()[k].name
          << "\", \"products\": " << score.products << ", \"searched\": " << score.searched
          << ", \"iterations\": " << score.iterations << ", \"restarts\": ";
      if (score.restarts < 0)
        out << "null";
      else
        out << score.restarts;
      out << ", \"residual\": " << (std::isfinite(score.residual) ? score.residual : -1)
          << ", \"seconds\": " << score.seconds
          << ", \"product_seconds\": " << score.product_seconds
          << ", \"device_seconds_per_product\": " << score.device_seconds_per_product
          << ", \"failure\": \"" << score.failure << "\"}";
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
        << ", \"hard\": " << total_of(lines, name, "hard").products
        << ", \"failures\": " << all.failures << ", \"seconds\": " << all.seconds
        << ", \"product_seconds\": " << all.product_seconds
        << ", \"seconds_at_best_rate\": " << all.seconds_at_best_rate << "}";
  }
  out << "]}\n";
  return out.str();
}

struct Arguments {
  Suites suites;
  std::vector<int> states{1, 4, 10, 20};
  std::string json;
  std::string matrices;
  std::string only;
  int width = 0;
  double tolerance = 1e-8;
  int threads = 1;
  bool on_device = false;
};

/// Writes arrays of 64-bit numbers: rows, non-zeros, offsets, columns, values.
void write_matrix(const TestProblem& problem, const std::string& folder) {
  std::ofstream out(folder + '/' + problem.name + ".csr", std::ios::binary);
  const auto write = [&](auto value) {
    out.write(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const sparse::Csr& matrix = *problem.matrix;
  const Index rows = matrix.shape.rows;
  write(rows);
  write(matrix.nonzeros());
  for (Index i = 0; i <= rows; ++i) write(static_cast<Index>(matrix.offsets[i]));
  for (Index k = 0; k < matrix.nonzeros(); ++k) write(static_cast<Index>(matrix.columns[k]));
  for (Index k = 0; k < matrix.nonzeros(); ++k) write(matrix.values[k]);
}

Line run_all(const TestProblem& problem, const Arguments& arguments, const base::Backend& host,
             const base::Backend* device) {
  const int widest = problem.is_hard() ? 1 : 4;
  const int width = std::min(arguments.width > 0 ? arguments.width : widest, problem.states);
  Line line{&problem, width, {}};
  for (const Contestant& contestant : contestants())
    line.scores.emplace(contestant.name,
                        run(contestant, problem, width, arguments.tolerance, host, device));
  mark_missed(line);
  write_line(line);
  for (const auto& [name, score] : line.scores)
    if (!score.failure.empty())
      std::cerr << problem.name << ", " << name << ": " << score.failure << ", residual "
                << score.residual << '\n';
  return line;
}

void contest(const Arguments& arguments) {
  std::erase_if(contestants(), [&](const Contestant& contestant) {
    return contestant.name.find(arguments.only) == std::string::npos;
  });
  const base::Backend host = base::Backend::by_name("openmp", arguments.threads, {});
  std::optional<base::Backend> device;
  if (arguments.on_device) device = base::Backend::by_name("cuda", arguments.threads, {});
  std::ranges::sort(contestants(), {}, &Contestant::name);
  const std::vector<TestProblem> problems =
      arguments.suites.problems(kMostRows, arguments.states, host);
  if (!arguments.matrices.empty()) {
    for (const TestProblem& problem : problems) write_matrix(problem, arguments.matrices);
    return;
  }
  std::cout << std::left << std::setw(28) << "products" << std::right << std::setw(7) << "rows"
            << std::setw(4) << "k";
  for (const Contestant& contestant : contestants()) std::cout << std::setw(18) << contestant.name;
  std::cout << '\n';
  std::vector<Line> lines;
  for (const TestProblem& problem : problems)
    lines.push_back(run_all(problem, arguments, host, device ? &*device : nullptr));
  write_totals(lines);
  if (!arguments.json.empty()) std::ofstream(arguments.json) << json(lines, arguments.tolerance);
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  cisolve::bench::Arguments arguments;
  CLI::App app("Products that eigensolvers need");
  arguments.suites.add_options(app);
  app.add_option("--states", arguments.states, "numbers of states to compute in the suite 'hard'")
      ->delimiter(',');
  app.add_option("--only", arguments.only, "run only solvers with this text in their names");
  app.add_option("--width", arguments.width,
                 "number of vectors in a block; 0: the number of states, at most 4");
  app.add_option("--tolerance", arguments.tolerance);
  app.add_option("--threads", arguments.threads,
                 "number of threads of products and of our solvers");
  app.add_flag("--device", arguments.on_device,
               "our solvers on the GPU; the others' products are counted at its speed");
  app.add_option("--json", arguments.json, "write the record there");
  app.add_option("--write-matrices", arguments.matrices, "write the matrices there, and no more");
  CLI11_PARSE(app, argc, argv);
  cisolve::bench::contest(arguments);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
