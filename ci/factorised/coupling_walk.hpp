#pragma once

#include <array>
#include <span>
#include <vector>

#include "ci/factorised/host_kernels.hpp"
#include "ci/spaces/alpha_batches.hpp"

namespace cisolve::ci {

/// What one thread needs to work on one batch of alpha strings after the other.
class CouplingWalk {
 public:
  /// With half of a vector's elements as sources, those of (a, b) with b before a and half of (a,
  /// a), or with all. `places` says where the rows of an alpha string begin in y.
  CouplingWalk(const CouplingsView& couplings, std::span<const Index> places, bool by_half,
               const double* x, double* y)
      : c_(couplings), places_(places), by_half_(by_half), x_(x), y_(y) {}

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
  void copy_columns(Index skipped, Index begin, Index columns);
  using CutColumns = std::array<double, kChunk>;
  /// Of a source, those that are taken, in x or in the room.
  const double* columns_of(const CouplingsView::Source& source, Index begin, Index columns,
                           CutColumns& room) const;

  const CouplingsView& c_;
  std::span<const Index> places_;
  const bool by_half_;
  const double* x_;
  double* y_;
  std::vector<Part> parts_;  // by tables
  Index sources_ = 0;        // of a table: the most that any string has
  // Those of a string that reach least come first, behind nulls where another one has more.
  std::vector<const CouplingsView::Source*> source_of_;  // sources x kTogether
  std::array<Index, kTogether> first_of_{};              // that is not null
  std::vector<Index> reaches_;                           // of the sources of all strings
  std::vector<Pack> sums_;     // of the strings' rows, and one that is no row's
  std::vector<Pack> weights_;  // rows of g x sources
  std::vector<Pack> columns_;  // of tiles, sources x kTileColumns
  std::vector<Pack> g_;        // rows x kRowStride
};

}  // namespace cisolve::ci
