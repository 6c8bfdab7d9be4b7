#include "ci/properties/tile_products.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define CISOLVE_HAS_X86_TILES
#include <immintrin.h>
#endif

namespace cisolve::ci {
namespace {

using base::Index;

// Vectors are written as intrinsics: a function for newer processors lowers plain vector types, and
// what is inlined into it, for the oldest. Sums of a pass over the determinants stay in registers.
#ifdef CISOLVE_HAS_X86_TILES
/// Three vectors of 512 bits by six columns: 18 sums in 32 registers.
__attribute__((target("avx512f"))) void add_512(const double* a, const double* x, Index count,
                                                double* sums, Index stride) {
  __m512d added[kProductTileColumns][3];
  for (auto& of_column : added)
    for (__m512d& sum : of_column) sum = _mm512_setzero_pd();
  for (Index k = 0; k < count; ++k, a += kProductTileRows, x += kProductTileColumns) {
    const __m512d first = _mm512_loadu_pd(a);
    const __m512d second = _mm512_loadu_pd(a + 8);
    const __m512d third = _mm512_loadu_pd(a + 16);
#pragma GCC unroll 6
    for (Index column = 0; column < kProductTileColumns; ++column) {
      const __m512d factor = _mm512_set1_pd(x[column]);
      added[column][0] = _mm512_fmadd_pd(first, factor, added[column][0]);
      added[column][1] = _mm512_fmadd_pd(second, factor, added[column][1]);
      added[column][2] = _mm512_fmadd_pd(third, factor, added[column][2]);
    }
  }
#pragma GCC unroll 6
  for (Index column = 0; column < kProductTileColumns; ++column)
#pragma GCC unroll 3
    for (Index i = 0; i < 3; ++i) {
      double* const to = sums + column * stride + i * 8;
      _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), added[column][i]));
    }
}

/// Two vectors of 256 bits by six columns: 12 sums in 16 registers.
__attribute__((target("avx2,fma"))) void add_256(const double* a, const double* x, Index count,
                                                 double* sums, Index stride) {
  constexpr Index kRows = 8;
  for (Index row = 0; row < kProductTileRows; row += kRows) {
    __m256d added[kProductTileColumns][2];
    for (auto& of_column : added)
      for (__m256d& sum : of_column) sum = _mm256_setzero_pd();
    const double* rows = a + row;
    const double* columns = x;
    for (Index k = 0; k < count; ++k, rows += kProductTileRows, columns += kProductTileColumns) {
      const __m256d first = _mm256_loadu_pd(rows);
      const __m256d second = _mm256_loadu_pd(rows + 4);
#pragma GCC unroll 6
      for (Index column = 0; column < kProductTileColumns; ++column) {
        const __m256d factor = _mm256_broadcast_sd(columns + column);
        added[column][0] = _mm256_fmadd_pd(first, factor, added[column][0]);
        added[column][1] = _mm256_fmadd_pd(second, factor, added[column][1]);
      }
    }
#pragma GCC unroll 6
    for (Index column = 0; column < kProductTileColumns; ++column)
#pragma GCC unroll 2
      for (Index i = 0; i < 2; ++i) {
        double* const to = sums + column * stride + row + i * 4;
        _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), added[column][i]));
      }
  }
}
#endif

void add_plain(const double* a, const double* x, Index count, double* sums, Index stride) {
  double added[kProductTileColumns][kProductTileRows] = {};
  for (Index k = 0; k < count; ++k, a += kProductTileRows, x += kProductTileColumns)
    for (Index column = 0; column < kProductTileColumns; ++column)
      for (Index row = 0; row < kProductTileRows; ++row) added[column][row] += a[row] * x[column];
  for (Index column = 0; column < kProductTileColumns; ++column)
    for (Index row = 0; row < kProductTileRows; ++row)
      sums[column * stride + row] += added[column][row];
}

using AddTile = void (*)(const double*, const double*, Index, double*, Index);

AddTile fastest_tile() {
#ifdef CISOLVE_HAS_X86_TILES
  if (__builtin_cpu_supports("avx512f")) return add_512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return add_256;
#endif
  return add_plain;
}

}  // namespace

void add_tile_products(const double* a, const double* x, Index count, double* sums, Index stride) {
  static const AddTile add = fastest_tile();
  add(a, x, count, sums, stride);
}

}  // namespace cisolve::ci
