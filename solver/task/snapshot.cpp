#include "solver/task/snapshot.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "solver/task/observer.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {

Checkpoint CheckpointSource::checkpoint() { return snapshot().checkpoint(); }

Index Snapshot::rows() const { return expand_ ? whole_rows_ : vectors_.dimension(); }
base::Backend Snapshot::host() const { return vectors_.backend().host(); }
bool Snapshot::leaves_host() const { return !vectors_.backend().is_host(); }
bool Snapshot::is_alone() const { return vectors_.ranks().size() == 1; }

void Snapshot::gather_to_root(const ElementSink& take) const {
  if (expand_) return gather_whole(take);
  gather_vectors(take);
}

void Snapshot::gather_whole(const ElementSink& take) const {
  if (vectors_.ranks().rank() > 0) return gather_vectors(take);
  const base::Backend host = vectors_.backend().host();
  HostWorkspace workspace = workspace_;
  std::optional<base::MultiVector> part;
  std::optional<base::MultiVector> whole;
  try {
    if (workspace.part == nullptr)
      workspace.part = &part.emplace(host, vectors_.dimension(), 1, "a vector of a part")(0, 0);
    if (workspace.whole == nullptr)
      workspace.whole = &whole.emplace(host, whole_rows_, 1, "a vector of a checkpoint")(0, 0);
  } catch (const base::Error&) {
    if (!is_alone())
      gather_vectors([](std::span<const double>) {});  // the other ranks send in any case
    throw;
  }
  gather_whole_in(workspace, take);
}

/// Column by column.
void Snapshot::gather_whole_in(HostWorkspace workspace, const ElementSink& take) const {
  Index known = 0;
  gather_vectors([&](std::span<const double> some) {
    std::ranges::copy(some, workspace.part + known);
    known += std::ssize(some);
    if (known < vectors_.dimension()) return;
    expand_(workspace.part, workspace.whole);
    take({workspace.whole, static_cast<std::size_t>(whole_rows_)});
    known = 0;
  });
}

Checkpoint Snapshot::checkpoint() const {
  Checkpoint found{vectors_.product_on_host(basis_, coefficients_), vectors_.layout(), energies_,
                   iterations_, products_};
  if (!expand_) return found;
  if (!is_alone())
    base::fail(base::ErrorKind::internal, "a checkpoint of whole vectors on one rank of several");
  base::MultiVector part = std::move(found.basis);
  found.basis = base::MultiVector(part.backend(), whole_rows_, part.columns(), "a checkpoint");
  for (int j = 0; j < part.columns(); ++j) expand_(&part(0, j), &found.basis(0, j));
  found.layout = base::Layout::whole(whole_rows_);
  return found;
}

bool Snapshot::is_whole() const {
  return (expand_ && is_alone()) || vectors_.layout() == base::Layout::whole(vectors_.dimension());
}

void Snapshot::gather_vectors(const ElementSink& take) const {
  int width = std::min(columns(), kAtOnce);
  while (width > 1 && !vectors_.have_memory_for(width)) width /= 2;
  if (width <= 1) return vectors_.gather_to_root(basis_, coefficients_, take);
  // The other ranks send their rows whether rank 0 fails or not.
  std::exception_ptr failure;
  const auto forward = [&](std::span<const double> some) {
    if (failure) return;
    try {
      take(some);
    } catch (...) {
      if (vectors_.ranks().size() == 1) throw;
      failure = std::current_exception();
    }
  };
  SmallMatrix itself(1, 1);
  itself(0, 0) = 1;
  base::MultiVector made = vectors_.make(width, "vectors of a checkpoint");
  for (int first = 0; first < columns(); first += width) {
    const int count = std::min(width, columns() - first);
    vectors_.update(1, basis_, columns_of(coefficients_, first, count), 0,
                    columns_of(made, 0, count));
    for (int j = 0; j < count; ++j)
      vectors_.gather_to_root(columns_of(made, j, 1), itself, forward);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cisolve::solver
