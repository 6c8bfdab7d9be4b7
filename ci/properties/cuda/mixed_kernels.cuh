#pragma once

#include "base/device.hpp"
#include "base/error.hpp"
#include "ci/properties/cuda/overlap_kernels.cuh"
#include "ci/properties/mixed_density.hpp"

// The two-particle density of an alpha and a beta electron.
namespace cisolve::ci::cuda {

/// Excitations of alpha electrons between the same two orbitals: the work of a block.
struct MovePiece {
  Index first;
  Index last;
  Index row;  // p and q, as a row of the density
};

/// Sums as integers in units of 1 / scale, so that they do not depend on the order of additions.
/// Each is kept in two 32-bit halves, for which shared memory has fast atomics.
class ExactSums {
 public:
  __device__ ExactSums(unsigned* words, Index size, double scale)
      : low_(words), high_(words + size), size_(size), scale_(scale) {
    for (Index i = threadIdx.x; i < 2 * size; i += blockDim.x) words[i] = 0;
    __syncthreads();
  }

  __device__ void add(Index at, double value) const {
    const auto units = static_cast<unsigned long long>(__double2ll_rn(value * scale_));
    const auto low = static_cast<unsigned>(units);
    const unsigned before = atomicAdd(low_ + at, low);
    const unsigned high = static_cast<unsigned>(units >> 32) + (before + low < before ? 1U : 0U);
    if (high != 0) atomicAdd(high_ + at, high);
  }

  /// Adds this block's sums to the global ones.
  __device__ void hand_on(unsigned long long* sums) const {
    __syncthreads();
    for (Index i = threadIdx.x; i < size_; i += blockDim.x) {
      const unsigned long long sum = static_cast<unsigned long long>(high_[i]) << 32 | low_[i];
      if (sum != 0) atomicAdd(sums + i, sum);
    }
  }

 private:
  unsigned* low_;
  unsigned* high_;
  Index size_;
  double scale_;
};

/// A block's sums, over two beta orbitals, must fit in its shared memory.
inline void require_shared_sums(const base::cuda::DeviceInfo& device, int orbitals) {
  const Index bytes = 2 * Index{sizeof(unsigned)} * orbitals * orbitals;
  if (bytes > device.shared_bytes)
    throw base::DeviceMemoryError(
        base::concat("a two-particle density over ", orbitals, " orbitals takes ", bytes,
                     " bytes of a multiprocessor, which has ", device.shared_bytes));
}

/// Contributions of beta excitations; each warp takes rows of the ket's alpha string. With
/// `in_lists`, excitations are those of ListExcitations, otherwise of SingleExcitations.
class BetaSums {
 public:
  __device__ BetaSums(const SpaceView& space, const ExcitationsView& moves, bool in_lists,
                      const std::uint8_t* occupied, int electrons, const double* x,
                      const ExactSums& sums)
      : space_(space),
        moves_(moves),
        in_lists_(in_lists),
        occupied_(occupied),
        electrons_(electrons),
        x_(x),
        sums_(sums) {}

  __device__ void add(const AlphaExcitation& alpha) const {
    const double* ket = x_ + space_.first_row[alpha.ket];
    const StringNumber* betas = space_.list_of(alpha.ket);
    for (Index i = threadIdx.x / 32; i < space_.betas_of(alpha.ket); i += blockDim.x / 32) {
      const double factor = alpha.sign * ket[i];
      if (factor == 0) continue;
      add_staying(alpha.bra, betas[i], factor);
      if (in_lists_)
        add_listed(alpha.bra, betas[i], factor);
      else if (moves_.count(betas[i]) <= space_.betas_of(alpha.bra))
        add_moves(alpha.bra, betas[i], factor);
      else
        add_bra_strings(alpha.bra, betas[i], factor);
    }
  }

 private:
  static __device__ int lane() { return static_cast<int>(threadIdx.x) % 32; }

  /// Electrons of the beta string that stay.
  __device__ void add_staying(Index bra, StringNumber beta, double factor) const {
    const Index place = space_.place(bra, beta);
    if (place < 0) return;
    const double value = factor * x_[space_.first_row[bra] + place];
    for (int i = lane(); i < electrons_; i += 32) {
      const Index r = occupied_[Index{beta} * electrons_ + i];
      sums_.add(r * space_.orbitals + r, value);
    }
  }

  __device__ void add(Index row, const SingleExcitation& move, double factor) const {
    const double value = factor * x_[row];
    sums_.add(Index{move.to} * space_.orbitals + move.from, move.odd ? -value : value);
  }

  __device__ void add_listed(Index bra, StringNumber beta, double factor) const {
    const Index at = space_.places_at[bra] + beta;
    const SingleExcitation* moves = moves_.begin(at);
    for (int m = lane(); m < moves_.count(at); m += 32)
      add(space_.first_row[bra] + moves[m].target, moves[m], factor);
  }

  __device__ void add_moves(Index bra, StringNumber beta, double factor) const {
    const SingleExcitation* moves = moves_.begin(beta);
    for (int m = lane(); m < moves_.count(beta); m += 32) {
      const Index place = space_.place(bra, moves[m].target);
      if (place >= 0) add(space_.first_row[bra] + place, moves[m], factor);
    }
  }

  /// Looks up the bra's beta strings, which are fewer, among the excitations.
  __device__ void add_bra_strings(Index bra, StringNumber beta, double factor) const {
    const StringNumber* betas_of_bra = space_.list_of(bra);
    const SingleExcitation* moves = moves_.begin(beta);
    const int count = moves_.count(beta);
    for (Index j = lane(); j < space_.betas_of(bra); j += 32) {
      int begin = 0;
      for (int end = count; begin < end;) {
        const int middle = (begin + end) / 2;
        if (moves[middle].target < betas_of_bra[j])
          begin = middle + 1;
        else
          end = middle;
      }
      if (begin < count && moves[begin].target == betas_of_bra[j])
        add(space_.first_row[bra] + j, moves[begin], factor);
    }
  }

  const SpaceView& space_;
  const ExcitationsView& moves_;
  bool in_lists_;
  const std::uint8_t* occupied_;
  int electrons_;
  const double* x_;
  const ExactSums& sums_;
};

/// sums[row of the piece][r][s] of all pieces, in units of 1 / scale.
__global__ void __launch_bounds__(kThreads)
    add_mixed(const SpaceView space, const ExcitationsView moves, bool in_lists,
              const std::uint8_t* occupied, int electrons, const MovePiece* pieces,
              const AlphaExcitation* alphas, const double* x, double scale,
              unsigned long long* sums) {
  extern __shared__ unsigned words[];
  const Index size = Index{space.orbitals} * space.orbitals;
  const MovePiece piece = pieces[blockIdx.x];
  const ExactSums here(words, size, scale);
  const BetaSums betas(space, moves, in_lists, occupied, electrons, x, here);
  for (Index m = piece.first; m < piece.last; ++m) betas.add(alphas[m]);
  here.hand_on(sums + piece.row * size);
}

}  // namespace cisolve::ci::cuda
