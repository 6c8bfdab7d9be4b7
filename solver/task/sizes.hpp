#pragma once

#include "solver/task/options.hpp"
#include "solver/vectors/space_bytes.hpp"

namespace cisolve::solver {

/// Dimensions of the search space of a solution.
struct Sizes {
  int states = 1;
  int guards = 0;         // additional states to iterate on
  int width = 1;          // directions added at once
  int capacity = 2;       // columns of the basis
  int kept = 1;           // Ritz vectors kept by a restart
  int krylov = 2;         // columns of a Lanczos basis; more, since it has no images
  bool is_tight = false;  // few vectors per state: only directions of descent are worth a column
  bool is_full = false;   // whether no memory is left for the final vectors of Lanczos
  BasisStorage basis_storage = BasisStorage::full;
};

/// Number of columns that fit, by kind of storage.
struct FittingColumns {
  Index full = 0;
  Index staged = 0;

  static FittingColumns in(const MemoryForSpace& memory, const Options& options, Index dimension);
};

/// Whether the method can stage its vectors from the host.
bool may_be_staged(const Options& options);

/// Chooses the storage of the basis: staged if a device lacks memory for a useful number of
/// columns.
BasisStorage choose_basis_storage(const Options& options, Index dimension,
                                  const FittingColumns& fitting);

/// Columns of a staged search space, of `fitting` that fit: few, since each is read several times
/// per iteration.
Index staged_columns(const Options& options, Index fitting);

/// Largest number of final Lanczos vectors: states and guards, or one more than the states, since a
/// search needs the next value.
int most_lanczos_states(int states, int guards, SearchEffort search);

/// Number of start vectors from which the method is chosen.
inline constexpr int kStartsForChoice = 4;

/// Whether Lanczos may be chosen: part of the fitting columns is then reserved for its final
/// vectors.
bool leaves_for_lanczos(const Options& options, Index followed, Index fitting);

/// Columns of a search space, of `fitting` that fit, next to `followed` vectors to follow.
Index columns_of_basis(const Options& options, Index followed, Index fitting);

/// Sizes for `dimension` rows over all ranks, if at most `most_columns` columns fit into memory.
/// Throws ErrorKind::resources if not even the states and one direction fit.
Sizes choose_sizes(const Options& options, Index dimension, Index most_columns);

}  // namespace cisolve::solver
