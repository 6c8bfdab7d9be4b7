#pragma once

#include "ci/properties/cuda/state_tables.cuh"
#include "ci/properties/string_pairs.hpp"

// Inner products of the lines of a vector; a line is the coefficients with one string.
namespace cisolve::ci::cuda {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

/// Sorts a vector by beta strings, one block for each.
__global__ void __launch_bounds__(kThreads)
    arrange_by_betas(const SpaceView space, const LinesView lines, const double* x,
                     double* arranged) {
  const Index beta = blockIdx.x;
  const StringNumber* alphas = lines.list_of(beta);
  for (Index k = threadIdx.x; k < lines.size(beta); k += kThreads) {
    const Index alpha = alphas[k];
    arranged[lines.first[beta] + k] =
        x[space.first_row[alpha] + space.place(alpha, static_cast<StringNumber>(beta))];
  }
}

/// Sum over the lanes of a warp by halving; valid in lane 0.
__device__ inline double sum_of_lanes(double value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffffU, value, distance);
  return value;
}

/// The overlap of two lines, by a warp; valid in lane 0. If the lines do not have the same strings,
/// those of the shorter are searched in the longer.
__device__ inline double overlap_of(const LinesView& lines, const StringPair& pair,
                                    const double* bra, const double* ket) {
  const Index sizes[2] = {lines.size(pair.target), lines.size(pair.string)};
  const StringNumber* lists[2] = {lines.list_of(pair.target), lines.list_of(pair.string)};
  const double* ends[2] = {bra + lines.first[pair.target], ket + lines.first[pair.string]};
  const bool same = sizes[0] == sizes[1] && (sizes[0] == lines.all || lists[0] == lists[1]);
  const int shorter = sizes[0] <= sizes[1] ? 0 : 1;
  double sum = 0;
  for (Index k = threadIdx.x % 32; k < sizes[shorter]; k += 32) {
    const Index there =
        same ? k : place_in(lists[1 - shorter], sizes[1 - shorter], lists[shorter][k]);
    if (there >= 0) sum += ends[shorter][k] * ends[1 - shorter][there];
  }
  sum = sum_of_lanes(sum);
  return pair.odd ? -sum : sum;
}

/// One warp for each pair.
__global__ void __launch_bounds__(kThreads)
    multiply_lines(const LinesView lines, const StringPair* pairs, Index count, const double* bra,
                   const double* ket, double* values) {
  const Index number = Index{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (number >= count) return;
  const double value = overlap_of(lines, pairs[number], bra, ket);
  if (threadIdx.x % 32 == 0) values[number] = value;
}

}  // namespace cisolve::ci::cuda
