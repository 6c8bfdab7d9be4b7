#pragma once

#include <vector>

#include "base/ranks/vector_exchange.hpp"
#include "ci/hamiltonian/parity/swap_exchange.hpp"

namespace cisolve::ci::cuda {

/// Exchanges elements between the devices of ranks for the alpha-beta swap P; see SwapExchange.
class DeviceSwapExchange {
 public:
  /// `vectors` must outlive it.
  DeviceSwapExchange(const base::VectorExchange& vectors, SwapRoutes routes);

  /// Elements of device workspace that an exchange needs.
  Index buffer_size() const { return 2 * routes_.rows(); }

  /// Exchanges P x into the workspace; each rank has its own rows of x. Collective, as are the
  /// functions that follow.
  void fetch(const double* x, double* buffer) const;

  // Both use the vector last fetched.
  ParityNorms norms_of(const double* x, const double* buffer) const;
  /// y = factor (y +- P y).
  void add_swapped(Parity parity, double factor, double* y, const double* buffer) const;

  Index bytes() const;

 private:
  /// SwapRoutes::Strings in the device's memory.
  struct Strings {
    base::Array<Index> columns;   // rank by rank
    std::vector<Index> begin_of;  // ranks + 1
    base::Array<Index> places;
  };

  /// Calls visit(received, offset) for each sender of each route.
  template <class Visit>
  void for_each_route(Visit visit) const;

  const base::VectorExchange& vectors_;
  SwapRoutes routes_;
  std::vector<Strings> strings_;
  mutable base::Array<ParityNorms> partial_;
};

}  // namespace cisolve::ci::cuda
