#pragma once

#include "solver/task/options.hpp"
#include "solver/vectors/space_bytes.hpp"

namespace cisolve::solver {

/// How the search space of a solution is laid out.
struct Sizes {
  int states = 1;
  int guards = 0;         // carried along beside the states
  int width = 1;          // directions added at once
  int capacity = 2;       // columns of the basis
  int kept = 1;           // Ritz vectors that survive a restart
  int krylov = 2;         // columns of a Lanczos basis: more, for it has no images beside it
  bool is_tight = false;  // few vectors a state: only what descends is worth a column
  bool is_full = false;   // nothing is left for what Lanczos ends with
  Keeping keeping = Keeping::full;
};

/// The columns that fit where vectors are kept in either way.
struct FittingColumns {
  Index full = 0;
  Index staged = 0;

  static FittingColumns in(const SpaceRoom& room, const Options& options, Index dimension);
};

/// Whether the method is one that knows how to keep its vectors on the host.
bool may_be_staged(const Options& options);

/// In what way to keep them: on the host where a device has no room for as many as are of use.
Keeping keeping_of(const Options& options, Index dimension, const FittingColumns& fitting);

/// Of those that fit there, those that a search space on the host is to have: each is read several
/// times in an iteration.
Index staged_columns(const Options& options, Index fitting);

/// Vectors that Lanczos ends with at most: those that are carried along beside the states, or one
/// above them, for a search needs to know where the spectrum goes on.
int most_from_lanczos(int states, int guards, SearchEffort search);

/// Start vectors that are enough to tell how hard a spectrum is.
inline constexpr int kStartsToLookAt = 4;

/// Whether Lanczos may be chosen, for which a part of the columns that fit is left to what it ends
/// with.
bool leaves_for_lanczos(const Options& options, Index followed, Index fitting);

/// Of so many columns that fit, with as many that span what is followed, those that a search space
/// may have.
Index columns_of_basis(const Options& options, Index followed, Index fitting);

/// For `dimension` rows over all ranks, when at most `most_columns` columns fit into the memory.
/// Throws Fault::resources when not even the states and one direction do.
Sizes choose_sizes(const Options& options, Index dimension, Index most_columns);

}  // namespace cisolve::solver
