#pragma once

#include <memory>

#include "ci/hamiltonian/parity/parity_operators.hpp"
#include "solver/sectors/solve_by_sectors.hpp"

namespace cisolve::job {

/// Elements between parity-adapted functions from elements between determinants.
class ParityModelBlock final : public solver::ModelBlock {
 public:
  /// The block and the basis must outlive it.
  ParityModelBlock(const solver::ModelBlock& whole, const ci::ParityBasis& basis,
                   const base::Backend& host)
      : whole_(whole), basis_(basis), host_(host) {}

  void fill(std::span<const base::Index> rows, std::span<const base::Index> columns,
            base::SmallMatrix& block) const override;
  std::vector<base::Index> lowest(base::Index count) const override;

 private:
  const solver::ModelBlock& whole_;
  const ci::ParityBasis& basis_;
  base::Backend host_;
};

/// Even and odd vectors as sectors: a state is found with half of the memory for vectors and half
/// of the work on them, and the other parity is known to have none below.
class Parities final : public solver::Sectors {
 public:
  /// Null if the product has no parity, the method is neither Davidson nor automatic, more than one
  /// state is wanted (they may have both parities) or not the lowest, the layout of the start is
  /// neither the product's nor that of whole vectors, the space has fewer than 2000 rows, or more
  /// vectors fit into a rank's memory whole than by parity, with its buffers. `elements` are those
  /// of the whole space; they and `matrix` must outlive this. Collective.
  static std::unique_ptr<const Parities> of(const base::LinearOperator& matrix,
                                            const solver::ModelBlock& elements,
                                            const base::Communicator& ranks,
                                            const solver::Options& options,
                                            const solver::Checkpoint* start);

  Parities(const ci::ParityOperator& product, const solver::ModelBlock& elements);

  std::unique_ptr<const solver::OperatorSector> make(solver::ParitySide side) const override;
  std::unique_ptr<const solver::SectorPair> make_both() const override;
  const solver::ModelBlock& elements(solver::ParitySide side) const override {
    return elements_of(side);
  }
  void expand(solver::ParitySide side, const double* part, double* whole) const override;

  const ParityModelBlock& elements_of(solver::ParitySide side) const;
  ci::Parity parity_of(solver::ParitySide side) const { return basis_of(side).parity(); }
  /// An upper bound of the lowest energy of a side.
  double lowest(solver::ParitySide side) const {
    return parity_of(side) == ci::Parity::even ? lowest_even_ : lowest_odd_;
  }

 private:
  const ci::ParityBasis& basis_of(solver::ParitySide side) const;
  void choose_likely(const base::Communicator& ranks);
  /// The likely side is the dominant parity of the start's first vector.
  void go_on_from(const solver::Checkpoint& start, const base::Communicator& ranks);
  /// Made on first use and kept, since every operation on a sector uses this operator's work
  /// vectors, which have the length of the whole space.
  const std::shared_ptr<const ci::ParityPairOperator>& products() const;

  const ci::ParityOperator& product_;
  base::Backend host_;
  ci::ParityBasis even_;
  ci::ParityBasis odd_;
  ParityModelBlock even_elements_;
  ParityModelBlock odd_elements_;
  double lowest_even_ = 0;  // lowest even energy of a model space
  double lowest_odd_ = 0;
  ci::Parity likely_ = ci::Parity::even;
  mutable std::shared_ptr<const ci::ParityPairOperator> products_;
};

}  // namespace cisolve::job
