#include <cub/block/block_scan.cuh>

#include "base/cuda/context.hpp"
#include "base/error.hpp"
#include "ci/lattice/sectors/least_words.hpp"
#include "ci/lattice/sectors/place_turns.hpp"

namespace cisolve::ci::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWordsPerThread = static_cast<int>(kWordsAtOnce) / kThreads;
constexpr auto kFound = "states of words";

/// Tables on the device for testing all words.
struct WordTables {
  WordTables(const SpinWords& words, const SpinSector& sector, const base::Backend& device)
      : smaller(base::Array<Index>::copy_of(words.smaller(), device, kFound)),
        turns(sector, device),
        view(words.view()) {
    view.smaller = smaller.data();
  }

  base::Array<Index> smaller;
  PlaceTurns turns;
  SpinWordsView view;
};

/// Visits the words of one thread: contiguous, as each follows from the one before.
template <class Visit>
__device__ void visit_least(const SpinWordsView& words, const PlaceTurnsView& turns, Index count,
                            Index part, Visit visit) {
  const Index first = part * kWordsAtOnce + Index{threadIdx.x} * kWordsPerThread;
  if (first >= count) return;
  SpinWord word = words.word(first);
  for (Index i = first; i < count && i < first + kWordsPerThread; ++i, word = words.next(word))
    if (turns.is_least(word)) visit(word);
}

using BlockScan = cub::BlockScan<int, kThreads>;

/// One block per chunk. kWrites = false: writes the number of representatives to begins[part + 1],
/// for a prefix sum; true: writes the representatives.
template <bool kWrites>
__global__ void __launch_bounds__(kThreads)
    try_words(const SpinWordsView words, const PlaceTurnsView turns, Index count, Index* begins,
              SpinWord* found) {
  __shared__ typename BlockScan::TempStorage storage;
  const Index part = blockIdx.x;
  int mine = 0;
  visit_least(words, turns, count, part, [&](SpinWord) { ++mine; });
  int before = 0;
  int all = 0;
  BlockScan(storage).ExclusiveSum(mine, before, all);
  if constexpr (!kWrites) {
    if (threadIdx.x == 0) begins[part + 1] = all;
    return;
  }
  Index place = begins[part] + before;
  visit_least(words, turns, count, part, [&](SpinWord word) { found[place++] = word; });
}

template <bool kWrites>
void launch(const SpinWords& words, const WordTables& tables, base::Array<Index>& begins,
            SpinWord* found) {
  try_words<kWrites>
      <<<static_cast<unsigned>(parts_of(words)), kThreads, 0, begins.backend().device().stream()>>>(
          tables.view, tables.turns.view(), words.count(), begins.data(), found);
  base::cuda::check_launch("try_words");
}

}  // namespace

// Most words are rejected after a few operations, so testing all twice is cheaper than storing
// results.
base::Array<SpinWord> least_words(const SpinWords& words, const SpinSector& sector,
                                  const base::Backend& device) {
  constexpr Index kMostParts = INT32_MAX;  // limit of a grid
  const Index parts = parts_of(words);
  if (parts > kMostParts)
    base::fail(base::Fault::resources, words.count(), " words are more than can be tried");
  const WordTables tables(words, sector, device);
  base::Array<Index> begins(device, parts + 1, "parts of all words");
  launch<false>(words, tables, begins, nullptr);
  base::Array<Index> sums = begins.to(device.host());
  sums[0] = 0;
  for (Index part = 0; part < parts; ++part) sums[part + 1] += sums[part];
  begins = sums.to(device);
  base::Array<SpinWord> found(device, sums[parts], kFound);
  launch<true>(words, tables, begins, found.data());
  return found.to(device.host());
}

}  // namespace cisolve::ci::cuda
