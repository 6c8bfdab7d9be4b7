#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "job/plan/plan.hpp"
#include "job/problem/feasibility_check.hpp"

namespace cisolve::job {

/// Lower bounds of a job's demand, known before its matrix is counted.
struct LeastDemand : MatrixEstimate, MemoryNeed {
  Index tables = 0;     // host bytes while the matrix is built
  Index densities = 0;  // host bytes while two-particle densities are computed
};

/// A job too large for the memory, refused before anything large is filled.
class TooLarge : public base::Error {
 public:
  TooLarge(const LeastDemand& demand, const base::MemoryBudget& budget, std::string advice);
  /// Memory ran out, for that reason, before the demand was known.
  explicit TooLarge(const std::string& reason);

  /// None if memory ran out before it was known.
  const std::optional<LeastDemand>& demand() const { return demand_; }
  Index limit() const { return limit_; }  // bytes left of the budget
  const std::string& advice() const { return advice_; }

 private:
  std::optional<LeastDemand> demand_;
  Index limit_ = 0;
  std::string advice_;
};

/// "240,374,016", or "7.312e+22" beyond exact counts.
std::string count_text(double count);

/// Refuses a job as soon as it is known not to fit: by its dimension before its space is built,
/// then by a sample of its rows before their tables are made. Passes a job if one of its plans fits
/// the host or the device; its exact demand is checked later.
class PlanFeasibilityCheck final : public FeasibilityCheck {
 public:
  /// `wait_for_backend` is called only if a job does not fit the host or has many orbits to find.
  /// With several ranks, a job is refused if even portions do not fit. `on_estimate` receives each
  /// estimate before it is checked.
  PlanFeasibilityCheck(const Request& request, base::Backend host,
                       std::function<base::Backend()> wait_for_backend, const Network& ranks = {},
                       std::function<void(const MatrixEstimate&)> on_estimate = {})
      : request_(request),
        host_(std::move(host)),
        wait_for_backend_(std::move(wait_for_backend)),
        ranks_(ranks),
        on_estimate_(std::move(on_estimate)) {}

  void require(const LeastSize& size) override;
  void require(const ci::Space& space, const ci::Integrals& integrals) override;
  void require(const sparse::GeneratorOptions& options) override;
  void require(const sparse::MatrixShape& shape) override;
  void require_spins(double states) override;

  base::Backend backend() const override { return wait_for_backend_(); }

  /// The current estimates for the matrix.
  const MatrixEstimate& counts() const { return counts_; }

 private:
  void require_columns_fit_32_bits(Index rows) const;
  void require_densities(const ci::Integrals& integrals) const;
  void admit(MatrixEstimate counts, double tables);
  /// The least demand of the plans for the host.
  MemoryNeed least_on_host(const MatrixEstimate& counts) const;

  const Request& request_;
  base::Backend host_;
  std::function<base::Backend()> wait_for_backend_;
  Network ranks_;
  std::function<void(const MatrixEstimate&)> on_estimate_;
  MatrixEstimate counts_;
};

}  // namespace cisolve::job
