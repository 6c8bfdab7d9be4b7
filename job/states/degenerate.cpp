#include "job/states/degenerate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/block_kernels.hpp"
#include "solver/vectors/small_eigen.hpp"

namespace cisolve::job {
namespace {

using base::SmallMatrix;

constexpr double kRounding = 1e-13;  // rounding of an energy
constexpr double kOneValue = 1e-3;   // eigenvalues of an operator closer than this are the same
constexpr double kReaches[] = {1000, 10};  // reach of a cluster, in residuals

/// The states first to last of a result, and their rotation x U.
class Cluster {
 public:
  Cluster(solver::Result& result, int first, int last)
      : result_(result), first_(first), size_(last - first), u_(size_, size_), groups_{{0, size_}} {
    for (int i = 0; i < size_; ++i) u_(i, i) = 1;
  }

  /// Diagonalises one more operator within each group, and splits the group by eigenvalues.
  void refine(const base::LinearOperator& operation) {
    const base::Backend& backend = result_.vectors.backend();
    const auto x = std::as_const(result_.vectors).block(first_, size_);
    base::MultiVector image(backend, x.rows, size_, "the images of degenerate states");
    operation.apply(x, image.block());
    SmallMatrix matrix(size_, size_);
    base::block_kernels(backend).gram(backend, x, image.block(), matrix);
    std::vector<Group> finer;
    for (const Group& group : groups_) {
      const auto values = diagonalise(group, matrix);
      int begin = 0;
      for (int i = 1; i <= group.size; ++i)
        if (i == group.size || values[i] - values[i - 1] > kOneValue) {
          finer.push_back({group.first + begin, i - begin});
          begin = i;
        }
    }
    groups_ = std::move(finer);
  }

  /// Diagonalises the energies within each group. Returns false, and changes nothing, if the states
  /// would leave the tolerance.
  bool apply(double tolerance) {
    SmallMatrix energies(size_, size_);
    for (int i = 0; i < size_; ++i) energies(i, i) = state(i).energy;
    for (const Group& group : groups_) diagonalise(group, energies);
    const SmallMatrix rotated = solver::transposed_product(u_, solver::product(energies, u_));
    double allowed = tolerance;
    for (int i = 0; i < size_; ++i) allowed = std::max(allowed, state(i).residual);
    for (int j = 0; j < size_; ++j)
      if (!(residual_bound(rotated, j) <= 2 * allowed)) return false;
    write(rotated);
    return true;
  }

 private:
  struct Group {
    int first;
    int size;
  };

  solver::State& state(int i) { return result_.states[first_ + i]; }

  /// The eigenvectors of U^T M U within a group; returns the eigenvalues.
  std::vector<double> diagonalise(const Group& group, const SmallMatrix& matrix) {
    const SmallMatrix part = solver::columns_of(u_, group.first, group.size);
    const auto pairs =
        solver::symmetric_eigen(solver::transposed_product(part, solver::product(matrix, part)));
    const SmallMatrix combined = solver::product(part, pairs.vectors);
    for (int j = 0; j < group.size; ++j)
      for (int i = 0; i < size_; ++i) u_(i, group.first + j) = combined(i, j);
    return pairs.values;
  }

  double residual_bound(const SmallMatrix& energies, int j) {
    double squares = 0;
    double old = 0;
    for (int i = 0; i < size_; ++i) {
      if (i != j) squares += energies(i, j) * energies(i, j);
      old += state(i).residual * std::abs(u_(i, j));
    }
    return std::sqrt(squares) + old;
  }

  void write(const SmallMatrix& energies) {
    std::vector<int> order(size_);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int i, int j) { return energies(i, i) < energies(j, j); });
    SmallMatrix sorted(size_, size_);
    for (int j = 0; j < size_; ++j)
      for (int i = 0; i < size_; ++i) sorted(i, j) = u_(i, order[j]);
    const base::Backend& backend = result_.vectors.backend();
    const base::Block x = result_.vectors.block(first_, size_);
    base::MultiVector combined(backend, x.rows, size_, "degenerate states");
    const base::BlockKernels& kernels = base::block_kernels(backend);
    kernels.update(backend, 1, x, sorted, 0, combined.block());
    kernels.copy(backend, combined.block(), x);
    for (int j = 0; j < size_; ++j) state(j).energy = energies(order[j], order[j]);
  }

  solver::Result& result_;
  int first_;
  int size_;
  SmallMatrix u_;  // one column per state, ordered by groups
  std::vector<Group> groups_;
};

/// One past the last state of the cluster that begins at `first`.
int end_of_cluster(const solver::Result& result, int first, double reach) {
  int last = first + 1;
  for (; last < std::ssize(result.states); ++last) {
    const solver::State& below = result.states[last - 1];
    const solver::State& above = result.states[last];
    const double blur =
        std::max({below.residual, above.residual, kRounding * std::abs(above.energy)});
    if (above.energy - below.energy > reach * blur) break;
  }
  return last;
}

}  // namespace

bool has_degenerate(const solver::Result& result) {
  if (!result.converged()) return false;
  for (int first = 0; first < std::ssize(result.states); ++first)
    if (end_of_cluster(result, first, kReaches[0]) > first + 1) return true;
  return false;
}

std::vector<bool> resolve_degenerate(solver::Result& result,
                                     std::span<const base::LinearOperator* const> operators,
                                     double tolerance) {
  std::vector<bool> rotated(result.states.size(), false);
  if (!result.converged() || operators.empty()) return rotated;
  for (const double reach : kReaches)
    for (int first = 0; first < std::ssize(result.states);) {
      const int last = end_of_cluster(result, first, reach);
      if (last - first > 1 && !rotated[first]) {
        Cluster cluster(result, first, last);
        for (const base::LinearOperator* operation : operators) cluster.refine(*operation);
        if (cluster.apply(tolerance))
          std::fill(rotated.begin() + first, rotated.begin() + last, true);
      }
      first = last;
    }
  return rotated;
}

}  // namespace cisolve::job
