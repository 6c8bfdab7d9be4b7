#include "ci/hamiltonian/factorised/scatter_table.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

struct Entry {
  Column target;
  ScatterEntry move;
};

/// Entries of a chunk with one target.
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

/// Appends the words of a ScatterChunk; `targets` is the dummy target.
void add_chunk(std::span<const Run> runs, Index targets, std::vector<std::uint32_t>& words) {
  constexpr std::size_t kSlice = kLanes;
  constexpr std::size_t kAlignment = 4;  // words
  const std::size_t slices = (runs.size() + kSlice - 1) / kSlice;
  const auto depth = [&](std::size_t slice) { return runs[slice * kSlice].size(); };
  std::size_t deep = 0;
  while (deep < slices && depth(deep) > 1) ++deep;
  words.push_back(static_cast<std::uint32_t>(slices));
  words.push_back(static_cast<std::uint32_t>(deep));
  std::size_t begin = 0;
  for (std::size_t slice = 0; slice <= deep; ++slice) {
    words.push_back(static_cast<std::uint32_t>(begin));
    if (slice < deep) begin += depth(slice) - 1;
  }
  for (std::size_t run = 0; run < slices * kSlice; ++run)
    words.push_back((run < runs.size()
                         ? ScatterTarget::of(runs[run].front().target, runs[run].front().move)
                         : ScatterTarget::of(targets, ScatterEntry()))
                        .code);
  std::vector<ScatterEntry> others;
  for (std::size_t slice = 0; slice < deep; ++slice)
    for (std::size_t k = 1; k < depth(slice); ++k)
      for (std::size_t run = slice * kSlice; run < (slice + 1) * kSlice; ++run)
        others.push_back(run < runs.size() && k < runs[run].size() ? runs[run][k].move
                                                                   : ScatterEntry());
  const std::size_t end = words.size();
  words.resize(end + others.size() / 2);
  if (!others.empty())
    std::memcpy(words.data() + end, others.data(), others.size() * sizeof(ScatterEntry));
  words.resize((words.size() + kAlignment - 1) / kAlignment * kAlignment);
}

}  // namespace

ScatterTable ScatterTable::of(Index targets, Index columns, const MovesTo& moves_to,
                              const base::Backend& host) {
  constexpr Index kParts = 16;  // parts of the targets, independent of the number of threads
  constexpr Index kChunksAtOnce = 8;
  const Index chunks = (columns + kChunk - 1) / kChunk;
  using Chunks = std::vector<std::vector<Entry>>;
  std::vector<Chunks> found(kParts, Chunks(chunks));
  base::for_each_chunk(kParts, 1, host, [&](Index part, Index) {
    for (Index target = targets * part / kParts; target < targets * (part + 1) / kParts; ++target)
      moves_to(target, [&](Index row, Index column, bool odd) {
        found[part][column / kChunk].push_back(
            {static_cast<Column>(target), ScatterEntry::of(row, column % kChunk, odd)});
      });
  });
  std::vector<std::vector<std::uint32_t>> words(chunks);
  base::for_each_chunk(chunks, kChunksAtOnce, host, [&](Index first, Index last) {
    std::vector<Entry> entries;
    for (Index chunk = first; chunk < last; ++chunk) {
      entries.clear();
      for (const Chunks& part : found)
        entries.insert(entries.end(), part[chunk].begin(), part[chunk].end());
      add_chunk(runs_of(entries), targets, words[chunk]);
    }
  });
  ScatterTable table;
  for (const Chunks& part : found)
    for (const std::vector<Entry>& entries : part) table.count += std::ssize(entries);
  for (const std::vector<std::uint32_t>& of_chunk : words) {
    table.chunks.push_back(std::ssize(table.words));
    table.words.insert(table.words.end(), of_chunk.begin(), of_chunk.end());
  }
  table.chunks.push_back(std::ssize(table.words));
  return table;
}

}  // namespace cisolve::ci
