#include <cub/block/block_scan.cuh>

#include "base/cuda/context.hpp"
#include "base/error.hpp"
#include "ci/lattice/sectors/representatives.hpp"
#include "ci/lattice/sectors/site_rotations.hpp"

namespace cisolve::ci::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWordsPerThread = static_cast<int>(kWordsAtOnce) / kThreads;
constexpr auto kFound = "orbits of basis states";

/// Tables on the device for testing all words.
struct WordTables {
  WordTables(const BasisStates& words, const SymmetrySector& sector, const base::Backend& device)
      : smaller(base::Array<Index>::copy_of(words.smaller(), device, kFound)),
        rotations(sector, device),
        view(words.view()) {
    view.smaller = smaller.data();
  }

  base::Array<Index> smaller;
  SiteRotations rotations;
  BasisStatesView view;
};

/// Visits the words of one thread: contiguous, as each follows from the one before.
template <class Visit>
__device__ void visit_representatives(const BasisStatesView& words,
                                      const SiteRotationsView& rotations, Index count, Index part,
                                      Visit visit) {
  const Index first = part * kWordsAtOnce + Index{threadIdx.x} * kWordsPerThread;
  if (first >= count) return;
  BasisState word = words.word(first);
  for (Index i = first; i < count && i < first + kWordsPerThread; ++i, word = words.next(word))
    if (rotations.is_representative(word)) visit(word);
}

using BlockScan = cub::BlockScan<int, kThreads>;

/// One block per chunk. kWrites = false: writes the number of representatives to begins[part + 1],
/// for a prefix sum; true: writes the representatives.
template <bool kWrites>
__global__ void __launch_bounds__(kThreads)
    try_words(const BasisStatesView words, const SiteRotationsView rotations, Index count,
              Index* begins, BasisState* found) {
  __shared__ typename BlockScan::TempStorage storage;
  const Index part = blockIdx.x;
  int mine = 0;
  visit_representatives(words, rotations, count, part, [&](BasisState) { ++mine; });
  int before = 0;
  int all = 0;
  BlockScan(storage).ExclusiveSum(mine, before, all);
  if constexpr (!kWrites) {
    if (threadIdx.x == 0) begins[part + 1] = all;
    return;
  }
  Index place = begins[part] + before;
  visit_representatives(words, rotations, count, part,
                        [&](BasisState word) { found[place++] = word; });
}

template <bool kWrites>
void launch(const BasisStates& words, const WordTables& tables, base::Array<Index>& begins,
            BasisState* found) {
  try_words<kWrites>
      <<<static_cast<unsigned>(parts_of(words)), kThreads, 0, begins.backend().device().stream()>>>(
          tables.view, tables.rotations.view(), words.count(), begins.data(), found);
  base::cuda::check_launch("try_words");
}

}  // namespace

// Most words are rejected after a few operations, so testing all twice is cheaper than storing
// results.
base::Array<BasisState> find_representatives(const BasisStates& words, const SymmetrySector& sector,
                                             const base::Backend& device) {
  constexpr Index kMostParts = INT32_MAX;  // limit of a grid
  const Index parts = parts_of(words);
  if (parts > kMostParts)
    base::fail(base::ErrorKind::resources, words.count(), " words are more than can be tried");
  const WordTables tables(words, sector, device);
  base::Array<Index> begins(device, parts + 1, "parts of all words");
  launch<false>(words, tables, begins, nullptr);
  base::Array<Index> sums = begins.to(device.host());
  sums[0] = 0;
  for (Index part = 0; part < parts; ++part) sums[part + 1] += sums[part];
  begins = sums.to(device);
  base::Array<BasisState> found(device, sums[parts], kFound);
  launch<true>(words, tables, begins, found.data());
  return found.to(device.host());
}

}  // namespace cisolve::ci::cuda
