#include "ci/hamiltonian/factorised/host_kernels.hpp"

namespace cisolve::ci {
namespace {

// Sums of a tile or strip stay in registers. AVX-512: 16 packs in 16 of 32 registers. AVX2: 4
// packs, two registers each, in 8 of 16.
#ifdef __AVX512F__
constexpr int kTileRows = 4;
constexpr int kPartPacks = 4;  // packs per part, out of a panel's kPanelPacks
#else
constexpr int kTileRows = 1;
constexpr int kPartPacks = 1;
#endif
constexpr double kSigns[] = {1, -1};  // sign of an even entry, sign of an odd entry

// Inlined, so that it is compiled for the processor of its caller.
template <int kRows>
[[gnu::always_inline]] inline void multiply_tile(const Pack* w, SourceRange sources, const Pack* b,
                                                 Pack* g) {
  Pack::Lanes sums[kRows][kTileColumns] = {};
  for (Index k = sources.first; k < sources.total; ++k)
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kTileColumns; ++j)
        sums[i][j] += w[i * sources.total + k].of * b[k * kTileColumns + j].of;
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kTileColumns; ++j) g[i * kRowStride + j].of = sums[i][j];
}

[[gnu::always_inline]] inline void multiply_strip(const SameSpinStrips& a, Index strip,
                                                  const Pack* x, Pack* y) {
  Pack::Lanes sums[SameSpinStrips::kRows][kPartPacks] = {};
  for (Index k = a.begin(strip); k < a.end(strip); ++k) {
    const double* values = a.values(k);
    const Pack* from = x + Index{a.column(k)} * kPanelPacks;
    for (int i = 0; i < SameSpinStrips::kRows; ++i)
      for (int j = 0; j < kPartPacks; ++j) sums[i][j] += values[i] * from[j].of;
  }
  for (int i = 0; i < SameSpinStrips::kRows; ++i)
    for (int j = 0; j < kPartPacks; ++j)
      y[(strip * SameSpinStrips::kRows + i) * kPanelPacks + j].of = sums[i][j];
}

[[gnu::always_inline]] inline void add(ScatterEntry move, const Pack* g, Pack::Lanes& sum) {
  sum += kSigns[move.is_odd()] * g[move.place()].of;
}

}  // namespace

CISOLVE_FOR_NEWER_PROCESSORS
void multiply_chunk(const Pack* w, Index rows, SourceRange sources, const Pack* b, Index columns,
                    Pack* g) {
  Index row = 0;
  for (; row + kTileRows <= rows; row += kTileRows)
    for (Index j = 0; j < columns; j += kTileColumns)
      multiply_tile<kTileRows>(w + row * sources.total, sources, b + j * sources.total,
                               g + row * kRowStride + j);
  for (; row < rows; ++row)
    for (Index j = 0; j < columns; j += kTileColumns)
      multiply_tile<1>(w + row * sources.total, sources, b + j * sources.total,
                       g + row * kRowStride + j);
}

CISOLVE_FOR_NEWER_PROCESSORS
void add_moves(const ScatterChunk& moves, const Pack* g, Pack* sums) {
  for (int slice = 0; slice < moves.slices(); ++slice) {
    const int begin = slice < moves.deep() ? moves.begin(slice) : 0;
    const int end = slice < moves.deep() ? moves.end(slice) : 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const ScatterTarget head = moves.head(slice, lane);
      Pack::Lanes added = {};
      add(head.move(), g, added);
      for (int k = begin; k < end; ++k) add(moves.other(k, lane), g, added);
      sums[head.target()].of += added;
    }
  }
}

CISOLVE_FOR_NEWER_PROCESSORS
void multiply_panel(const SameSpinStrips& a, const Pack* x, Pack* y) {
  for (Index strip = 0; strip < a.strips(); ++strip)
    for (int part = 0; part < kPanelPacks; part += kPartPacks)
      multiply_strip(a, strip, x + part, y + part);
}

}  // namespace cisolve::ci
