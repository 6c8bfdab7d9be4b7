#include "sparse/diagonal/matrix_product.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/fill.hpp"
#include "sparse/diagonal/pair_kernels.hpp"

namespace cisolve::sparse {

struct DiagonalProductPlan::Plan {
  base::Backend backend;
  ProductPairs pairs;
  std::unique_ptr<cuda::DevicePairs> on_device;
};

namespace {

std::vector<Index> shifts_of(const Diagonal* matrix) {
  std::vector<Index> shifts;
  if (matrix == nullptr) return shifts;
  for (const DiagonalTerm& term : DiagonalOperand{*matrix}.terms()) shifts.push_back(term.shift);
  return shifts;
}

/// Copies values into a matrix that has at least the same diagonals; its others become zero.
void copy_diagonals(const Diagonal& from, Diagonal& to) {
  const base::Backend& backend = to.values.backend();
  base::fill_bytes(to.values, 0);
  const std::vector<DiagonalTerm> targets = DiagonalOperand{to}.terms();
  for (const auto& [base, shift] : DiagonalOperand{from}.terms()) {
    if (!is_stored(to.name, to.shape, to.half, shift)) continue;
    const auto target = std::ranges::lower_bound(targets, shift, {}, &DiagonalTerm::shift);
    const Index row = std::max<Index>(0, -shift);
    base::copy_bytes(backend, from.values.data() + base + row, backend,
                     to.values.data() + target->base + row,
                     diagonal_length(to.shape, shift) * Index{sizeof(double)});
  }
}

void require_addend(const ProductPairs& pairs, const Diagonal* plus, bool half) {
  if (plus == nullptr) return;
  if (plus->shape.rows != pairs.rows || plus->shape.columns != pairs.columns)
    base::fail(base::ErrorKind::bad_input, "a matrix of ", plus->shape.rows, " x ",
               plus->shape.columns, " cannot be added to a product of ", pairs.rows, " x ",
               pairs.columns);
  if (half && !plus->shape.symmetric)
    base::fail(base::ErrorKind::bad_input, "a symmetric update needs a symmetric matrix to update");
}

/// A B + C by a plan.
Diagonal sum_of(const DiagonalProductPlan& first, const DiagonalOperand& a,
                const DiagonalOperand& b, const Diagonal* plus, bool half) {
  require_addend(first.pairs(), plus, half);
  Diagonal c = first.allocate();
  if (plus != nullptr) copy_diagonals(*plus, c);
  first.multiply(a.matrix, b.matrix, plus == nullptr ? 0 : 1, c);
  return c;
}

DiagonalOperand transpose_of(const DiagonalOperand& a) { return {a.matrix, !a.transposed}; }

}  // namespace

DiagonalProductPlan::DiagonalProductPlan(const DiagonalOperand& a, const DiagonalOperand& b,
                                         bool half, const std::vector<Index>& further) {
  const base::Backend& backend = a.matrix.values.backend();
  ProductPairs pairs = pair_up(a, b, half, further);
  std::unique_ptr<cuda::DevicePairs> on_device;
  if (!backend.is_host()) on_device = cuda::place_pairs(backend, pairs);
  plan_ = std::make_unique<const Plan>(backend, std::move(pairs), std::move(on_device));
}

DiagonalProductPlan::~DiagonalProductPlan() = default;
DiagonalProductPlan::DiagonalProductPlan(DiagonalProductPlan&&) noexcept = default;
DiagonalProductPlan& DiagonalProductPlan::operator=(DiagonalProductPlan&&) noexcept = default;

const ProductPairs& DiagonalProductPlan::pairs() const { return plan_->pairs; }

Diagonal DiagonalProductPlan::allocate() const {
  const ProductPairs& pairs = plan_->pairs;
  Diagonal c = allocate_diagonal(pairs.result, plan_->backend);
  if (c.compact()) base::fill_bytes(c.values, 0);  // gaps of stacked diagonals
  c.elements = pairs.elements;
  c.padding = c.values.size() - pairs.held;
  return c;
}

void DiagonalProductPlan::multiply(const Diagonal& a, const Diagonal& b, double beta,
                                   Diagonal& c) const {
  const auto& [backend, pairs, on_device] = *plan_;
  if (c.values.size() != pairs.result.positions)
    base::fail(base::ErrorKind::internal, "a result of ", c.values.size(),
               " values cannot take a product of ", pairs.result.positions);
  const double* of_a = a.values.data();
  const double* of_b = b.values.data();
  switch (backend.kind()) {
    case base::BackendKind::reference:
      return reference::multiply_pairs(backend, pairs, of_a, of_b, beta, c.values.data());
    case base::BackendKind::openmp:
      return openmp::multiply_pairs(backend, pairs, of_a, of_b, beta, c.values.data());
    case base::BackendKind::cuda: return on_device->multiply(of_a, of_b, beta, c.values.data());
  }
}

Diagonal multiply(const DiagonalOperand& a, const DiagonalOperand& b, const Diagonal* plus) {
  return sum_of(DiagonalProductPlan(a, b, false, shifts_of(plus)), a, b, plus, false);
}

Diagonal rank_update(const DiagonalOperand& a, const Diagonal* plus) {
  return sum_of(DiagonalProductPlan(a, transpose_of(a), true, shifts_of(plus)), a, a, plus, true);
}

// The diagonals of B A^T mirror those of A B^T, so each plan is given the union of both.
Diagonal rank_2_update(const DiagonalOperand& a, const DiagonalOperand& b, const Diagonal* plus) {
  std::vector<Index> further = shifts_of(plus);
  const DiagonalProductPlan probe(a, transpose_of(b));
  for (const DiagonalTerm& term : probe.pairs().result.terms) {
    further.push_back(term.shift);
    further.push_back(-term.shift);
  }
  const DiagonalProductPlan first(a, transpose_of(b), true, further);
  const DiagonalProductPlan second(b, transpose_of(a), true, further);
  Diagonal c = sum_of(first, a, b, plus, true);
  second.multiply(b.matrix, a.matrix, 1, c);
  return c;
}

}  // namespace cisolve::sparse
