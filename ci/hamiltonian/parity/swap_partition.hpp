#pragma once

#include <span>
#include <vector>

#include "base/ranks/vector_exchange.hpp"
#include "ci/fock/spaces/string_partition.hpp"
#include "ci/hamiltonian/parity/alpha_beta_swap.hpp"

namespace cisolve::ci {

/// The alpha string of a row; `first_row` is that of each string.
Index string_of_row(std::span<const Index> first_row, Index row);

/// The maximum width of a block.
Index longest_list(const AlphaBetaSwapView& view);

/// The distribution of alpha strings among ranks, and the elements of an image y that ranks
/// exchange so that each can contract its own strings: y(j, i) for own strings i and strings j
/// that precede them (all j if P exchanges two lists).
class SwapPartition {
 public:
  /// Consecutive strings of a list, numbered within it, that one rank has.
  struct Run {
    int rank;
    Index begin;
    Index end;
    int phase = 0;  // phase in which their rows of an image are sent

    Index count() const { return end - begin; }
  };
  /// Elements received from another rank: its `rows` in the own `columns`, row by row.
  struct Route {
    int block;
    Run rows;
    Run columns;
    Index at;  // offset in the receive buffer
  };
  /// Consecutive elements of an image and their offset in the send buffer.
  struct SentElements {
    Index from;
    Index to;
    Index count;
  };

  /// One exchange: the first phase is in flight while rows of the second are computed. The
  /// workspace holds the send buffers of all phases, then their receive buffers.
  struct Phase {
    std::vector<Index> sent;  // elements to each rank
    std::vector<Index> received;
    Index sent_at = 0;
    Index received_at = 0;  // offset from the end of the send buffers
    Index first = 0;        // first and end of its range of sent()
    Index end = 0;
  };
  /// Two phases are used only if the receive buffer of coefficients has space for both.
  enum class Schedule { at_once, in_phases };

  /// All strings in one process.
  explicit SwapPartition(const AlphaBetaSwap& swap);
  /// `first_row` is that of each alpha string. `swap` is in the memory of the host.
  SwapPartition(const AlphaBetaSwap& swap, const StringPartition& strings,
                std::span<const Index> first_row, int rank, Schedule schedule = Schedule::at_once);

  int rank() const { return rank_; }
  int ranks() const { return layout_.ranks(); }
  /// The layout of whole vectors.
  const base::Layout& layout() const { return layout_; }
  /// First row of each string of `swap` among this rank's rows; -1 if another rank has it.
  std::span<const Index> places() const { return places_; }

  // Ascending: the alpha strings of a block, and the strings of its columns.
  std::span<const Run> alphas(int block) const { return lists_[block].alphas; }
  std::span<const Run> betas(int block) const { return lists_[block].betas; }

  std::span<const Route> routes() const { return routes_; }
  std::span<const Phase> phases() const { return phases_; }
  /// All phases, one after the other.
  std::span<const SentElements> sent() const { return sent_; }
  /// Alpha strings of this rank whose rows of an image are sent in the second phase.
  std::span<const Index> late() const { return late_; }
  /// Sends the packed elements of a phase in the workspace `workspace`; collective. Received
  /// elements follow all send buffers.
  void send_phase(const base::VectorExchange& vectors, const Phase& phase, double* workspace) const;
  /// Elements sent and received.
  Index exchanged() const { return sent_numbers() + received_numbers(); }
  Index sent_numbers() const;
  Index received_numbers() const;
  /// Coefficients of this rank, both parities together.
  Index coefficients() const { return coefficients_; }
  /// Whether the exchange fits into the receive buffer of coefficients, so that x is kept; always
  /// true with two phases.
  bool stages_exchange() const { return exchanged() <= staged_; }
  /// Staged elements for whole vectors of `rows` rows, if no string needs more.
  static Index staged_of(Index rows);
  /// Elements of the receive buffer of expand(): a separate one, or an image's memory. 0 in a
  /// single process.
  Index staged() const { return staged_; }
  Index staged_in_image() const { return staged_in_image_; }

 private:
  struct Lists {
    std::vector<Run> alphas;
    std::vector<Run> betas;
  };
  struct Pair {
    int block;
    const Run& rows;
    const Run& columns;
    Index numbers() const { return rows.count() * columns.count(); }
  };

  static std::vector<Run> runs_of(std::span<const int> ranks_of_strings);
  void distribute_strings(const AlphaBetaSwapView& view, std::span<const int> rank_of,
                          std::span<const double> work = {});
  bool fits_phases(const AlphaBetaSwapView& view) const;
  std::vector<Run> in_phases(std::span<const Run> runs, std::span<const double> work) const;
  template <class Visit>
  void for_each_pair(const AlphaBetaSwapView& view, Visit visit) const;
  void place_routes(const AlphaBetaSwapView& view);
  void place_phase(const AlphaBetaSwapView& view, int number, Phase& phase);
  void send(const AlphaBetaSwapView& view, const Pair& pair, Index at);

  int rank_ = 0;
  base::Layout layout_;
  std::vector<Index> places_;
  std::vector<Lists> lists_;  // one per block
  std::vector<Route> routes_;
  std::vector<SentElements> sent_;
  std::vector<Phase> phases_;
  std::vector<Index> late_;
  Index coefficients_ = 0;
  Index staged_ = 0;
  Index staged_in_image_ = 0;
};

}  // namespace cisolve::ci
