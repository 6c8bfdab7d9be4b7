#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>

#include "base/operator.hpp"
#include "ci/properties/string_pairs.hpp"

namespace cisolve::ci {

/// Overlaps, densities and S^2 of states, on the backend that holds the vectors, in canonical
/// order. Tables of the space are made once for all states.
class StateSums {
 public:
  /// `space` must outlive it.
  explicit StateSums(const Space& space) : space_(space) {}
  StateSums(const StateSums&) = delete;
  StateSums& operator=(const StateSums&) = delete;
  virtual ~StateSums() = default;

  virtual const base::Backend& backend() const = 0;

  using TakeOverlaps =
      std::function<void(std::span<const StringPair>, std::span<const double> values)>;
  /// Computes for each pair, in order, the sum over the other spin's strings of bra(target, other)
  /// * ket(string, other), with the sign of the excitation.
  virtual void overlaps(Spin spin, const StringPairs& pairs, const double* bra, const double* ket,
                        const TakeOverlaps& take) const = 0;

  /// Adds <x| a+_p a_q |x> of one spin, n x n numbers in the host's memory.
  virtual void one_density(Spin spin, const double* x, std::span<double> values) const = 0;

  /// Adds <x| a+_p a+_r a_s a_q |x> over pairs p > r and q > s of one spin, in the host's memory.
  virtual void same_spin_density(Spin spin, const double* x, std::span<double> values) const = 0;

  /// mixed[p][q][r][s] = <x| a+_p a_q a+_r a_s |x> for p >= q of alpha and r, s of beta; elements
  /// with p < q are unspecified. n^4 numbers in the host's memory, zero on entry.
  virtual void mixed_density(const double* x, std::span<double> mixed) const = 0;

  /// Whether x is even or odd, to the bit, under the exchange of alpha and beta electrons; then
  /// both spins have equal densities. False unless the space is a square: equal strings, all pairs.
  bool has_parity(const double* x) const { return is_square() && is_even_or_odd(x); }

  /// The operators of ci::SpinSquared and ci::IrrepLabels, which work on the host.
  virtual std::unique_ptr<base::LinearOperator> spin_squared() const = 0;
  virtual std::unique_ptr<base::LinearOperator> irrep_labels(std::span<const int> labels) const = 0;

  const Space& space() const { return space_; }
  /// Built on first use; shared by both spins if their strings are equal.
  const StringPairs& pairs(Spin spin, int most_moved) const;

 protected:
  /// Whether x, as a square matrix of alpha by beta strings, is symmetric or antisymmetric.
  virtual bool is_even_or_odd(const double* x) const = 0;

 private:
  bool is_square() const;

  const Space& space_;
  mutable std::array<std::unique_ptr<StringPairs>, 4> pairs_;
};

/// Sums on the host of the space.
std::unique_ptr<StateSums> state_sums(const Space& space);
/// Sums on a backend: the host, or a device, which copies the tables.
std::unique_ptr<StateSums> state_sums(const Space& space, const base::Backend& backend);

namespace cuda {
std::unique_ptr<StateSums> state_sums(const Space& space, const base::Backend& device);
}

}  // namespace cisolve::ci
