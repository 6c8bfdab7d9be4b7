#pragma once

#include "base/backend.hpp"
#include "base/operator.hpp"
#include "base/ranks/layout.hpp"
#include "base/symmetry_projector.hpp"
#include "job/products/worker_commands.hpp"

namespace cisolve::job {

/// A distributed product as an operator on whole vectors in memory of rank 0, on the product's
/// backend or its host. Rank 0 sends requests, which the other ranks execute.
class RemoteProduct final : public base::LinearOperator, public base::SymmetryProjector {
 public:
  enum class Vectors { on_backend_of_products, on_host };

  /// `backend` is that of `shared`. All references must outlive it.
  RemoteProduct(const base::Communicator& ranks, const base::Layout& layout,
                const base::LinearOperator& shared, const base::Backend& backend,
                Vectors lie = Vectors::on_backend_of_products)
      : ranks_(ranks),
        layout_(layout),
        shared_(shared),
        projector_(base::SymmetryProjector::of(shared)),
        backend_(backend),
        on_host_(lie == Vectors::on_host) {}

  base::Index rows() const override { return layout_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  /// Returns 0, without asking the other ranks, if the shared product has no projector.
  double project_symmetry(double max_fraction, base::Block x) const override;
  base::OperatorDescription description() const override { return shared_.description(); }

  /// Ranks other than 0: takes part in a requested product, diagonal or projection.
  void execute(const WorkerRequest& asked) const;

 private:
  const base::Communicator& ranks_;
  const base::Layout& layout_;
  const base::LinearOperator& shared_;
  const base::SymmetryProjector* projector_;  // projector of the shared product; null: none
  base::Backend backend_;
  bool on_host_;
};

}  // namespace cisolve::job
