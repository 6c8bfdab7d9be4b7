#include "ci/factorised/coupling_walk.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace cisolve::ci {

AlphaBatches alpha_batches(const CouplingsView& couplings) {
  return AlphaBatches({couplings.first_member, static_cast<std::size_t>(couplings.alphas)});
}

void CouplingWalk::walk(AlphaBatches::Batch alphas) {
  const Index size = c_.first_row[alphas[0] + 1] - c_.first_row[alphas[0]];
  sums_.assign(size + 1, {});
  find_parts(alphas);
  for (auto begin = parts_.begin(); begin != parts_.end();) {
    const auto end = std::find_if(begin, parts_.end(),
                                  [&](const Part& part) { return part.table != begin->table; });
    add_table(alphas, {begin, end});
    begin = end;
  }
  for (std::size_t lane = 0; lane < alphas.size(); ++lane) {
    double* y = y_ + c_.first_row[alphas[lane]];
    for (Index i = 0; i < size; ++i) y[i] += sums_[i].of[lane];
  }
}

void CouplingWalk::find_parts(AlphaBatches::Batch alphas) {
  parts_.clear();
  for (std::size_t lane = 0; lane < alphas.size(); ++lane)
    for (Index g = c_.first_group[alphas[lane]]; g < c_.first_group[alphas[lane] + 1]; ++g)
      parts_.push_back({c_.groups[g].table, static_cast<int>(lane), g});
  std::ranges::sort(parts_, {},
                    [](const Part& part) { return std::tuple(part.table, part.lane, part.group); });
}

void CouplingWalk::add_table(AlphaBatches::Batch alphas, std::span<const Part> parts) {
  const CouplingsView::Table& table = c_.tables[parts[0].table];
  fill_sources(parts);
  fill_weights(alphas, parts, table);
  columns_.assign(sources_ * kChunk, {});
  g_.resize(Index{table.rows} * kRowStride);
  g_[kChunk] = {};
  for (Index begin = 0; begin < table.columns; begin += kChunk) {
    const Index columns = std::min<Index>(kChunk, table.columns - begin);
    copy_columns(begin, columns);
    multiply_chunk(weights_.data(), table.rows, sources_, columns_.data(), columns, g_.data());
    const Index first_word = c_.chunks[table.first_chunk + begin / kChunk];
    add_moves(ChunkMoves(c_.words + first_word), g_.data(), sums_.data());
  }
}

void CouplingWalk::fill_sources(std::span<const Part> parts) {
  std::array<Index, kTogether> count{};
  for (const Part& part : parts) count[part.lane] += c_.groups[part.group].sources;
  sources_ = *std::ranges::max_element(count);
  source_of_.assign(sources_ * kTogether, nullptr);
  std::array<Index, kTogether> next{};
  for (const Part& part : parts) {
    const CouplingsView::Group& group = c_.groups[part.group];
    for (int k = 0; k < group.sources; ++k)
      source_of_[next[part.lane]++ * kTogether + part.lane] =
          x_ + c_.sources[group.first_source + k].first;
  }
}

void CouplingWalk::fill_weights(AlphaBatches::Batch alphas, std::span<const Part> parts,
                                const CouplingsView::Table& table) {
  weights_.assign(table.rows * sources_, {});
  std::array<Index, kTogether> next{};
  for (const Part& part : parts) {
    const CouplingsView::Group& group = c_.groups[part.group];
    for (int k = 0; k < group.sources; ++k, ++next[part.lane])
      for (int row = 0; row < table.rows; ++row)
        weights_[row * sources_ + next[part.lane]].of[part.lane] = c_.weight(
            alphas[part.lane], c_.sources[group.first_source + k], c_.rows[table.first_row + row]);
  }
}

void CouplingWalk::copy_columns(Index begin, Index columns) {
  for (Index k = 0; k < sources_; ++k)
    base::for_each_pack<kChunk>(
        &source_of_[k * kTogether], begin, columns, [&](Index j, const Pack& pack) {
          columns_[(j / kTileColumns * sources_ + k) * kTileColumns + j % kTileColumns] = pack;
        });
}

}  // namespace cisolve::ci
