#include "ci/factorised/move_table.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace cisolve::ci {
namespace {

struct Entry {
  Column target;
  ChunkMove move;
};

/// The moves of a chunk that end at one target.
using Run = std::span<const Entry>;

std::vector<Run> runs_of(std::span<const Entry> entries) {
  std::vector<Run> runs;
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin;
    while (end < entries.size() && entries[end].target == entries[begin].target) ++end;
    runs.push_back(entries.subspan(begin, end - begin));
    begin = end;
  }
  std::ranges::stable_sort(runs, std::ranges::greater{}, &Run::size);
  return runs;
}

/// Appends what ChunkMoves reads.
void add_chunk(std::span<const Run> runs, std::vector<std::int32_t>& words) {
  constexpr std::size_t kLaneRuns = kLanes;
  constexpr std::size_t kAlignment = 4;  // words
  const std::size_t slices = (runs.size() + kLaneRuns - 1) / kLaneRuns;
  words.push_back(static_cast<std::int32_t>(slices));
  std::int32_t depth = 0;
  for (std::size_t slice = 0; slice <= slices; ++slice) {
    words.push_back(depth);
    if (slice < slices) depth += static_cast<std::int32_t>(runs[slice * kLaneRuns].size());
  }
  for (std::size_t run = 0; run < slices * kLaneRuns; ++run)
    words.push_back(run < runs.size() ? runs[run].front().target : -1);
  std::vector<ChunkMove> moves;
  for (std::size_t first = 0; first < runs.size(); first += kLaneRuns)
    for (std::size_t k = 0; k < runs[first].size(); ++k)
      for (std::size_t run = first; run < first + kLaneRuns; ++run)
        moves.push_back(run < runs.size() && k < runs[run].size() ? runs[run][k].move
                                                                  : ChunkMove());
  const std::size_t begin = words.size();
  words.resize(begin + moves.size() / 2);
  std::memcpy(words.data() + begin, moves.data(), moves.size() * sizeof(ChunkMove));
  words.resize((words.size() + kAlignment - 1) / kAlignment * kAlignment);
}

}  // namespace

MoveTable MoveTable::of(Index targets, Index columns, const MovesTo& moves_to) {
  std::vector<std::vector<Entry>> chunks((columns + kChunk - 1) / kChunk);
  MoveTable table;
  for (Index target = 0; target < targets; ++target)
    moves_to(target, [&](Index row, Index column, bool odd) {
      chunks[column / kChunk].push_back(
          {static_cast<Column>(target), ChunkMove::of(row, column % kChunk, odd)});
      ++table.count;
    });
  for (const std::vector<Entry>& entries : chunks) {
    table.chunks.push_back(std::ssize(table.words));
    add_chunk(runs_of(entries), table.words);
  }
  table.chunks.push_back(std::ssize(table.words));
  return table;
}

}  // namespace cisolve::ci
