#pragma once

#include <vector>

#include "base/ranks/vector_exchange.hpp"
#include "ci/flip/flip_exchange.hpp"

namespace cisolve::ci::cuda {

/// As FlipExchange, between devices.
class DeviceFlipExchange {
 public:
  /// What is given must outlive it.
  DeviceFlipExchange(const base::VectorExchange& vectors, FlipWays ways);

  /// Numbers of the device's memory that an exchange takes.
  Index room() const { return 2 * ways_.rows(); }

  /// Brings the flip of x, of which each rank has its own rows, into the room. All do so together,
  /// as what is done with it.
  void fetch(const double* x, double* room) const;

  // Of the vector that was fetched.
  ParityNorms norms_of(const double* x, const double* room) const;
  /// y = factor (y + y flipped), or factor (y - y flipped).
  void add_flipped(Parity parity, double factor, double* y, const double* room) const;

  Index bytes() const;

 private:
  /// FlipWays::Strings in the device's memory.
  struct Strings {
    base::Array<Index> columns;   // those of each rank, one rank after the other
    std::vector<Index> begin_of;  // of each rank, and the end
    base::Array<Index> places;
  };

  /// visit(way, rank) of all that comes from there and goes there.
  template <class Visit>
  void for_each_way(Visit visit) const;

  const base::VectorExchange& vectors_;
  FlipWays ways_;
  std::vector<Strings> strings_;
  mutable base::Array<ParityNorms> partial_;
};

}  // namespace cisolve::ci::cuda
