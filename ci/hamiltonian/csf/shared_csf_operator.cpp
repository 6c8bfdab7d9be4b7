#include "ci/hamiltonian/csf/shared_csf_operator.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace cisolve::ci {
namespace {

constexpr Index kNumber = sizeof(double);

}  // namespace

SharedCsfOperator::SharedCsfOperator(const base::Communicator& ranks,
                                     const base::LinearOperator& determinants,
                                     const base::Layout& layout, const CsfTransform& change,
                                     const base::Array<double>& diagonal)
    : determinants_(determinants),
      layout_(layout),
      change_(change),
      diagonal_(diagonal),
      functions_(shares(change.basis(), ranks)),
      exchange_(ranks, change.backend()),
      whole_functions_(change.backend(), change.basis().functions(), 1, "functions of all ranks"),
      whole_determinants_(change.backend(), change.basis().determinants(), 1,
                          "determinants of all ranks"),
      vectors_(change.backend(), layout.count(ranks.rank()),
               base::preallocated_columns(change.backend(), 2 * layout.count(ranks.rank())),
               "vectors of determinants"),
      images_(change.backend(), layout.count(ranks.rank()), vectors_.columns(),
              "images of determinants") {}

base::Layout SharedCsfOperator::shares(const CsfBasis& basis, const base::Communicator& ranks) {
  const auto configurations = basis.configurations().span();
  std::vector<Index> counts;
  Index before = 0;
  for (int r = 1; r <= ranks.size(); ++r) {
    const Index even = basis.functions() / ranks.size() * r;
    const Index place = basis.configurations_of(0, even).end;
    const bool is_last = r == ranks.size() || place == std::ssize(configurations);
    const Index end = is_last ? basis.functions() : configurations[place].first_function;
    counts.push_back(end - before);
    before = end;
  }
  return base::Layout::of_counts(counts);
}

/// Empty if the rank has no functions.
base::Layout::Piece SharedCsfOperator::own_functions() const {
  const auto pieces = functions_.pieces_of(rank());
  return pieces.empty() ? base::Layout::Piece{} : pieces.front();
}

void SharedCsfOperator::apply(base::ConstBlock x, base::Block y) const {
  if (!at_once_) at_once_ = static_cast<int>(exchange_.ranks().minimum(vectors_.columns()));
  for (int j = 0; j < x.columns; j += *at_once_) {
    const int columns = std::min(*at_once_, x.columns - j);
    const base::Block vectors = vectors_.block(0, columns);
    const base::Block images = images_.block(0, columns);
    expand(x.slice(j, columns), vectors);
    determinants_.apply(vectors, images);
    contract(images, y.slice(j, columns));
  }
}

void SharedCsfOperator::expand(base::ConstBlock functions, base::Block determinants) const {
  const base::Backend& backend = change_.backend();
  const base::Block whole = whole_determinants_.block();
  for (int j = 0; j < functions.columns; ++j) {
    exchange_.all_gather(functions_, functions.column(j), whole_functions_.block().data);
    change_.expand(std::as_const(whole_functions_).block(), whole);
    for (const base::Layout::Piece& mine : layout_.pieces_of(rank()))
      base::copy_bytes(backend, whole.data + mine.first, backend, determinants.column(j) + mine.at,
                       mine.count * kNumber);
  }
}

void SharedCsfOperator::expand(base::ConstBlock functions, const base::Backend& where,
                               base::Block determinants) const {
  const base::Block one = vectors_.block(0, 1);
  for (int j = 0; j < functions.columns; ++j) {
    expand(functions.slice(j, 1), one);
    base::copy_columns(change_.backend(), one, where, determinants.slice(j, 1));
  }
}

void SharedCsfOperator::contract(base::ConstBlock determinants, base::Block functions) const {
  const base::Backend& backend = change_.backend();
  const base::Block whole = whole_functions_.block();
  const base::Layout::Piece own = own_functions();
  const CsfBasis& basis = change_.basis();
  const CsfBasis::Range configurations = basis.configurations_of(own.first, own.first + own.count);
  for (int j = 0; j < determinants.columns; ++j) {
    exchange_.all_gather(layout_, determinants.column(j), whole_determinants_.block().data);
    if (backend.is_host()) {
      basis.contract(configurations, std::as_const(whole_determinants_).block(),
                     functions.slice(j, 1));
      continue;
    }
    change_.contract(std::as_const(whole_determinants_).block(), whole);
    base::copy_bytes(backend, whole.data + own.first, backend, functions.column(j),
                     own.count * kNumber);
  }
}

bool SharedCsfOperator::diagonal(base::Block d) const {
  if (diagonal_.size() == 0) return false;
  const base::Layout::Piece own = own_functions();
  base::copy_bytes(diagonal_.backend(), diagonal_.data() + own.first, change_.backend(),
                   d.column(0), own.count * kNumber);
  return true;
}

}  // namespace cisolve::ci
