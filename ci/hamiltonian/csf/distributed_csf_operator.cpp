#include "ci/hamiltonian/csf/distributed_csf_operator.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace cisolve::ci {
namespace {

constexpr Index kElementBytes = sizeof(double);

}  // namespace

DistributedCsfOperator::DistributedCsfOperator(const base::Communicator& ranks,
                                               const base::LinearOperator& determinants,
                                               const base::Layout& layout,
                                               const CsfTransform& transform,
                                               const base::Array<double>& diagonal)
    : determinants_(determinants),
      layout_(layout),
      transform_(transform),
      diagonal_(diagonal),
      functions_(distribute(transform.basis(), ranks)),
      extransform_(ranks, transform.backend()),
      whole_functions_(transform.backend(), transform.basis().functions(), 1,
                       "functions of all ranks"),
      whole_determinants_(transform.backend(), transform.basis().determinants(), 1,
                          "determinants of all ranks"),
      vectors_(transform.backend(), layout.count(ranks.rank()),
               base::preallocated_columns(transform.backend(), 2 * layout.count(ranks.rank())),
               "vectors of determinants"),
      images_(transform.backend(), layout.count(ranks.rank()), vectors_.columns(),
              "images of determinants") {}

base::Layout DistributedCsfOperator::distribute(const CsfBasis& basis,
                                                const base::Communicator& ranks) {
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
base::Layout::Piece DistributedCsfOperator::own_functions() const {
  const auto pieces = functions_.pieces_of(rank());
  return pieces.empty() ? base::Layout::Piece{} : pieces.front();
}

void DistributedCsfOperator::apply(base::ConstBlock x, base::Block y) const {
  if (!at_once_) at_once_ = static_cast<int>(extransform_.ranks().minimum(vectors_.columns()));
  for (int j = 0; j < x.columns; j += *at_once_) {
    const int columns = std::min(*at_once_, x.columns - j);
    const base::Block vectors = vectors_.block(0, columns);
    const base::Block images = images_.block(0, columns);
    expand(x.slice(j, columns), vectors);
    determinants_.apply(vectors, images);
    contract(images, y.slice(j, columns));
  }
}

void DistributedCsfOperator::expand(base::ConstBlock functions, base::Block determinants) const {
  const base::Backend& backend = transform_.backend();
  const base::Block whole = whole_determinants_.block();
  for (int j = 0; j < functions.columns; ++j) {
    extransform_.all_gather(functions_, functions.column(j), whole_functions_.block().data);
    transform_.expand(std::as_const(whole_functions_).block(), whole);
    for (const base::Layout::Piece& mine : layout_.pieces_of(rank()))
      base::copy_bytes(backend, whole.data + mine.first, backend, determinants.column(j) + mine.at,
                       mine.count * kElementBytes);
  }
}

void DistributedCsfOperator::expand(base::ConstBlock functions, const base::Backend& where,
                                    base::Block determinants) const {
  const base::Block one = vectors_.block(0, 1);
  for (int j = 0; j < functions.columns; ++j) {
    expand(functions.slice(j, 1), one);
    base::copy_columns(transform_.backend(), one, where, determinants.slice(j, 1));
  }
}

void DistributedCsfOperator::contract(base::ConstBlock determinants, base::Block functions) const {
  const base::Backend& backend = transform_.backend();
  const base::Block whole = whole_functions_.block();
  const base::Layout::Piece own = own_functions();
  const CsfBasis& basis = transform_.basis();
  const CsfBasis::Range configurations = basis.configurations_of(own.first, own.first + own.count);
  for (int j = 0; j < determinants.columns; ++j) {
    extransform_.all_gather(layout_, determinants.column(j), whole_determinants_.block().data);
    if (backend.is_host()) {
      basis.contract(configurations, std::as_const(whole_determinants_).block(),
                     functions.slice(j, 1));
      continue;
    }
    transform_.contract(std::as_const(whole_determinants_).block(), whole);
    base::copy_bytes(backend, whole.data + own.first, backend, functions.column(j),
                     own.count * kElementBytes);
  }
}

bool DistributedCsfOperator::diagonal(base::Block d) const {
  if (diagonal_.size() == 0) return false;
  const base::Layout::Piece own = own_functions();
  base::copy_bytes(diagonal_.backend(), diagonal_.data() + own.first, transform_.backend(),
                   d.column(0), own.count * kElementBytes);
  return true;
}

}  // namespace cisolve::ci
