#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "job/plan/plan.hpp"
#include "job/problem/admission.hpp"

namespace cisolve::job {

/// The least demand of a job that is known before its matrix is counted.
struct LeastDemand : MatrixEstimate, MemoryNeed {
  Index tables = 0;     // bytes of the host, while the matrix is built
  Index densities = 0;  // likewise, while states are described by two-particle densities
};

/// A job that cannot be, told before anything large is filled.
class TooLarge : public base::Error {
 public:
  TooLarge(const LeastDemand& demand, const base::MemoryBudget& budget, std::string advice);
  /// Memory ended, for that reason, before it was known what the job needs.
  explicit TooLarge(const std::string& reason);

  /// None where memory ended before it was known.
  const std::optional<LeastDemand>& demand() const { return demand_; }
  Index limit() const { return limit_; }  // what is left of the budget
  const std::string& advice() const { return advice_; }

 private:
  std::optional<LeastDemand> demand_;
  Index limit_ = 0;
  std::string advice_;
};

/// "240,374,016", or "7.312e+22" where it is beyond what is counted exactly.
std::string count_text(double count);

/// Refuses a job as soon as it is known not to fit: by its dimension before its space is built,
/// then by a sample of its rows before tables of them are made. A job that fits the host or the
/// device by one of its plans is let pass; what these take exactly is another's to find out.
class PlanFeasibilityCheck final : public FeasibilityCheck {
 public:
  /// `wait_for_backend` is called only for a job that does not fit the host, or has much to find.
  /// What is refused to ranks that share the work does not fit into even shares. `hear` is called
  /// with what has become known, before anything is made of it.
  PlanFeasibilityCheck(const Request& request, base::Backend host,
                       std::function<base::Backend()> wait_for_backend, const Network& ranks = {},
                       std::function<void(const MatrixEstimate&)> hear = {})
      : request_(request),
        host_(std::move(host)),
        wait_for_backend_(std::move(wait_for_backend)),
        ranks_(ranks),
        hear_(std::move(hear)) {}

  void require(const LeastSize& size) override;
  void require(const ci::Space& space, const ci::Integrals& integrals) override;
  void require(const sparse::GeneratorOptions& options) override;
  void require(const sparse::MatrixShape& shape) override;
  void require_spins(double states) override;

  base::Backend backend() const override { return wait_for_backend_(); }

  /// What has become known of the matrix so far.
  const MatrixEstimate& counts() const { return counts_; }

 private:
  void require_numbered(Index rows) const;
  void require_densities(const ci::Integrals& integrals) const;
  void admit(MatrixEstimate counts, double tables);
  /// The least demand of the plans for the host.
  MemoryNeed least_on_host(const MatrixEstimate& counts) const;

  const Request& request_;
  base::Backend host_;
  std::function<base::Backend()> wait_for_backend_;
  Network ranks_;
  std::function<void(const MatrixEstimate&)> hear_;
  MatrixEstimate counts_;
};

}  // namespace cisolve::job
