#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>

#include "base/operator.hpp"
#include "ci/states/string_pairs.hpp"

namespace cisolve::ci {

/// The sums over a space that describe its states, on the backend in whose memory the vectors lie,
/// in canonical order. What they need of the space is made once for all states.
class StateSums {
 public:
  explicit StateSums(const Space& space) : space_(space) {}  // which must outlive it
  StateSums(const StateSums&) = delete;
  StateSums& operator=(const StateSums&) = delete;
  virtual ~StateSums() = default;

  virtual const base::Backend& backend() const = 0;

  using TakeOverlaps =
      std::function<void(std::span<const StringPair>, std::span<const double> values)>;
  /// For each of the pairs the inner product of their lines, with the sign of the moves: the sum
  /// over the other spin's strings of bra(target, other) ket(string, other). Given away in the
  /// order of the pairs.
  virtual void overlaps(Spin spin, const StringPairs& pairs, const double* bra, const double* ket,
                        const TakeOverlaps& take) const = 0;

  /// <x| a+_p a_q |x> of one spin, n x n numbers in the host's memory; adds to what is there.
  virtual void one_density(Spin spin, const double* x, std::span<double> values) const = 0;

  /// <x| a+_p a+_r a_s a_q |x> over pairs p > r and q > s of one spin, in the host's memory; adds
  /// to what is there.
  virtual void same_spin_density(Spin spin, const double* x, std::span<double> values) const = 0;

  /// mixed[p][q][r][s] = <x| a+_p a_q a+_r a_s |x> for p >= q of alpha and r, s of beta; those with
  /// p < q are of no account. n^4 numbers in the host's memory, zero before.
  virtual void mixed_density(const double* x, std::span<double> mixed) const = 0;

  /// Whether x is even or odd, to the bit, under the exchange of alpha and beta electrons: what
  /// holds of the one then holds of the others. It is looked for where both spins have the same
  /// strings and all stand beside all.
  bool has_parity(const double* x) const { return is_square() && is_even_or_odd(x); }

  /// As ci::SpinSquared and ci::IrrepLabels are on the host.
  virtual std::unique_ptr<base::LinearOperator> spin_squared() const = 0;
  virtual std::unique_ptr<base::LinearOperator> irrep_labels(std::span<const int> labels) const = 0;

  const Space& space() const { return space_; }
  /// Found when they are first asked for; where both spins have the same strings, for both.
  const StringPairs& pairs(Spin spin, int most_moved) const;

 protected:
  /// Of a square matrix of x, by alpha and beta strings: it is its own transpose, or minus that.
  virtual bool is_even_or_odd(const double* x) const = 0;

 private:
  bool is_square() const;

  const Space& space_;
  mutable std::array<std::unique_ptr<StringPairs>, 4> pairs_;
};

/// On the host of the space.
std::unique_ptr<StateSums> state_sums(const Space& space);
/// On a backend: the host, or a device that takes copies of what it needs.
std::unique_ptr<StateSums> state_sums(const Space& space, const base::Backend& backend);

namespace cuda {
std::unique_ptr<StateSums> state_sums(const Space& space, const base::Backend& device);
}

}  // namespace cisolve::ci
