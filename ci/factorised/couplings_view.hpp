#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "ci/hamiltonian/connections.hpp"

namespace cisolve::ci {

inline constexpr int kChunk = 64;  // beta strings that are worked on at once
inline constexpr int kLanes = 32;  // targets of a slice of moves

/// Numbers from a row of g to the next; behind the first kChunk of a row there is room, so that
/// threads which write pairs do not collide, and the first row has a zero there.
inline constexpr int kRowStride = kChunk + 8;

/// An element of g within a chunk, with the sign by which it is added to a target.
struct ChunkMove {
  static constexpr Index kMostRows = 32'768 / kRowStride;

  std::uint16_t code = kChunk << 1;  // none: the zero

  static ChunkMove of(Index row, Index column, bool odd) {
    return {static_cast<std::uint16_t>((row * kRowStride + column) << 1 | (odd ? 1 : 0))};
  }
  CISOLVE_HOST_DEVICE int place() const { return code >> 1; }
  CISOLVE_HOST_DEVICE bool is_odd() const { return (code & 1) != 0; }
};

/// A target of a chunk's moves and the first one that ends at it.
struct TargetMove {
  static constexpr Index kMostTargets =
      65'535;  // of a list: the number behind the last is no target

  std::uint32_t code;

  static TargetMove of(Index target, ChunkMove move) {
    return {static_cast<std::uint32_t>(target << 16 | move.code)};
  }
  CISOLVE_HOST_DEVICE int target() const { return static_cast<int>(code >> 16); }
  CISOLVE_HOST_DEVICE ChunkMove move() const { return {static_cast<std::uint16_t>(code)}; }
};

/// The moves that take from the columns of a chunk, as one run of words that a kernel can copy:
/// how many slices of 32 targets there are, and how many have targets with more than one move;
/// where the other moves of each of these begin, and the end; all targets with their first moves;
/// and the other moves, lane by lane. Targets with most moves come first. Where a slice has fewer,
/// its last ones have no move, and end at what is no target.
class ChunkMoves {
 public:
  CISOLVE_HOST_DEVICE explicit ChunkMoves(const std::uint32_t* first)
      : slices_(static_cast<int>(first[0])),
        deep_(static_cast<int>(first[1])),
        begins_(first + 2),
        heads_(begins_ + deep_ + 1),
        others_(reinterpret_cast<const ChunkMove*>(heads_ + Index{slices_} * kLanes)) {}

  CISOLVE_HOST_DEVICE int slices() const { return slices_; }
  CISOLVE_HOST_DEVICE TargetMove head(int slice, int lane) const {
    return {heads_[slice * kLanes + lane]};
  }
  /// Slices before this one have other moves, begin(slice) to end(slice) of each lane.
  CISOLVE_HOST_DEVICE int deep() const { return deep_; }
  CISOLVE_HOST_DEVICE int begin(int slice) const { return static_cast<int>(begins_[slice]); }
  CISOLVE_HOST_DEVICE int end(int slice) const { return static_cast<int>(begins_[slice + 1]); }
  CISOLVE_HOST_DEVICE ChunkMove other(int k, int lane) const { return others_[k * kLanes + lane]; }

 private:
  int slices_;
  int deep_;
  const std::uint32_t* begins_;
  const std::uint32_t* heads_;
  const ChunkMove* others_;
};

/// What electrons of both spins do together, as a kernel sees it.
///
/// Each alpha string has groups of sources: alpha strings that it is a single away from, and
/// perhaps itself, whose pairs of orbitals have integrals with the same rows of g. Rows are pairs
/// of beta orbitals, between which an electron moves, and single orbitals, in which one stands; how
/// the beta strings of a list add rows of g to those of another is the same for all groups with
/// these lists and rows: it stands in a table, chunk by chunk of the columns that it takes from.
struct CouplingsView {
  struct Source {
    Index first;  // row of its first determinant
    Column code;  // the SignedPair by which it is left, or Connection::kSelf
    Column
        half;  // twice the beta strings of its row before its own string, one more if that is there

    /// Of a vector that is even or odd under the exchange of spins: columns that are taken whole,
    /// and those of which anything is, the last of these by half where there is one more.
    CISOLVE_HOST_DEVICE Index whole() const { return half / 2; }
    CISOLVE_HOST_DEVICE Index reach() const { return (half + 1) / 2; }
  };
  struct Group {
    Index first_source;
    int sources;  // those that reach least first
    Column table;
  };
  struct Table {
    Index first_row;    // among `rows`
    int rows;           // of g
    Index columns;      // strings of the list that moves come from
    Index first_chunk;  // among `chunks`
  };

  Index alphas;
  int orbitals;
  int beta_electrons;
  Index beta_pairs;
  const Index* first_row;     // of each alpha string, and the end
  const Index* first_member;  // of the list of each alpha string
  const Column* members;      // beta strings of all lists
  const Index* first_group;   // of each alpha string, and the end
  const Group* groups;
  const Source* sources;
  const Table* tables;
  const Column* rows;          // a beta pair, or -1 - q of an orbital q
  const Index* chunks;         // first word of each, and the end
  const std::uint32_t* words;  // of ChunkMoves, each run a multiple of 16 bytes
  const double* mixed;         // alpha pairs x beta pairs
  const double* on_alpha;      // alpha pairs x orbitals
  const double* from_alpha;    // alphas x beta pairs: what alpha electrons add to a single
  const double* coulomb;       // alphas x orbitals: of its electrons with one in the orbital
  const double* alpha_energy;  // with the core energy
  const double* beta_energy;
  const std::uint8_t* beta_occupied;

  /// By what row `row` of a group's g contains a source.
  CISOLVE_HOST_DEVICE double weight(Index alpha, const Source& source, Column row) const {
    if (source.code == Connection::kSelf)
      return row >= 0 ? from_alpha[alpha * beta_pairs + row] : coulomb[alpha * orbitals - 1 - row];
    const SignedPair by{source.code};
    return by.sign() * (row >= 0 ? mixed[by.pair() * beta_pairs + row]
                                 : on_alpha[by.pair() * orbitals - 1 - row]);
  }

  CISOLVE_HOST_DEVICE double diagonal(Index alpha, Index place) const {
    const Index beta = members[first_member[alpha] + place];
    double value = alpha_energy[alpha] + beta_energy[beta];
    const std::uint8_t* q = beta_occupied + beta * beta_electrons;
    for (int i = 0; i < beta_electrons; ++i) value += coulomb[alpha * orbitals + q[i]];
    return value;
  }
};

}  // namespace cisolve::ci
