#include "solver/basis/search_space.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "solver/task/error_bounds.hpp"
#include "solver/vectors/orthogonalise.hpp"

namespace cisolve::solver {
namespace {

// Components of another symmetry that vectors acquire: by rounding, and more if little of a
// direction was left or states are close. Removed from all vectors they disturb orthogonality by
// their square, from one vector by their size.
constexpr double kRoundingLeak = 1e-13;
constexpr double kLeak = 1e-6;

/// Symmetric matrix extended by columns.
SmallMatrix grown(const SmallMatrix& known, const SmallMatrix& fresh) {
  if (!std::ranges::all_of(fresh.values(), [](double v) { return std::isfinite(v); }))
    base::fail(base::ErrorKind::bad_input, "the operator gives products that are infinite or NaN");
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

/// Sets row and column j of a symmetric matrix.
void set_column(int j, const SmallMatrix& column, SmallMatrix& m) {
  for (int i = 0; i < m.rows(); ++i) m(i, j) = m(j, i) = column(i, 0);
}

// Relative rounding error of single precision.
constexpr double kRounded = 0x1p-24;

int columns_of_vectors(const SearchSpace::Kind& kind) {
  return kind.basis_storage == BasisStorage::full ? kind.capacity : kind.workspace_columns;
}

std::optional<HostPanelStore> panel_store_of(const Vectors& vectors, const SearchSpace::Kind& kind,
                                             std::string_view what) {
  if (kind.basis_storage == BasisStorage::full) return {};
  return vectors.make_panel_store({.exact = kind.exact, .single = kind.capacity - kind.exact},
                                  what);
}

}  // namespace

SearchSpace::SearchSpace(MeteredOperator& matrix, Vectors& vectors, const Kind& kind)
    : matrix_(matrix),
      vectors_(vectors),
      kind_(kind),
      basis_(vectors.make(columns_of_vectors(kind), "the basis of the search space")),
      image_(vectors.make(columns_of_vectors(kind), "the image of the search space")),
      basis_store_(panel_store_of(vectors, kind, "the basis of the search space")),
      image_store_(panel_store_of(vectors, kind, "the image of the search space")),
      projected_(0, 0),
      metric_(0, 0),
      squared_(0, 0) {}

ConstColumns SearchSpace::kept(const base::MultiVector& here,
                               const std::optional<HostPanelStore>& store) const {
  if (store) return {*store, here.rows(), size_};
  return columns_of(here, 0, size_);
}

int SearchSpace::append(int count) {
  // The metric accounts for remaining overlaps; vectors on the host are read in each pass.
  const Reorthogonalisation reorthogonalisation =
      rounds() ? Reorthogonalisation::if_digits_are_lost : Reorthogonalisation::full;
  int added = orthogonalise(vectors_, basis(), free_basis(count), reorthogonalisation);
  if (matrix_.project_symmetry(kLeak, free_basis(added)) > kRoundingLeak) {
    added = orthogonalise(vectors_, basis(), free_basis(added), reorthogonalisation);
    matrix_.project_symmetry(kRoundingLeak, free_basis(added));
  }
  if (added == 0) return 0;
  ++changes_;
  const int exact = is_staged() ? basis_store_->exact_of_next(added) : added;
  // Rounds first, so that the image is that of the stored vector.
  if (exact < added) vectors_.round_to_single(free_basis(added).slice(exact, added - exact));
  // A V = [A V, A W]
  const Columns fresh = free_image(added);
  multiply(free_basis(added), fresh);
  const Columns w = free_basis(added);
  if (is_staged()) store_columns(w, fresh);
  size_ += added;
  // H = [H, V^T A W; ., W^T A W]
  if (rounds()) {
    const auto [h, g] = vectors_.gram_of_both(basis(), fresh, w);
    projected_ = grown(projected_, h);
    metric_ = grown(metric_, g);
    return added;
  }
  projected_ = grown(projected_, vectors_.gram(basis(), fresh));
  if (kind_.squares) squared_ = grown(squared_, vectors_.gram(image(), fresh));
  return added;
}

void SearchSpace::multiply(ConstColumns x, Columns y) {
  matrix_.apply(x, y);
  if (size_ == 0) choose_shift(x, y);
  if (kind_.shift != 0) vectors_.axpy(-kind_.shift, x, y);
}

/// The first Rayleigh quotient is a shift near the state: the rounding error of images is then as
/// small as a residual.
void SearchSpace::choose_shift(ConstColumns x, ConstColumns y) {
  const bool may_lose = !kind_.squares && std::isfinite(kind_.precision);
  if (!rounds() && !may_lose) return;
  const double quotient = vectors_.gram(x.slice(0, 1), y.slice(0, 1))(0, 0);
  if (rounds() || rounding_of_residuals(std::abs(quotient)) > kind_.precision)
    kind_.shift = quotient;
}

std::vector<double> SearchSpace::recompute_all_images(double shift, int staged_count) {
  if (is_staged()) {
    for (int j = 0; j < staged_count; ++j) recompute_images(j);
    return {};
  }
  ++changes_;
  make_orthonormal();
  std::vector<double> changes = replace_images(kind_.squares ? kind_.shift : shift);
  projected_ = grown(SmallMatrix(0, 0), vectors_.gram(basis(), image()));
  if (kind_.squares) squared_ = grown(SmallMatrix(0, 0), vectors_.gram(image(), image()));
  return changes;
}

/// Rounding in rotations lengthens vectors, and the lowest Ritz value prefers longer ones.
void SearchSpace::make_orthonormal() {
  SmallMatrix unit(size_, size_);
  for (int j = 0; j < size_; ++j) unit(j, j) = 1;
  const SmallMatrix c = orthonormal_columns(unit, vectors_.gram(basis(), basis()));
  vectors_.rotate(columns_of(basis_, 0, size_), c);
  vectors_.rotate(columns_of(image_, 0, size_), c);
}

std::vector<double> SearchSpace::replace_images(double shift) {
  const double moved = kind_.shift - shift;
  kind_.shift = shift;
  std::vector<double> changes;
  for (int first = 0; first < size_; first += free_columns()) {
    const int count = std::min(size_ - first, free_columns());
    const ConstColumns x = columns_of(std::as_const(basis_), first, count);
    const Columns fresh = free_image(count);
    const Columns old = columns_of(image_, first, count);
    multiply(x, fresh);
    vectors_.axpy(moved, x, old);
    vectors_.axpy(-1, fresh, old);
    std::ranges::copy(vectors_.norms(old), std::back_inserter(changes));
    vectors_.copy(fresh, old);
  }
  return changes;
}

void SearchSpace::store_columns(ConstColumns w, ConstColumns image) {
  const int exact = basis_store_->exact_of_next(w.count());
  const std::vector<double> norms = vectors_.norms(image);
  vectors_.put(w, std::vector<double>(w.count(), 1), *basis_store_);
  vectors_.put(image, norms, *image_store_);
  for (int j = 0; j < w.count(); ++j) {
    norms_.push_back(norms[j]);
    image_errors_.push_back(j < exact ? 0 : kRounded * norms[j]);
  }
}

void SearchSpace::collapse(const SmallMatrix& c) {
  const SmallMatrix s = rounds() ? orthonormal_columns(c, metric_) : c;
  ++changes_;
  if (is_staged()) {
    rotate_stores(s);
  } else {
    vectors_.rotate(columns_of(basis_, 0, size_), s);
    vectors_.rotate(columns_of(image_, 0, size_), s);
    if (matrix_.project_symmetry(kLeak, columns_of(basis_, 0, s.columns())) > 0)
      matrix_.project_symmetry(1, columns_of(image_, 0, s.columns()));
  }
  projected_ = transposed_product(s, product(projected_, s));
  if (rounds()) metric_ = transposed_product(s, product(metric_, s));
  if (kind_.squares) squared_ = transposed_product(s, product(squared_, s));
  size_ = s.columns();
}

/// Rounding a rotated vector makes its image wrong by about the image's own rounding error.
void SearchSpace::rotate_stores(const SmallMatrix& c) {
  const int exact = std::min(kind_.exact, c.columns());
  std::vector<double> most(c.columns(), 0);
  for (int j = 0; j < c.columns(); ++j)
    for (int i = 0; i < c.rows(); ++i) most[j] += std::abs(c(i, j)) * norms_[i];
  vectors_.rotate(*basis_store_, c, std::vector<double>(c.columns(), 1), exact);
  norms_ = vectors_.rotate(*image_store_, c, most, exact);
  std::vector<double> image_errors(c.columns());
  for (int j = 0; j < c.columns(); ++j)
    image_errors[j] = image_error(c, j) + (j < exact ? 0 : 2 * kRounded * norms_[j]);
  image_errors_ = std::move(image_errors);
}

double SearchSpace::image_error(const SmallMatrix& s, int column) const {
  double square = 0;
  for (std::size_t i = 0; i < image_errors_.size(); ++i)
    square += std::pow(s(static_cast<int>(i), column) * image_errors_[i], 2);
  return std::sqrt(square);
}

void SearchSpace::recompute_images(int vector) {
  ++changes_;
  SmallMatrix unit(size_, 1);
  unit(vector, 0) = 1;
  const Columns x = free_basis(1);
  const Columns y = free_image(1);
  vectors_.update(1, basis(), unit, 0, x);
  multiply(x, y);
  vectors_.replace(vector, y, *image_store_);
  const auto [h, g] = vectors_.gram_of_both(basis(), y, x);
  set_column(vector, h, projected_);
  set_column(vector, g, metric_);
  norms_[vector] = vectors_.norms(y).front();
  image_errors_[vector] = 0;
}

EigenPairs SearchSpace::ritz() const {
  EigenPairs pairs = rounds() ? symmetric_eigen(projected_, metric_) : symmetric_eigen(projected_);
  for (double& value : pairs.values) value += kind_.shift;
  return pairs;
}

base::MultiVector SearchSpace::take_vectors(const SmallMatrix& c) && {
  image_ = base::MultiVector(vectors_.backend(), 0, 0);
  image_store_.reset();
  base::MultiVector result = vectors_.make(c.columns(), "the eigenvectors");
  vectors_.update(1, basis(), c, 0, result);
  return result;
}

}  // namespace cisolve::solver
