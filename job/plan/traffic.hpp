#pragma once

#include <span>
#include <vector>

// A model of the communication between ranks in a product: bytes by formula, and seconds.
namespace cisolve::job {

/// Bytes of one rank. Bytes sent are counted once per receiver, whatever the route, so that the
/// sums over ranks of sent and received bytes agree.
struct RankBytes {
  double sent = 0;
  double received = 0;
};

/// Communication of one rank in one product.
struct Traffic {
  RankBytes gathered;     // bytes of an all-gather
  RankBytes exchanged;    // point to point
  double operations = 0;  // collective, reductions of a few numbers included

  double sent() const { return gathered.sent + exchanged.sent; }
  double received() const { return gathered.received + exchanged.received; }
};
Traffic operator+(const Traffic& one, const Traffic& other);
Traffic operator*(double times, const Traffic& traffic);

/// All-gather of a vector, of which rank i has rows[i], in `pieces` operations.
Traffic traffic_of_gather(std::span<const double> rows, int rank, double pieces);

/// Numbers of alpha strings on each rank: with a given list of beta strings, and contained in that
/// list.
struct FlippedStrings {
  std::vector<double> with_list;
  std::vector<double> in_list;
};

/// Alpha-beta exchange: element (b, a) goes to the rank of (a, b), once, in one operation.
Traffic traffic_of_swap(std::span<const FlippedStrings> strings, int rank);

/// Sparse product: a rank receives `needed` rows of x for its elements and sends `given` rows.
Traffic traffic_of_fetch(double needed, double given, int vectors);

/// Factorised product: vectors are gathered one after the other. With as many alpha as beta
/// electrons each has `times` alpha-beta exchanges and `sums` reductions that decide its parity.
struct SwapTraffic {
  std::span<const FlippedStrings> strings = {};
  int times = 0;
  int sums = 0;
};
Traffic traffic_of_factorised(std::span<const double> rows, int rank, double pieces,
                              const SwapTraffic& flipped, int vectors);

/// Product of even or odd vectors: rank i holds rows_by_rank[i] elements, gathered in `pieces`
/// operations; a rank sends and receives these numbers of image elements.
struct ParityTraffic {
  std::span<const double> rows_by_rank = {};
  double pieces = 0;
  double sent = 0;
  double received = 0;
};
Traffic traffic_of_parity(const ParityTraffic& parity, int rank, int vectors);

/// Product with computed elements; one reduction agrees first that all ranks have the memory.
Traffic traffic_of_computed(std::span<const double> rows, int rank, double pieces, int vectors);

/// Additional traffic of a product among configuration state functions: each rank transforms whole
/// vectors to determinants and their images back. One reduction agrees first on the memory.
struct TransformedVectors {
  std::span<const double> functions;  // number of functions on each rank
  double pieces_of_functions = 0;
  std::span<const double> determinants;
  double pieces = 0;
};
Traffic traffic_of_transforms(const TransformedVectors& changed, int rank, int vectors);

/// Interconnect of the ranks.
struct Network {
  int ranks = 1;
  int on_node = 8;        // ranks on a node
  double link = 4e9;      // bytes a second of a rank, either way, to others of its node
  double network = 5e9;   // bytes a second of a rank, either way, to ranks of other nodes
  double latency = 2e-5;  // seconds of an operation
  bool gathers_point_to_point = false;

  /// Built-in constants for ranks with one GPU each: NVLink as measured between two H200, and
  /// InfiniBand of 400 Gb/s for each. The initial values above hold for ranks on hosts.
  static Network of_devices(int ranks);

  /// Fraction of a rank's exchanged bytes that goes to other nodes.
  double internode_fraction() const;
  /// Seconds of communication. Gathered bytes enter a node once, through all its links, unless
  /// `gathers_point_to_point`.
  double seconds(const Traffic& traffic) const;
};

}  // namespace cisolve::job
