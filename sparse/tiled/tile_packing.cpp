#include "sparse/tiled/tile_packing.hpp"

#include <algorithm>
#include <bit>

namespace cisolve::sparse {
namespace {

/// Packs runs of columns into tiles of `width` columns.
class Packer {
 public:
  Packer(Index width, Index longest_gap) : width_(width), longest_gap_(longest_gap) {}

  /// Adds the pair of columns that contains `column`; columns ascend.
  void add(Index column) {
    const Index first = column / 2 * 2;
    if (!runs_.empty()) {
      PackedRun& last = runs_.back();
      if (column < last.end()) return;
      const Index growth = first + 2 - last.end();
      if (growth - 2 <= longest_gap_ && filled() + growth <= width_) {
        last.count += growth;
        return;
      }
    }
    const bool starts_tile = !runs_.empty() && filled() + 2 > width_;
    const Index tile = runs_.empty() ? 0 : runs_.back().tile + (starts_tile ? 1 : 0);
    runs_.push_back({first, 2, tile, starts_tile ? 0 : filled()});
  }

  /// Cuts a pair that extends beyond the last column.
  std::vector<PackedRun> finish(Index columns) {
    if (!runs_.empty() && runs_.back().end() > columns) --runs_.back().count;
    return std::move(runs_);
  }

 private:
  // Columns of the last tile in use.
  Index filled() const { return runs_.empty() ? 0 : runs_.back().place + runs_.back().count; }

  Index width_;
  Index longest_gap_;
  std::vector<PackedRun> runs_;
};

}  // namespace

std::vector<PackedRun> ColumnSet::pack(Index width, Index longest_gap) const {
  Packer packer(width, longest_gap);
  for (std::size_t k = 0; k < words_.size(); ++k)
    for (std::uint64_t word = words_[k]; word != 0; word &= word - 1)
      packer.add(static_cast<Index>(k) * 64 + std::countr_zero(word));
  return packer.finish(columns_);
}

RunFinder::RunFinder(std::span<const PackedRun> runs, Index columns)
    : runs_(runs), first_run_(columns / kStride + 1) {
  std::size_t k = 0;
  for (std::size_t i = 0; i < first_run_.size(); ++i) {
    while (k < runs.size() && runs[k].end() <= static_cast<Index>(i) * kStride) ++k;
    first_run_[i] = static_cast<std::uint32_t>(k);
  }
}

}  // namespace cisolve::sparse
