#include "ci/factorised/move_table.hpp"

#include <algorithm>
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

void add_slice(std::span<const Run> runs, MoveTable& table) {
  const std::size_t depth = runs.front().size();
  const std::size_t begin = table.moves.size();
  table.moves.resize(begin + depth * kLanes);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const bool is_there = lane < runs.size();
    table.targets.push_back(is_there ? runs[lane].front().target : -1);
    if (!is_there) continue;
    for (std::size_t k = 0; k < runs[lane].size(); ++k)
      table.moves[begin + k * kLanes + lane] = runs[lane][k].move;
  }
  table.slices.push_back(std::ssize(table.moves));
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
  table.slices.push_back(0);
  for (const std::vector<Entry>& entries : chunks) {
    table.chunks.push_back(std::ssize(table.slices) - 1);
    const std::vector<Run> runs = runs_of(entries);
    for (std::size_t first = 0; first < runs.size(); first += kLanes)
      add_slice(std::span(runs).subspan(first, std::min<std::size_t>(kLanes, runs.size() - first)),
                table);
  }
  table.chunks.push_back(std::ssize(table.slices) - 1);
  return table;
}

}  // namespace cisolve::ci
