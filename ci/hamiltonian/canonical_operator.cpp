#include "ci/hamiltonian/canonical_operator.hpp"

#include "base/loops.hpp"
#include "base/multivector.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kRowsPerChunk = 4096;

/// Runs move(canonical row, stored row) over all rows.
template <class Move>
void for_each_row(const Partition& partition, Index rows, const base::Backend& host, Move&& move) {
  base::for_each_chunk(rows, kRowsPerChunk, host, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) move(row, Index{partition.stored(row)});
  });
}

/// A block in the host's memory: the given one where it is there, else a copy.
class HostCopy {
 public:
  HostCopy(const base::Backend& backend, base::ConstBlock block)
      : copy_(backend.host(), backend.is_host() ? 0 : block.rows, block.columns), block_(block) {
    if (backend.is_host()) return;
    copy_ = base::MultiVector::copy_of(backend, block, backend.host());
    block_ = std::as_const(copy_).block();
  }
  base::ConstBlock block() const { return block_; }

 private:
  base::MultiVector copy_;
  base::ConstBlock block_;
};

}  // namespace

void CanonicalOperator::apply(base::ConstBlock x, base::Block y) const {
  const base::Backend host = backend_.host();
  base::MultiVector ordered(host, rows(), x.columns, "vectors in stored order");
  const HostCopy given(backend_, x);
  for_each_row(partition_, rows(), host, [&](Index row, Index stored) {
    for (int j = 0; j < x.columns; ++j) ordered(stored, j) = given.block()(row, j);
  });
  base::MultiVector image(backend_, rows(), x.columns, "images in stored order");
  if (backend_.is_host())
    stored_.apply(std::as_const(ordered).block(), image.block());
  else
    stored_.apply(std::as_const(ordered).to(backend_).block(), image.block());
  const HostCopy back(backend_, std::as_const(image).block());
  base::Block target = backend_.is_host() ? y : ordered.block();
  for_each_row(partition_, rows(), host, [&](Index row, Index stored) {
    for (int j = 0; j < x.columns; ++j) target(row, j) = back.block()(stored, j);
  });
  if (backend_.is_host()) return;
  for (int j = 0; j < x.columns; ++j)
    base::copy_bytes(host, target.column(j), backend_, y.column(j), rows() * Index{sizeof(double)});
}

bool CanonicalOperator::diagonal(base::Block d) const {
  base::MultiVector stored(backend_, rows(), 1, "a diagonal in stored order");
  if (!stored_.diagonal(stored.block())) return false;
  const base::Backend host = backend_.host();
  const HostCopy there(backend_, std::as_const(stored).block());
  base::MultiVector ordered(host, rows(), 1, "a diagonal");
  for_each_row(partition_, rows(), host,
               [&](Index row, Index from) { ordered(row, 0) = there.block()(from, 0); });
  base::copy_bytes(host, ordered.block().data, backend_, d.column(0),
                   rows() * Index{sizeof(double)});
  return true;
}

}  // namespace cisolve::ci
