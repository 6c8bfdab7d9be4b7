#pragma once

#include "ci/fock/strings/string.hpp"
#include "ci/properties/single_excitations.hpp"

// Views of a space for kernels.
namespace cisolve::ci::cuda {

using base::Index;

/// Position of a number in an ascending list; -1: absent.
__device__ inline Index place_in(const StringNumber* list, Index size, StringNumber number) {
  Index begin = 0;
  for (Index end = size; begin < end;) {
    const Index middle = (begin + end) / 2;
    if (list[middle] < number)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin < size && list[begin] == number ? begin : -1;
}

/// The determinants: the list of beta strings of each alpha string.
struct SpaceView {
  int orbitals = 0;
  Index alphas = 0;
  Index betas = 0;
  const Index* first_row = nullptr;  // alphas + 1
  const Index* others_at = nullptr;  // start of each alpha string's list in `others`
  const StringNumber* others = nullptr;
  const Index* places_at = nullptr;  // start of the positions for each alpha string's list
  /// Position of each beta string in each list, -1: absent; null: search.
  const StringNumber* places = nullptr;

  __device__ Index betas_of(Index alpha) const { return first_row[alpha + 1] - first_row[alpha]; }
  __device__ const StringNumber* list_of(Index alpha) const { return others + others_at[alpha]; }

  /// Position of a beta string in an alpha string's list; -1: absent.
  __device__ Index place(Index alpha, StringNumber beta) const {
    const Index size = betas_of(alpha);
    if (size == betas) return beta;
    if (places != nullptr) return places[places_at[alpha] + beta];
    return place_in(list_of(alpha), size, beta);
  }
};

/// The strings of the other spin for each string of one spin, and the lines in a vector sorted by
/// it.
struct LinesView {
  Index all = 0;  // strings of the other spin
  const Index* first = nullptr;
  const Index* others_at = nullptr;
  const StringNumber* others = nullptr;

  __device__ Index size(Index string) const { return first[string + 1] - first[string]; }
  __device__ const StringNumber* list_of(Index string) const { return others + others_at[string]; }
};

/// Excitations of each string; or of each list and string, into that list.
struct ExcitationsView {
  const Index* offsets = nullptr;
  const SingleExcitation* moves = nullptr;

  __device__ const SingleExcitation* begin(Index string) const { return moves + offsets[string]; }
  __device__ int count(Index string) const {
    return static_cast<int>(offsets[string + 1] - offsets[string]);
  }
};

}  // namespace cisolve::ci::cuda
