#include "solver/basis/search_space.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "solver/vectors/orthogonalise.hpp"

namespace cisolve::solver {
namespace {

// What vectors of one symmetry get of another: by rounding, and where little of a direction was
// left or states are near each other, so that rounding became more. Taken from all vectors it harms
// their orthogonality by no more than its square, from one of them by as much.
constexpr double kRoundingLeak = 1e-13;
constexpr double kLeak = 1e-6;

/// A symmetric matrix with the columns that it grows by.
SmallMatrix grown(const SmallMatrix& known, const SmallMatrix& fresh) {
  if (!std::ranges::all_of(fresh.values(), [](double v) { return std::isfinite(v); }))
    base::fail(base::Fault::bad_input,
               "the operator gives products that are infinite or not numbers");
  const int before = known.columns();
  SmallMatrix all(fresh.rows(), fresh.rows());
  for (int b = 0; b < before; ++b)
    for (int a = 0; a < before; ++a) all(a, b) = known(a, b);
  for (int b = 0; b < fresh.columns(); ++b) {
    for (int a = 0; a < before; ++a) all(a, before + b) = all(before + b, a) = fresh(a, b);
    for (int a = 0; a < fresh.columns(); ++a)
      all(before + a, before + b) = 0.5 * (fresh(before + a, b) + fresh(before + b, a));
  }
  return all;
}

}  // namespace

SearchSpace::SearchSpace(MeteredOperator& matrix, Vectors& vectors, int capacity,
                         std::optional<double> energy)
    : matrix_(matrix),
      vectors_(vectors),
      energy_(energy),
      basis_(vectors.make(capacity, "the basis of the search space")),
      image_(vectors.make(capacity, "the image of the search space")),
      projected_(0, 0),
      squared_(0, 0) {}

int SearchSpace::append(int count) {
  int added = orthogonalise(vectors_, basis(), free_basis(count)).kept;
  if (matrix_.purify(kLeak, free_basis(added)) > kRoundingLeak) {
    added = orthogonalise(vectors_, basis(), free_basis(added)).kept;
    matrix_.purify(kRoundingLeak, free_basis(added));
  }
  if (added == 0) return 0;
  ++changes_;
  // A V = [A V, A W]
  matrix_.apply(free_basis(added), free_image(added));
  if (energy_)
    vectors_.axpy(std::vector<double>(added, -*energy_), free_basis(added), free_image(added));
  const int before = std::exchange(size_, size_ + added);
  const ConstColumns fresh = columns_of(image_, before, added);
  // H = [H, V^T A W; ., W^T A W]
  projected_ = grown(projected_, vectors_.gram(basis(), fresh));
  if (energy_) squared_ = grown(squared_, vectors_.gram(image(), fresh));
  return added;
}

void SearchSpace::collapse(const SmallMatrix& c) {
  ++changes_;
  vectors_.rotate(columns_of(basis_, 0, size_), c);
  vectors_.rotate(columns_of(image_, 0, size_), c);
  if (matrix_.purify(kLeak, columns_of(basis_, 0, c.columns())) > 0)
    matrix_.purify(1, columns_of(image_, 0, c.columns()));
  projected_ = transposed_product(c, product(projected_, c));
  if (energy_) squared_ = transposed_product(c, product(squared_, c));
  size_ = c.columns();
}

EigenPairs SearchSpace::ritz() const { return symmetric_eigen(projected_); }

base::MultiVector SearchSpace::take_vectors(const SmallMatrix& c) && {
  image_ = base::MultiVector(vectors_.backend(), 0, 0);
  base::MultiVector result = vectors_.make(c.columns(), "the eigenvectors");
  vectors_.update(1, basis(), c, 0, result);
  return result;
}

}  // namespace cisolve::solver
