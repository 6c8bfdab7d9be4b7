#pragma once

#include <span>
#include <vector>

#include "ci/factorised/host_kernels.hpp"
#include "ci/spaces/alpha_batches.hpp"

namespace cisolve::ci {

/// All alpha strings.
AlphaBatches alpha_batches(const CouplingsView& couplings);

/// What one thread needs to work on one batch of alpha strings after the other.
class CouplingWalk {
 public:
  CouplingWalk(const CouplingsView& couplings, const double* x, double* y)
      : c_(couplings), x_(x), y_(y) {}

  /// Adds what electrons of both spins do together to the rows of the alpha strings.
  void walk(AlphaBatches::Batch alphas);

 private:
  /// What one of the strings takes by a table.
  struct Part {
    Column table;
    int lane;
    Index group;
  };

  void find_parts(AlphaBatches::Batch alphas);
  void add_table(AlphaBatches::Batch alphas, std::span<const Part> parts);
  void fill_sources(std::span<const Part> parts);
  void fill_weights(AlphaBatches::Batch alphas, std::span<const Part> parts,
                    const CouplingsView::Table& table);
  void copy_columns(Index begin, Index columns);

  const CouplingsView& c_;
  const double* x_;
  double* y_;
  std::vector<Part> parts_;               // by tables
  Index sources_ = 0;                     // of a table: the most that any string has
  std::vector<const double*> source_of_;  // sources x kTogether; null where a string has fewer
  std::vector<Pack> sums_;                // of the strings' rows, and one that is no row's
  std::vector<Pack> weights_;             // rows of g x sources
  std::vector<Pack> columns_;             // of tiles, sources x kTileColumns
  std::vector<Pack> g_;                   // rows x kRowStride
};

}  // namespace cisolve::ci
