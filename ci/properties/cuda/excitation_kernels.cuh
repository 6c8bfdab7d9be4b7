#pragma once

#include "base/types.hpp"
#include "ci/fock/strings/string.hpp"

// Excited vectors of full CI on a device; thread blocks are (alpha string, what is computed), and
// threads run over beta strings.
namespace cisolve::ci::cuda {

using base::Index;

inline constexpr int kExcitationThreads = 256;

/// Sources of all strings, see sources_of().
struct SourcesView {
  const StringNumber* alpha;
  const StringNumber* beta;
  Index betas;
  Index pairs;
};

/// A value at a source of either spin, with its sign; 0 if there is none.
struct Source {
  Index at;
  double sign;

  __device__ static Source of(StringNumber number) {
    return {number == 0 ? 0 : (number < 0 ? -Index{number} : Index{number}) - 1,
            number == 0 ? 0.0 : (number < 0 ? -1.0 : 1.0)};
  }
};

/// Determinants of alpha strings from `first` on: all beta strings, or those up to the alpha string
/// with weights that make up for the rest.
struct DeterminantChunk {
  Index first;
  Index betas;
  bool by_halves;

  __host__ __device__ Index count(Index alpha) const { return by_halves ? alpha + 1 : betas; }
  __host__ __device__ Index before(Index alpha) const {
    return by_halves ? alpha * (alpha + 1) / 2 : alpha * betas;
  }
  __host__ __device__ Index offset(Index alpha) const { return before(alpha) - before(first); }
  __device__ double weight(Index alpha, Index beta) const {
    return by_halves && beta < alpha ? 2.0 : 1.0;
  }
};

/// excited[place][a][b] = E_pq|x>; grid (alphas, places).
__global__ inline void excite_vector(SourcesView sources, const double* __restrict__ x,
                                     double* __restrict__ excited) {
  const Index a = blockIdx.x;
  const Index place = blockIdx.y;
  const Index dimension = Index{gridDim.x} * sources.betas;
  const Source alpha = Source::of(sources.alpha[a * sources.pairs + place]);
  double* const to = excited + place * dimension + a * sources.betas;
  for (Index b = threadIdx.x; b < sources.betas; b += blockDim.x) {
    const Source beta = Source::of(sources.beta[b * sources.pairs + place]);
    double sum = 0;
    if (alpha.sign != 0) sum += alpha.sign * x[alpha.at * sources.betas + b];
    if (beta.sign != 0) sum += beta.sign * x[a * sources.betas + beta.at];
    to[b] = sum;
  }
}

/// rows[1 + pairs + x (x + 1) / 2 + y][determinant] = E_x E_y|x>, y <= x; grid (alphas of the
/// chunk, pairs x).
__global__ inline void excite_twice(SourcesView sources, DeterminantChunk chunk, Index dimension,
                                    const double* __restrict__ excited, Index stride,
                                    double* __restrict__ rows) {
  const Index a = chunk.first + blockIdx.x;
  const Index x = blockIdx.y;
  const Source alpha = Source::of(sources.alpha[a * sources.pairs + x]);
  double* const to = rows + (1 + sources.pairs + x * (x + 1) / 2) * stride + chunk.offset(a);
  const Index count = chunk.count(a);
  for (Index b = threadIdx.x; b < count; b += blockDim.x) {
    const Source beta = Source::of(sources.beta[b * sources.pairs + x]);
    const double* const from_alpha = excited + alpha.at * sources.betas + b;
    const double* const from_beta = excited + a * sources.betas + beta.at;
    for (Index y = 0; y <= x; ++y) {
      double sum = 0;
      if (alpha.sign != 0) sum += alpha.sign * from_alpha[y * dimension];
      if (beta.sign != 0) sum += beta.sign * from_beta[y * dimension];
      to[y * stride + b] = sum;
    }
  }
}

/// rows[i][determinant] = from[which[i]][determinant], weighted if `is_weighted`; grid (alphas of
/// the chunk, rows).
__global__ inline void gather_vectors(DeterminantChunk chunk, Index dimension, const double* from,
                                      const Index* which, bool is_weighted, Index stride,
                                      double* rows) {
  const Index a = chunk.first + blockIdx.x;
  const Index i = blockIdx.y;
  const double* const vector = from + which[i] * dimension + a * chunk.betas;
  double* const to = rows + i * stride + chunk.offset(a);
  const Index count = chunk.count(a);
  for (Index b = threadIdx.x; b < count; b += blockDim.x)
    to[b] = (is_weighted ? chunk.weight(a, b) : 1.0) * vector[b];
}

/// Weighted sum_e E_oe W_fe|x> and, `columns` later, sum_e E_eo W_fe|x> from images[e][f] =
/// W_fe|x>; grid (alphas of the chunk, columns o, f). `places`: [p][q].
__global__ inline void excite_images(SourcesView sources, DeterminantChunk chunk, Index dimension,
                                     Index orbitals, const Index* __restrict__ places,
                                     const double* __restrict__ images, Index stride,
                                     double* __restrict__ rows) {
  const Index a = chunk.first + blockIdx.x;
  const Index columns = gridDim.y;
  const Index count_f = columns / orbitals;
  const Index o = blockIdx.y / count_f;
  const Index f = blockIdx.y % count_f;
  double* const created = rows + blockIdx.y * stride + chunk.offset(a);
  double* const destroyed = created + columns * stride;
  const Index count = chunk.count(a);
  for (Index b = threadIdx.x; b < count; b += blockDim.x) {
    const auto value = [&](Index place, const double* image) {
      const Source alpha = Source::of(sources.alpha[a * sources.pairs + place]);
      const Source beta = Source::of(sources.beta[b * sources.pairs + place]);
      double sum = 0;
      if (alpha.sign != 0) sum += alpha.sign * image[alpha.at * sources.betas + b];
      if (beta.sign != 0) sum += beta.sign * image[a * sources.betas + beta.at];
      return sum;
    };
    double by_creation = 0;
    double by_destruction = 0;
    for (Index e = 0; e < orbitals; ++e) {
      const double* const image = images + (e * count_f + f) * dimension;
      by_creation += value(places[o * orbitals + e], image);
      by_destruction += value(places[e * orbitals + o], image);
    }
    const double weight = chunk.weight(a, b);
    created[b] = weight * by_creation;
    destroyed[b] = weight * by_destruction;
  }
}

}  // namespace cisolve::ci::cuda
