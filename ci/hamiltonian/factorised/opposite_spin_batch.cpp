#include "ci/hamiltonian/factorised/opposite_spin_batch.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace cisolve::ci {

void OppositeSpinBatch::add_rows(AlphaBatches::Batch alphas) {
  const Index size = c_.first_row[alphas[0] + 1] - c_.first_row[alphas[0]];
  sums_.assign(size + 1, {});
  find_parts(alphas);
  for (auto begin = parts_.begin(); begin != parts_.end();) {
    const auto end = std::find_if(
        begin, parts_.end(), [&](const GroupOfLane& part) { return part.table != begin->table; });
    add_table(alphas, {begin, end});
    begin = end;
  }
  for (std::size_t lane = 0; lane < alphas.size(); ++lane) {
    double* y = y_ + places_[alphas[lane]];
    for (Index i = 0; i < size; ++i) y[i] += sums_[i].of[lane];
  }
}

void OppositeSpinBatch::find_parts(AlphaBatches::Batch alphas) {
  parts_.clear();
  for (std::size_t lane = 0; lane < alphas.size(); ++lane)
    for (Index g = c_.first_group[alphas[lane]]; g < c_.first_group[alphas[lane] + 1]; ++g)
      parts_.push_back({c_.groups[g].table, static_cast<int>(lane), g});
  std::ranges::sort(parts_, {}, [](const GroupOfLane& part) {
    return std::tuple(part.table, part.lane, part.group);
  });
}

void OppositeSpinBatch::add_table(AlphaBatches::Batch alphas, std::span<const GroupOfLane> parts) {
  const OppositeSpinView::Table& table = c_.tables[parts[0].table];
  fill_sources(parts);
  fill_weights(alphas, parts, table);
  columns_.assign(sources_ * kChunk, {});
  g_.resize(Index{table.rows} * kRowStride);
  g_[kChunk] = {};
  Index skipped = 0;
  for (Index begin = 0; begin < table.columns; begin += kChunk) {
    while (skipped < sources_ && reaches_[skipped] <= begin) ++skipped;
    if (skipped == sources_) break;
    const Index columns = std::min<Index>(kChunk, table.columns - begin);
    copy_columns(skipped, begin, columns);
    multiply_chunk(weights_.data(), table.rows, {skipped, sources_}, columns_.data(), columns,
                   g_.data());
    const Index first_word = c_.chunks[table.first_chunk + begin / kChunk];
    add_moves(ScatterChunk(c_.words + first_word), g_.data(), sums_.data());
  }
}

void OppositeSpinBatch::fill_sources(std::span<const GroupOfLane> parts) {
  std::array<Index, kTogether> count{};
  for (const GroupOfLane& part : parts) count[part.lane] += c_.groups[part.group].sources;
  sources_ = *std::ranges::max_element(count);
  source_of_.assign(sources_ * kTogether, nullptr);
  reaches_.assign(sources_, 0);
  for (int lane = 0; lane < kTogether; ++lane) first_of_[lane] = sources_ - count[lane];
  std::array<Index, kTogether> next = first_of_;
  for (const GroupOfLane& part : parts) {
    const OppositeSpinView::Group& group = c_.groups[part.group];
    for (int k = 0; k < group.sources; ++k) {
      const Index place = next[part.lane]++;
      const OppositeSpinView::Source& source = c_.sources[group.first_source + k];
      source_of_[place * kTogether + part.lane] = &source;
      reaches_[place] =
          std::max(reaches_[place], by_half_ ? source.reach() : c_.tables[group.table].columns);
    }
  }
}

void OppositeSpinBatch::fill_weights(AlphaBatches::Batch alphas, std::span<const GroupOfLane> parts,
                                     const OppositeSpinView::Table& table) {
  weights_.assign(table.rows * sources_, {});
  std::array<Index, kTogether> next = first_of_;
  for (const GroupOfLane& part : parts) {
    const OppositeSpinView::Group& group = c_.groups[part.group];
    for (int k = 0; k < group.sources; ++k, ++next[part.lane])
      for (int row = 0; row < table.rows; ++row)
        weights_[row * sources_ + next[part.lane]].of[part.lane] = c_.weight(
            alphas[part.lane], c_.sources[group.first_source + k], c_.rows[table.first_row + row]);
  }
}

const double* OppositeSpinBatch::columns_of(const OppositeSpinView::Source& source, Index begin,
                                            Index columns, CutColumns& copy) const {
  const double* from = x_ + source.first;
  const Index whole = source.whole() - begin;
  if (!by_half_ || whole >= columns) return from + begin;
  for (Index j = 0; j < columns; ++j) copy[j] = j < whole ? from[begin + j] : 0;
  if (whole >= 0 && source.reach() - begin > whole) copy[whole] = from[begin + whole] / 2;
  return copy.data();
}

void OppositeSpinBatch::copy_columns(Index skipped, Index begin, Index columns) {
  std::array<CutColumns, kTogether> cut;
  for (Index k = skipped; k < sources_; ++k) {
    std::array<const double*, kTogether> from{};
    for (int lane = 0; lane < kTogether; ++lane)
      if (const OppositeSpinView::Source* source = source_of_[k * kTogether + lane])
        from[lane] = columns_of(*source, begin, columns, cut[lane]);
    base::for_each_pack<kChunk>(from.data(), 0, columns, [&](Index j, const Pack& pack) {
      columns_[(j / kTileColumns * sources_ + k) * kTileColumns + j % kTileColumns] = pack;
    });
  }
}

}  // namespace cisolve::ci
