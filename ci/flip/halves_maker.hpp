#pragma once

#include <memory>

#include "base/ranks/vector_exchange.hpp"
#include "ci/flip/half_shares.hpp"

namespace cisolve::ci {

/// What makes whole vectors of halves and halves of images, where the vectors of a product lie. Of
/// ranks each has its halves and the own rows of images, and all have whole vectors; they expand
/// together.
class HalvesMaker {
 public:
  HalvesMaker(const HalvesMaker&) = delete;
  HalvesMaker& operator=(const HalvesMaker&) = delete;
  virtual ~HalvesMaker() = default;

  /// Of the halves.
  const base::Layout& layout() const { return shares_.layout(); }
  Index rows() const { return layout().count(rank_); }

  /// Room for what other ranks tell.
  struct Stage {
    StagedIn in = StagedIn::room;
    double* numbers = nullptr;  // needed by ranks alone
  };
  void expand(const double* half, double* whole, Stage stage) const {
    put(false, half, whole, stage);
  }
  /// The same, added to what is there.
  void add(const double* half, double* whole, Stage stage) const { put(true, half, whole, stage); }
  /// half = factor (image + its flip with the sign of the parity): that of a vector of the parity
  /// with factor 1/2, that of what multiply_half() makes with factor 1. `received` are flips that
  /// others have sent.
  virtual void fold(double factor, const double* image, const double* received,
                    double* half) const = 0;
  /// The diagonal among halves from that among determinants.
  virtual void fold_diagonal(const double* image, double* half) const = 0;

 protected:
  /// `vectors` are those of all ranks, and null of one process.
  HalvesMaker(const Halves& halves, const FlipShares& shares, const base::VectorExchange* vectors)
      : shares_(halves, shares), rank_(shares.rank()), vectors_(vectors) {}

  const HalfShares& shares() const { return shares_; }

  enum class Whose { own, of_others };
  /// A part of a round of those that a stage has room for.
  struct RoundOf {
    StagedIn in;
    std::size_t number;
    Whose whose;
  };

 private:
  void put(bool adds, const double* half, double* whole, Stage stage) const;
  /// First the own part of a round, which may go on while others are told theirs, then what they
  /// have told.
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
