#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "ci/hamiltonian/connections.hpp"

namespace cisolve::ci {

inline constexpr int kChunk = 64;  // beta strings that are worked on at once
inline constexpr int kLanes = 32;  // targets of a slice of moves

/// Row m of g at column c of a chunk, with the sign by which it is added to a target.
struct ChunkMove {
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr Index kMostRows = 511;

  std::uint16_t code = kNone;

  static ChunkMove of(Index row, Index column, bool odd) {
    return {static_cast<std::uint16_t>(row << 7 | column << 1 | (odd ? 1 : 0))};
  }
  CISOLVE_HOST_DEVICE bool is_there() const { return code != kNone; }
  CISOLVE_HOST_DEVICE int row() const { return code >> 7; }
  CISOLVE_HOST_DEVICE int column() const { return code >> 1 & (kChunk - 1); }
  CISOLVE_HOST_DEVICE bool is_odd() const { return (code & 1) != 0; }
};

/// What electrons of both spins do together, as a kernel sees it.
///
/// Each alpha string has groups of sources: alpha strings that it is a single away from, and
/// perhaps itself, whose pairs of orbitals have integrals with the same rows of g. Rows are pairs
/// of beta orbitals, between which an electron moves, and single orbitals, in which one stands; how
/// the beta strings of a list add rows of g to those of another is the same for all groups with
/// these lists and rows: it stands in a table. Its moves are sorted by the chunk of columns that
/// they take from; those of a chunk are slices of 32 targets, the ones with most moves first.
struct CouplingsView {
  struct Source {
    Index first;  // row of its first determinant
    Column code;  // the SignedPair by which it is left, or Connection::kSelf
  };
  struct Group {
    Index first_source;
    int sources;
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
  Index beta_pairs;
  const Index* first_row;    // of each alpha string, and the end
  const Index* first_group;  // of each alpha string, and the end
  const Group* groups;
  const Source* sources;
  const Table* tables;
  const Column* rows;        // a beta pair, or -1 - q of an orbital q
  const Index* chunks;       // the first slice of each chunk, and the end
  const Index* slices;       // the first move of each slice, and the end
  const Column* targets;     // 32 of each slice, ascending by -1 where there are fewer
  const ChunkMove* moves;    // move k of lane l at slices[s] + 32 k + l
  const double* mixed;       // alpha pairs x beta pairs
  const double* on_alpha;    // alpha pairs x orbitals
  const double* from_alpha;  // alphas x beta pairs: what an alpha string adds to a beta single
  const double* coulomb;     // alphas x orbitals: of its electrons with one in the orbital

  /// By what row `row` of a group's g contains a source.
  CISOLVE_HOST_DEVICE double weight(Index alpha, const Source& source, Column row) const {
    if (source.code == Connection::kSelf)
      return row >= 0 ? from_alpha[alpha * beta_pairs + row] : coulomb[alpha * orbitals - 1 - row];
    const SignedPair by{source.code};
    return by.sign() * (row >= 0 ? mixed[by.pair() * beta_pairs + row]
                                 : on_alpha[by.pair() * orbitals - 1 - row]);
  }
};

}  // namespace cisolve::ci
