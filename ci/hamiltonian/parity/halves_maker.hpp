#pragma once

#include <memory>

#include "base/ranks/vector_exchange.hpp"
#include "ci/hamiltonian/parity/half_shares.hpp"

namespace cisolve::ci {

/// Expands coefficients of a parity to whole vectors and contracts images, in the memory of the
/// product's vectors. Each rank has its coefficients and its rows of images, and all have the whole
/// vector: expand() is collective.
class HalvesMaker {
 public:
  HalvesMaker(const HalvesMaker&) = delete;
  HalvesMaker& operator=(const HalvesMaker&) = delete;
  virtual ~HalvesMaker() = default;

  /// Of the coefficients.
  const base::Layout& layout() const { return shares_.layout(); }
  Index rows() const { return layout().count(rank_); }

  /// Receive buffer for the coefficients of other ranks.
  struct Stage {
    StagedIn in = StagedIn::room;
    double* numbers = nullptr;  // unused by a single process
  };
  void expand(const double* half, double* whole, Stage stage) const {
    put(false, half, whole, stage);
  }
  /// As expand(), but adds to `whole`.
  void add(const double* half, double* whole, Stage stage) const { put(true, half, whole, stage); }
  /// Coefficients of factor (image +- P image): factor 1/2 for a vector of the parity, 1 for the
  /// result of multiply_half(). `received`: the swapped elements that other ranks have sent.
  virtual void fold(double factor, const double* image, const double* received,
                    double* half) const = 0;
  /// The diagonal of H in the parity basis from that over determinants: H_ii +- <i|H|P i>.
  virtual void fold_diagonal(const double* image, double* half) const = 0;

 protected:
  /// `vectors` is null for a single process.
  HalvesMaker(const Halves& halves, const FlipShares& shares, const base::VectorExchange* vectors)
      : shares_(halves, shares), rank_(shares.rank()), vectors_(vectors) {}

  const HalfShares& shares() const { return shares_; }

  enum class Whose { own, of_others };
  /// The own or the received part of a round.
  struct RoundOf {
    StagedIn in;
    std::size_t number;
    Whose whose;
  };

 private:
  void put(bool adds, const double* half, double* whole, Stage stage) const;
  /// Called for the own part of a round, which may overlap with the communication, then for the
  /// received part.
  virtual void put_round(RoundOf round, bool adds, const double* from, double* whole) const = 0;

  HalfShares shares_;
  int rank_;
  const base::VectorExchange* vectors_;
};

/// On the host.
std::unique_ptr<HalvesMaker> halves_on_host(const Halves& halves, const FlipShares& shares,
                                            const base::VectorExchange* vectors,
                                            const base::Backend& host);

}  // namespace cisolve::ci
