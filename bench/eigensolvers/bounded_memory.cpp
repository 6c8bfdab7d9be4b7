#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>

#include "base/small_matrix.hpp"
#include "bench/eigensolvers/suites.hpp"
#include "solver/methods/solve.hpp"
#include "sparse/stored/matrix.hpp"

// Products that a solution takes with few search vectors per state, compared with as many as the
// solver likes.
namespace cisolve::bench {
namespace {

constexpr double kAllowed = 1.3;  // times the products of the default

struct Arguments {
  Suites suites;
  std::vector<int> states{1, 2, 4, 10};
  std::vector<int> per_state{2, 3, 4};
  std::string json;
  double tolerance = 1e-8;
  Index rows_at_least = 400;
  Index rows_at_most = 12000;
  int threads = 1;
};

/// Elements of H that a job computes without products.
class ElementsOf final : public solver::ModelBlock {
 public:
  explicit ElementsOf(const sparse::Csr& matrix) : matrix_(matrix) {}
  void fill(std::span<const Index> rows, std::span<const Index> columns,
            base::SmallMatrix& block) const override {
    for (int i = 0; i < block.rows(); ++i) {
      const auto* first = matrix_.columns.data() + matrix_.offsets[rows[i]];
      const auto* last = matrix_.columns.data() + matrix_.offsets[rows[i] + 1];
      for (int j = 0; j < block.columns(); ++j)
        if (const auto* at = std::lower_bound(first, last, columns[j]);
            at != last && *at == columns[j])
          block(i, j) = matrix_.values[at - matrix_.columns.data()];
    }
  }

 private:
  const sparse::Csr& matrix_;
};

struct Count {
  Index products = 0;
  bool converged = false;
  bool is_lanczos = false;
  double highest = 0;  // energy
};

struct Line {
  std::string name;
  std::string kind;
  Index rows;
  int states;
  Count usual;
  std::vector<Count> bounded;

  double ratio(std::size_t k) const {
    return static_cast<double>(bounded[k].products) / static_cast<double>(usual.products);
  }
};

/// Spin models and random matrices have no determinants.
bool has_model(const TestProblem& problem) {
  return problem.kind != "random" && problem.name.find("heisenberg") == std::string::npos &&
         problem.name.find("ising") == std::string::npos;
}

Count count(const TestProblem& problem, const base::LinearOperator& matrix, int states,
            int per_state, const Arguments& arguments, const base::Backend& host) {
  const ElementsOf elements(*problem.matrix);
  solver::Options options;
  options.states = states;
  options.tolerance = arguments.tolerance;
  options.per_state = per_state;
  options.dense_limit = 0;
  options.search = solver::SearchEffort::none;
  solver::Problem given{matrix, host};
  if (has_model(problem)) given.model_block = &elements;
  const auto result = solver::solve(given, options);
  return {result.products, result.converged(), result.method == solver::Method::lanczos,
          result.states.back().energy};
}

/// Each problem once, whatever its numbers of states.
std::vector<TestProblem> problems_of(const Arguments& arguments, const base::Backend& host) {
  std::set<std::string> seen;
  std::vector<TestProblem> all;
  for (TestProblem& problem : arguments.suites.problems(arguments.rows_at_most, {1}, host)) {
    const Index rows = problem.matrix->shape.rows;
    if (rows < arguments.rows_at_least || rows > arguments.rows_at_most) continue;
    if (seen.insert(problem.name).second) all.push_back(std::move(problem));
  }
  return all;
}

void write_line(const Line& line) {
  std::cout << std::left << std::setw(26) << line.name << std::right << std::setw(8) << line.rows
            << std::setw(4) << line.states << std::setw(7) << line.usual.products
            << (line.usual.is_lanczos ? " L" : " D");
  for (std::size_t k = 0; k < line.bounded.size(); ++k) {
    const Count& count = line.bounded[k];
    const char* doubt = !count.converged                            ? " (!)"
                        : count.highest > line.usual.highest + 1e-7 ? " (m)"
                        : count.is_lanczos                          ? " L  "
                                                                    : "    ";
    std::cout << std::setw(7) << count.products << std::setw(6) << std::fixed
              << std::setprecision(2) << line.ratio(k) << doubt;
  }
  std::cout << std::endl;
}

void write_totals(const std::vector<Line>& lines, const Arguments& arguments) {
  for (std::size_t k = 0; k < arguments.per_state.size(); ++k)
    for (const int states : arguments.states) {
      Index usual = 0;
      Index bounded = 0;
      int within = 0;
      int all = 0;
      double worst = 0;
      for (const Line& line : lines) {
        if (line.states != states) continue;
        usual += line.usual.products;
        bounded += line.bounded[k].products;
        within += line.ratio(k) <= kAllowed ? 1 : 0;
        worst = std::max(worst, line.ratio(k));
        ++all;
      }
      if (all == 0) continue;
      std::cout << arguments.per_state[k] << " a state, " << std::setw(2) << states
                << " states: " << within << " of " << all << " within " << kAllowed << ", together "
                << static_cast<double>(bounded) / static_cast<double>(usual) << ", worst " << worst
                << '\n';
    }
}

std::string listed(const std::vector<int>& numbers) {
  std::string all;
  for (const int number : numbers) all += (all.empty() ? "" : ",") + std::to_string(number);
  return all;
}

std::string json(const std::vector<Line>& lines, const Arguments& arguments) {
  std::ostringstream out;
  out << "{\"benchmark\": \"bounded_memory\", \"tolerance\": " << arguments.tolerance
      << ",\n \"command\": \"bench_bounded_memory --data DATA --states " << listed(arguments.states)
      << " --per-state " << listed(arguments.per_state) << " --tolerance " << arguments.tolerance
      << " --rows-at-most " << arguments.rows_at_most << "\",\n \"problems\": [";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    out << (i == 0 ? "" : ",") << "\n  {\"name\": \"" << line.name << "\", \"kind\": \""
        << line.kind << "\", \"rows\": " << line.rows << ", \"states\": " << line.states
        << ", \"method\": \"" << (line.usual.is_lanczos ? "lanczos" : "davidson")
        << "\", \"products\": " << line.usual.products << ", \"bounded\": {";
    for (std::size_t k = 0; k < line.bounded.size(); ++k)
      out << (k == 0 ? "" : ", ") << '"' << arguments.per_state[k]
          << "\": " << line.bounded[k].products;
    out << "}}";
  }
  out << "]}\n";
  return out.str();
}

void measure(const Arguments& arguments) {
  const base::Backend host = base::Backend::by_name("openmp", arguments.threads, {});
  std::vector<Line> lines;
  for (const TestProblem& problem : problems_of(arguments, host)) {
    const auto matrix =
        sparse::build_matrix(sparse::CsrRows(*problem.matrix), {.format = "csr"}, host);
    for (const int states : arguments.states) {
      Line line{problem.name,
                problem.kind,
                problem.matrix->shape.rows,
                states,
                count(problem, *matrix, states, 0, arguments, host),
                {}};
      for (const int few : arguments.per_state)
        line.bounded.push_back(count(problem, *matrix, states, few, arguments, host));
      write_line(line);
      lines.push_back(std::move(line));
    }
  }
  write_totals(lines, arguments);
  if (!arguments.json.empty()) std::ofstream(arguments.json) << json(lines, arguments);
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  cisolve::bench::Arguments arguments;
  CLI::App app("Products where the search space has few vectors a state");
  arguments.suites.add_options(app);
  app.add_option("--states", arguments.states)->delimiter(',');
  app.add_option("--per-state", arguments.per_state, "vectors of the search space")->delimiter(',');
  app.add_option("--tolerance", arguments.tolerance);
  app.add_option("--rows-at-most", arguments.rows_at_most);
  app.add_option("--threads", arguments.threads);
  app.add_option("--json", arguments.json, "write the record there");
  CLI11_PARSE(app, argc, argv);
  cisolve::bench::measure(arguments);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
