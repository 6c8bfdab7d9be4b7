#pragma once

#include "ci/properties/cuda/overlap_kernels.cuh"

// S^2 and the irreps of determinants.
namespace cisolve::ci::cuda {

struct StringsView {
  const String* alphas;
  const String* betas;
};

__device__ inline bool has(const String& string, int p) {
  return (string.words()[p / 64] >> (p % 64) & 1) != 0;
}

/// Word w of a string after an excitation.
__device__ inline std::uint64_t moved_word(const String& string, int from, int to, int w) {
  std::uint64_t word = string.words()[w];
  if (from / 64 == w) word ^= std::uint64_t{1} << (from % 64);
  if (to / 64 == w) word ^= std::uint64_t{1} << (to % 64);
  return word;
}

/// Number of the beta string that an excitation leads to; -1: not in the space.
__device__ inline StringNumber find_moved(const String* strings, Index count, Index string,
                                          int from, int to) {
  std::uint64_t target[String::kWords];
  for (int w = 0; w < String::kWords; ++w) target[w] = moved_word(strings[string], from, to, w);
  Index begin = 0;
  for (Index end = count; begin < end;) {
    const Index middle = (begin + end) / 2;
    bool below = false;
    for (int w = String::kWords - 1; w >= 0; --w) {
      const std::uint64_t word = strings[middle].words()[w];
      if (word == target[w]) continue;
      below = word < target[w];
      break;
    }
    if (below)
      begin = middle + 1;
    else
      end = middle;
  }
  if (begin == count) return -1;
  for (int w = 0; w < String::kWords; ++w)
    if (strings[begin].words()[w] != target[w]) return -1;
  return static_cast<StringNumber>(begin);
}

/// Whether the number of electrons between two orbitals is odd.
__device__ inline bool is_odd_between(const String& string, int p, int q) {
  const int low = min(p, q) + 1;
  const int high = max(p, q);
  int count = 0;
  for (int w = low / 64; w <= (high - 1) / 64 && low < high; ++w) {
    std::uint64_t word = string.words()[w];
    if (w == low / 64) word &= ~std::uint64_t{0} << (low % 64);
    if (w == high / 64) word &= (std::uint64_t{1} << (high % 64)) - 1;
    count += __popcll(word);
  }
  return (count & 1) != 0;
}

/// Number of orbitals of `a` that `b` lacks.
__device__ inline int excess(const String& a, const String& b) {
  int count = 0;
  for (int w = 0; w < String::kWords; ++w) count += __popcll(a.words()[w] & ~b.words()[w]);
  return count;
}

/// y = S^2 x, one warp for each determinant; its lanes exchange different pairs of open shells.
__global__ void __launch_bounds__(kThreads)
    square_spin(const SpaceView space, const StringsView strings, const ExcitationsView alpha_moves,
                double ms, Index rows, const double* x, double* y) {
  const Index row = Index{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= rows) return;
  Index alpha = 0;
  for (Index end = space.alphas; end - alpha > 1;) {
    const Index middle = (alpha + end) / 2;
    (space.first_row[middle] <= row ? alpha : end) = middle;
  }
  const StringNumber beta = space.list_of(alpha)[row - space.first_row[alpha]];
  const String& up = strings.alphas[alpha];
  const String& down = strings.betas[beta];
  const SingleExcitation* moves = alpha_moves.begin(alpha);
  double sum = 0;
  for (int m = static_cast<int>(threadIdx.x) % 32; m < alpha_moves.count(alpha); m += 32) {
    const SingleExcitation move = moves[m];  // the beta electron moves in reverse
    if (!has(down, move.to) || has(down, move.from)) continue;
    const StringNumber partner = find_moved(strings.betas, space.betas, beta, move.to, move.from);
    if (partner < 0) continue;
    const Index place = space.place(move.target, partner);
    if (place < 0) continue;
    const double value = x[space.first_row[move.target] + place];
    sum += move.odd != is_odd_between(down, move.from, move.to) ? value : -value;
  }
  sum = sum_of_lanes(sum);
  if (threadIdx.x % 32 == 0) y[row] = (ms * (ms + 1) + excess(down, up)) * x[row] + sum;
}

constexpr int kStringsInPart = 8192;  // strings whose sums fit in shared memory
constexpr int kThreadsOfPart = 512;

/// y = S^2 x, one block for each alpha string and part of the beta strings: for one alpha
/// excitation after another, all beta strings with the reverse one. The order of each sum is that
/// of the excitations.
__global__ void __launch_bounds__(kThreadsOfPart)
    square_spin_in_strides(const SpaceView space, const StringsView strings,
                           const ExcitationsView alpha_moves, const SpinExchangeView exchanges,
                           double ms, const double* x, double* y) {
  extern __shared__ double sums[];
  const Index alpha = blockIdx.x / exchanges.parts;
  const Index part = blockIdx.x % exchanges.parts;
  const Index first = part * exchanges.strings_in_part;
  const int count = static_cast<int>(min(exchanges.strings_in_part, space.betas - first));
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < count; i += kThreadsOfPart) sums[i] = 0;
  const SingleExcitation* moves = alpha_moves.begin(alpha);
  for (int m = 0; m < alpha_moves.count(alpha); ++m) {
    __syncthreads();
    const SingleExcitation move = moves[m];
    const double* row = x + space.first_row[move.target];
    const Index end = exchanges.end(move.to, move.from, part);
    for (Index e = exchanges.begin(move.to, move.from, part) + thread; e < end;
         e += kThreadsOfPart) {
      const SpinExchange exchange = exchanges.exchanges[e];
      const Index place = space.place(move.target, exchange.target());
      if (place < 0) continue;
      const double value = row[place];
      sums[exchange.string - first] += move.odd != exchange.odd() ? value : -value;
    }
  }
  __syncthreads();
  const String& up = strings.alphas[alpha];
  for (int i = thread; i < count; i += kThreadsOfPart) {
    const Index place = space.place(alpha, static_cast<StringNumber>(first + i));
    if (place < 0) continue;
    const Index here = space.first_row[alpha] + place;
    y[here] = (ms * (ms + 1) + excess(strings.betas[first + i], up)) * x[here] + sums[i];
  }
}

/// y = (label of the alpha string ^ label of the beta string) x, one block for each alpha string.
__global__ void __launch_bounds__(kThreads)
    multiply_labels(const SpaceView space, const std::int8_t* alpha_labels,
                    const std::int8_t* beta_labels, const double* x, double* y) {
  const Index alpha = blockIdx.x;
  const StringNumber* betas = space.list_of(alpha);
  const Index first = space.first_row[alpha];
  for (Index i = threadIdx.x; i < space.betas_of(alpha); i += kThreads)
    y[first + i] = (alpha_labels[alpha] ^ beta_labels[betas[i]]) * x[first + i];
}

}  // namespace cisolve::ci::cuda
