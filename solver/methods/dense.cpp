#include "solver/methods/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/stopwatch.hpp"
#include "solver/task/cut_multiplet.hpp"
#include "solver/task/error_bounds.hpp"
#include "solver/vectors/dense_decompositions.hpp"
#include "solver/vectors/eigen_map.hpp"

namespace cisolve::solver {
namespace {

constexpr Index kWidth = 16;
constexpr double kSymmetric = 1e-10;  // relative to the largest element

/// Makes both triangles bitwise equal; throws if they differ by more than rounding, which is all
/// that may remain of cancelling elements.
void symmetrise(Eigen::Map<Eigen::MatrixXd> a, double rounding) {
  if (!a.allFinite())
    base::fail(base::ErrorKind::bad_input, "the operator gives products that are infinite or NaN");
  const double allowed = std::max(kSymmetric * a.cwiseAbs().maxCoeff(), rounding);
  for (Eigen::Index j = 0; j < a.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i) {
      if (std::abs(a(i, j) - a(j, i)) > allowed)
        base::fail(base::ErrorKind::bad_input, "the operator is not symmetric: element (", i, ", ",
                   j, ") is ", a(i, j), " and (", j, ", ", i, ") is ", a(j, i), ", counted from 0");
      a(i, j) = a(j, i) = 0.5 * (a(i, j) + a(j, i));
    }
}

/// Host memory: the matrix and Eigen's copies.
Index bytes_of_dense(Index rows) { return 4 * rows * rows * Index{sizeof(double)}; }

Index bytes_of_vectors(Index rows, int states) {
  const Index columns = 2 * kWidth + states + 2;
  return columns * (rows + 8) * Index{sizeof(double)};
}

base::Array<double> square_on_all(const Vectors& vectors, const Backend& host) {
  std::optional<base::Array<double>> made;
  base::run_collectively(vectors.ranks(), [&] {
    made.emplace(host, vectors.dimension() * vectors.dimension(), "the dense matrix");
  });
  return std::move(*made);
}

/// T, on every rank.
SmallMatrix target_on_all(const Vectors& vectors, const StateSelection& wanted) {
  const ConstColumns target = wanted.target();
  SmallMatrix all(static_cast<int>(vectors.dimension()), target.count());
  vectors.all_gather(target, all.values());
  return all;
}

/// The wanted ones of all eigenpairs.
struct Choice {
  std::vector<int> numbers;  // ascending
  std::optional<SelectedStates> chosen;
};

Choice choose(const std::vector<double>& values, const Eigen::MatrixXd& x, int states,
              const Vectors& vectors, const StateSelection* wanted) {
  Choice choice{std::vector<int>(states), {}};
  std::iota(choice.numbers.begin(), choice.numbers.end(), 0);
  if (wanted == nullptr) return choice;
  if (const auto energy = wanted->energy()) {
    choice.numbers = StateSelection::nearest_to(*energy, values, states);
    return choice;
  }
  const int dimensions = wanted->target().count();
  SmallMatrix overlaps(dimensions, static_cast<int>(x.cols()));
  const SmallMatrix target = target_on_all(vectors, *wanted);
  as_eigen(overlaps) = as_eigen(target).transpose() * x;
  const std::vector<double> weights = StateSelection::weights(overlaps);
  choice.numbers = StateSelection::order(values, weights, states);
  choice.numbers.resize(states);
  std::vector<double> of_states;
  for (const int j : choice.numbers) of_states.push_back(weights[j]);
  choice.chosen = selected_states(std::move(of_states), dimensions);
  return choice;
}

}  // namespace

bool host_has_memory_for_dense(const Backend& backend, Index rows, int states) {
  const Index vectors = backend.is_host() ? bytes_of_vectors(rows, states) : 0;
  return backend.host_memory().left() >= bytes_of_dense(rows) + vectors;
}

bool has_memory_for_dense(const Backend& backend, Index rows, int states) {
  return host_has_memory_for_dense(backend, rows, states) &&
         backend.memory().left() >= bytes_of_vectors(rows, states);
}

base::Array<double> dense_matrix(MeteredOperator& matrix, const Vectors& vectors, double rounding) {
  const Index n = vectors.dimension();
  const Backend host = vectors.backend().host();
  base::Array<double> dense = square_on_all(vectors, host);
  const auto width = static_cast<int>(std::min(n, kWidth));
  base::MultiVector units = vectors.make(width, "unit vectors");
  base::MultiVector images = vectors.make(width, "images of unit vectors");
  for (Index first = 0; first < n; first += width) {
    const auto count = static_cast<int>(std::min<Index>(width, n - first));
    std::vector<Index> rows(count);
    std::iota(rows.begin(), rows.end(), first);
    vectors.fill_units(rows, columns_of(units, 0, count));
    matrix.apply(columns_of(units, 0, count), columns_of(images, 0, count));
    vectors.all_gather(columns_of(images, 0, count), dense.span().subspan(first * n, count * n));
  }
  symmetrise(as_eigen(dense, n), rounding);
  return dense;
}

Result dense(MeteredOperator& matrix, const Vectors& vectors, const Options& options,
             const StateSelection* wanted) {
  const base::Stopwatch watch;
  const Index n = vectors.dimension();
  const auto states = static_cast<int>(std::min<Index>(options.states, n));
  base::run_collectively(vectors.ranks(), [&] {
    vectors.backend().host_memory().require(bytes_of_dense(n), "a dense solution");
  });
  std::vector<double> values;
  SmallMatrix x(static_cast<int>(n), states);
  Choice choice;
  std::vector<double> residuals(states);
  {
    const base::Array<double> a =
        dense_matrix(matrix, vectors, rounding_of_energies(n, options.scale));
    const auto h = as_eigen(a, n);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(h);
    if (solver.info() != Eigen::Success || !solver.eigenvalues().allFinite())
      base::fail(base::ErrorKind::bad_input, "the elements of the operator are so large that ",
                 "eigenvalues overflow; rescale them, for example to other units");
    values.assign(solver.eigenvalues().begin(), solver.eigenvalues().end());
    choice = choose(values, solver.eigenvectors(), states, vectors, wanted);
    as_eigen(x) = solver.eigenvectors()(Eigen::all, choice.numbers);
    for (int j = 0; j < states; ++j) {
      const auto column = as_eigen(x).col(j);
      residuals[j] = (h * column - values[choice.numbers[j]] * column).stableNorm();
    }
  }
  Result result{.method = Method::dense,
                .vectors = vectors.make(states, "the eigenvectors"),
                .layout = vectors.layout()};
  vectors.scatter_whole(x, result.vectors);
  std::vector<double> energies;
  for (const int j : choice.numbers) energies.push_back(values[j]);
  const double size = std::max(std::abs(values[0]), std::abs(values[n - 1]));
  const double width =
      degeneracy_width(options.tolerance, 8 * std::numeric_limits<double>::epsilon() * size);
  result.beyond.width = width;
  if (wanted == nullptr) {
    if (states < n) result.next = values[states];
    result.beyond = {count_beyond(values, states, width), true, width};
  }
  if (!choice.chosen) result.completeness = Completeness::certified;
  result.near = options.near;
  result.rounding = rounding_of_energies(n, std::max(size, options.scale));
  const auto bounds = error_bounds(energies, residuals, result.rounding);
  const auto estimates = options.are_lowest()
                             ? error_estimates(energies, residuals, result.next, result.rounding)
                             : bounds;
  for (int j = 0; j < states; ++j)
    result.states.push_back(
        {energies[j], residuals[j], bounds[j], estimates[j],
         residuals[j] <= options.tolerance ? Status::converged : Status::limited});
  result.search = choice.chosen ? SearchEnd::not_lowest : SearchEnd::excluded;
  result.chosen = std::move(choice.chosen);
  result.products = matrix.products();
  result.history.push_back({0, static_cast<int>(n), result.products, false, energies, residuals});
  result.product_seconds = matrix.seconds();
  result.timed_products = matrix.timed_products();
  result.seconds = watch.seconds();
  return result;
}

}  // namespace cisolve::solver
