#pragma once

#include <span>
#include <vector>

// A model of what ranks tell each other in a product: bytes by formula, and how long they take.
namespace cisolve::job {

/// Bytes of one rank. What it gives to several counts for each of them, whoever passes it on, so
/// that all ranks together send what they receive.
struct Bytes {
  double sent = 0;
  double received = 0;
};

/// Of one rank in one product.
struct Traffic {
  Bytes gathered;         // what all others receive alike
  Bytes exchanged;        // what goes from one rank to another alone
  double operations = 0;  // that all ranks take part in, sums of a few numbers among them

  double sent() const { return gathered.sent + exchanged.sent; }
  double received() const { return gathered.received + exchanged.received; }
};
Traffic operator+(const Traffic& one, const Traffic& other);
Traffic operator*(double times, const Traffic& traffic);

/// A vector of which each rank has so many rows is made whole on all of them, piece by piece.
Traffic gather(std::span<const double> rows, int rank, double pieces);

/// Alpha strings that each rank has of those with one list of beta strings, and of those that stand
/// in that list.
struct FlippedStrings {
  std::vector<double> with_list;
  std::vector<double> in_list;
};

/// What stands in (b, a) goes to the rank of a: once, in one operation.
Traffic flip(std::span<const FlippedStrings> strings, int rank);

/// A rank fetches rows of other ranks that its elements need, and gives others what they need.
Traffic fetch(double needed, double given, int vectors);

/// Whose vectors are gathered for string matrices, one after the other, and flipped so often where
/// both spins have as many electrons; twice tells, by a sum, whether one is even or odd.
struct FlippedVectors {
  std::span<const FlippedStrings> strings = {};
  int times = 0;
  int sums = 0;
};
Traffic factorised_product(std::span<const double> rows, int rank, double pieces,
                           const FlippedVectors& flipped, int vectors);

/// Among halves of even or odd vectors, of which each rank has so many: they are gathered in so
/// many operations, and of images a rank tells others so many numbers and hears as many.
struct HalvedVectors {
  std::span<const double> halves = {};
  double pieces = 0;
  double sent = 0;
  double received = 0;
};
Traffic halved_product(const HalvedVectors& halved, int rank, int vectors);

/// Of elements that each product computes: all ranks see first whether there is room.
Traffic computed_product(std::span<const double> rows, int rank, double pieces, int vectors);

/// Beside a product among functions of a spin: each rank makes whole vectors of functions ones of
/// determinants, and their images functions again. All see first whether there is room.
struct ChangedVectors {
  std::span<const double> functions;  // of each rank
  double pieces_of_functions = 0;
  std::span<const double> determinants;
  double pieces = 0;
};
Traffic changes(const ChangedVectors& changed, int rank, int vectors);

/// How ranks reach each other.
struct Network {
  int ranks = 1;
  int on_node = 8;        // ranks
  double link = 4e9;      // bytes a second of a rank, either way, to others of its node
  double network = 5e9;   // and to those of other nodes
  double latency = 2e-5;  // seconds of an operation
  bool apart = false;     // each rank sends what all gather to each of the others by itself

  /// What is built in for ranks with a GPU each: NVLink as it was measured between two H200, and
  /// InfiniBand of 400 Gb/s for each. Ranks of a host are as above.
  static Network of_devices(int ranks);

  /// How much of what a rank exchanges goes to other nodes.
  double far_share() const;
  /// What all receive alike enters a node once, by all its ways to others, unless each rank sends
  /// it to each.
  double seconds(const Traffic& traffic) const;
};

}  // namespace cisolve::job
