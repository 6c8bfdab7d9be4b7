#pragma once

#include <memory>

#include "base/ranks/vector_exchange.hpp"
#include "ci/hamiltonian/parity/distributed_parity_basis.hpp"

namespace cisolve::ci {

/// Expands coefficients of a parity to whole vectors and contracts images, in the memory of the
/// product's vectors. Each rank has its coefficients and its rows of images, and all have the whole
/// vector: expand() is collective.
class ParityTransform {
 public:
  ParityTransform(const ParityTransform&) = delete;
  ParityTransform& operator=(const ParityTransform&) = delete;
  virtual ~ParityTransform() = default;

  /// Layout of the coefficients.
  const base::Layout& layout() const { return distributed_basis_.layout(); }
  Index rows() const { return layout().count(rank_); }

  /// Receive buffer for the coefficients of other ranks.
  struct Staging {
    StagedIn in = StagedIn::buffer;
    double* numbers = nullptr;  // unused by a single process
  };
  void expand(const double* half, double* whole, Staging stage) const {
    expand_or_add(false, half, whole, stage);
  }
  /// Like expand(), but adds to `whole`.
  void add(const double* half, double* whole, Staging stage) const {
    expand_or_add(true, half, whole, stage);
  }
  /// Coefficients of factor (image +- P image): factor 1/2 projects any vector onto the parity, 1
  /// completes the h of multiply_half(). `received`: swapped elements that other ranks have sent.
  virtual void contract(double factor, const double* image, const double* received,
                        double* half) const = 0;
  /// The diagonal of H in the parity basis, H_ii +- <i|H|P i>, from H_ii in `image`.
  virtual void contract_diagonal(const double* image, double* half) const = 0;

 protected:
  /// `vectors` is null for a single process.
  ParityTransform(const ParityBasis& basis, const SwapPartition& partition,
                  const base::VectorExchange* vectors)
      : distributed_basis_(basis, partition), rank_(partition.rank()), vectors_(vectors) {}

  const DistributedParityBasis& distributed_basis() const { return distributed_basis_; }

  enum class Whose { own, of_others };
  /// The own or the received part of a round.
  struct RoundOf {
    StagedIn in;
    std::size_t number;
    Whose whose;
  };

 private:
  void expand_or_add(bool adds, const double* half, double* whole, Staging stage) const;
  /// Called for the own part of a round, which may overlap with the communication, then for the
  /// received part.
  virtual void expand_round(RoundOf round, bool adds, const double* from, double* whole) const = 0;

  DistributedParityBasis distributed_basis_;
  int rank_;
  const base::VectorExchange* vectors_;
};

/// The transform on the host.
std::unique_ptr<ParityTransform> parity_transform_on_host(const ParityBasis& basis,
                                                          const SwapPartition& partition,
                                                          const base::VectorExchange* vectors,
                                                          const base::Backend& host);

}  // namespace cisolve::ci
