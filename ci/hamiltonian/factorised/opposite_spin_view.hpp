#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "ci/hamiltonian/rows/connections.hpp"

namespace cisolve::ci {

inline constexpr int kChunk = 64;  // source beta strings processed at once: columns of g
inline constexpr int kLanes = 32;  // targets in a slice

/// Stride between rows of g. The padding avoids bank conflicts of threads that write pairs; element
/// kChunk of the first row is a zero, which padding entries read.
inline constexpr int kRowStride = kChunk + 8;

/// An element of g within a chunk, and the sign with which it is added to a target.
struct ScatterEntry {
  static constexpr Index kMostRows = 32'768 / kRowStride;

  std::uint16_t code = kChunk << 1;  // padding: the zero

  static ScatterEntry of(Index row, Index column, bool odd) {
    return {static_cast<std::uint16_t>((row * kRowStride + column) << 1 | (odd ? 1 : 0))};
  }
  CISOLVE_HOST_DEVICE int place() const { return code >> 1; }
  CISOLVE_HOST_DEVICE bool is_odd() const { return (code & 1) != 0; }
};

/// A target beta string of a chunk and its first entry.
struct ScatterTarget {
  static constexpr Index kMostTargets =
      65'535;  // strings of a list; one past the last is the dummy target

  std::uint32_t code;

  static ScatterTarget of(Index target, ScatterEntry move) {
    return {static_cast<std::uint32_t>(target << 16 | move.code)};
  }
  CISOLVE_HOST_DEVICE int target() const { return static_cast<int>(code >> 16); }
  CISOLVE_HOST_DEVICE ScatterEntry move() const { return {static_cast<std::uint16_t>(code)}; }
};

/// The scatter of a chunk's columns of g as one array of words that a kernel can copy:
///   words 0, 1   slices of 32 targets; the number `deep` of them with more than one entry a target
///   deep + 1     offsets of the further entries of each deep slice
///   32 slices    heads: a target and its first entry (ScatterTarget)
///   the rest     further entries (16 bits each): the k-th of all 32 lanes, then the next
/// Targets with the most entries come first. The last slice is padded with the dummy target.
class ScatterChunk {
 public:
  CISOLVE_HOST_DEVICE explicit ScatterChunk(const std::uint32_t* first)
      : slices_(static_cast<int>(first[0])),
        deep_(static_cast<int>(first[1])),
        begins_(first + 2),
        heads_(begins_ + deep_ + 1),
        others_(reinterpret_cast<const ScatterEntry*>(heads_ + Index{slices_} * kLanes)) {}

  CISOLVE_HOST_DEVICE int slices() const { return slices_; }
  CISOLVE_HOST_DEVICE ScatterTarget head(int slice, int lane) const {
    return {heads_[slice * kLanes + lane]};
  }
  /// Slices 0 to deep() - 1 have further entries: begin(slice) to end(slice) of each lane.
  CISOLVE_HOST_DEVICE int deep() const { return deep_; }
  CISOLVE_HOST_DEVICE int begin(int slice) const { return static_cast<int>(begins_[slice]); }
  CISOLVE_HOST_DEVICE int end(int slice) const { return static_cast<int>(begins_[slice + 1]); }
  CISOLVE_HOST_DEVICE ScatterEntry other(int k, int lane) const {
    return others_[k * kLanes + lane];
  }

 private:
  int slices_;
  int deep_;
  const std::uint32_t* begins_;
  const std::uint32_t* heads_;
  const ScatterEntry* others_;
};

/// Tables of the opposite-spin part, sigma_mixed (sigma_3 of Olsen et al. 1988), as a kernel sees
/// them.
///
/// Each alpha string has groups of sources: its single excitations a' whose orbital pairs have
/// integrals with the same rows of g. The string itself, whose electrons all stay, is a source,
/// too. A row of g is a pair rs of beta orbitals (an excitation) or one orbital (an electron
/// that stays). The scatter of g from one list of beta strings to another is the same for all
/// groups with these lists and rows: it is stored once, in a table, by chunks of source columns.
struct OppositeSpinView {
  struct Source {
    Index first;  // row of its first determinant in x
    Column code;  // the SignedPair of the excitation, or Connection::kSelf
    Column half;  // 2 * |{b in its list: b < a'}|, + 1 if a' itself is in the list

    /// multiply_half() reads x(a', b) for b < a' and half of x(a', a'): the columns read whole, and
    /// those read at all; the last is halved if reach() > whole().
    CISOLVE_HOST_DEVICE Index whole() const { return half / 2; }
    CISOLVE_HOST_DEVICE Index reach() const { return (half + 1) / 2; }
  };
  struct Group {
    Index first_source;
    int sources;  // ascending by reach()
    Column table;
  };
  struct Table {
    Index first_row;    // among `rows`
    int rows;           // rows of g
    Index columns;      // strings of the source list
    Index first_chunk;  // among `chunks`
  };

  Index alphas;
  int orbitals;
  int beta_electrons;
  Index beta_pairs;
  const Index* first_row;     // alphas + 1
  const Index* first_member;  // start of each alpha string's list in `members`
  const Column* members;      // beta strings of all lists
  const Index* first_group;   // alphas + 1
  const Group* groups;
  const Source* sources;
  const Table* tables;
  const Column* rows;          // a beta pair, or -1 - q for an orbital q
  const Index* chunks;         // first word of each, and the end
  const std::uint32_t* words;  // ScatterChunks, each padded to a multiple of 16 bytes
  const double* mixed;         // (pq|rs), alpha pairs x beta pairs
  const double* on_alpha;      // (pq|kk), alpha pairs x orbitals
  const double* from_alpha;    // sum_k (rs|kk) over alpha electrons k, alphas x beta pairs
  const double* coulomb;       // sum_k (qq|kk) over alpha electrons k, alphas x orbitals
  const double* alpha_energy;  // energies of alpha strings, with the core energy
  const double* beta_energy;
  const std::uint8_t* beta_occupied;

  /// The factor of a source's coefficients C(a', b') in a row of g; `row` is an element of `rows`.
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
