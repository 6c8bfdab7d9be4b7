#pragma once

#include <array>
#include <span>
#include <vector>

#include "ci/fock/spaces/alpha_batches.hpp"
#include "ci/hamiltonian/factorised/host_kernels.hpp"

namespace cisolve::ci {

/// sigma_mixed on the host for one batch of alpha strings after the other, on one thread.
class OppositeSpinBatch {
 public:
  /// `by_half`: reads only x(a, b) with b < a and half of x(a, a) (multiply_half). `places`: the
  /// first row of each alpha string in y.
  OppositeSpinBatch(const OppositeSpinView& view, std::span<const Index> places, bool by_half,
                    const double* x, double* y)
      : c_(view), places_(places), by_half_(by_half), x_(x), y_(y) {}

  /// Adds sigma_mixed to the rows of the alpha strings.
  void add_rows(AlphaBatches::Batch alphas);

 private:
  /// A group of one alpha string (one lane).
  struct GroupOfLane {
    Column table;
    int lane;
    Index group;
  };

  void find_parts(AlphaBatches::Batch alphas);
  void add_table(AlphaBatches::Batch alphas, std::span<const GroupOfLane> parts);
  void fill_sources(std::span<const GroupOfLane> parts);
  void fill_weights(AlphaBatches::Batch alphas, std::span<const GroupOfLane> parts,
                    const OppositeSpinView::Table& table);
  void copy_columns(Index skipped, Index begin, Index columns);
  using CutColumns = std::array<double, kChunk>;
  /// Columns of a source, in x or, if halved or cut, copied to `copy`.
  const double* columns_of(const OppositeSpinView::Source& source, Index begin, Index columns,
                           CutColumns& copy) const;

  const OppositeSpinView& c_;
  std::span<const Index> places_;
  const bool by_half_;
  const double* x_;
  double* y_;
  std::vector<GroupOfLane> parts_;  // sorted by table
  Index sources_ = 0;               // maximum over the strings, for one table
  // Ascending by reach; strings with fewer sources begin with nulls.
  std::vector<const OppositeSpinView::Source*> source_of_;  // sources x kTogether
  std::array<Index, kTogether> first_of_{};                 // first non-null source
  std::vector<Index> reaches_;                              // maximum over the strings
  std::vector<Pack> sums_;     // rows of the strings, and the dummy target
  std::vector<Pack> weights_;  // rows of g x sources
  std::vector<Pack> columns_;  // tiles of sources x kTileColumns
  std::vector<Pack> g_;        // rows x kRowStride
};

}  // namespace cisolve::ci
