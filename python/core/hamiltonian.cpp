#include "python/core/hamiltonian.hpp"

#include <algorithm>

#include "job/methods/prepare.hpp"
#include "job/ranking/plan_feasibility_check.hpp"
#include "job/ranking/rank_plans.hpp"

namespace cisolve::python {

Hamiltonian::Hamiltonian(job::Request request, base::Backend backend)
    : request_(std::move(request)), backend_(std::move(backend)) {
  const base::Backend host = backend_.host();
  job::PlanFeasibilityCheck admission(request_, host, [this] { return backend_; });
  rows_ = job::open_rows(request_, host, &admission);
  job::require_solvable(*rows_, request_, host);
  counts_ = admission.counts();
  counts_.rows = static_cast<double>(rows());
}

// Chooses the product as a job does, but without fallback to other plans.
void Hamiltonian::prepare() {
  computed_ = job::estimate_counts(request_, rows_, backend_, counts_);
  const std::vector<job::Plan> plans =
      job::rank_plans(request_, counts_, job::Resources::of(backend_, request_.machine_factors));
  const job::Plan& plan = plans[job::first_fitting(plans)];
  if (!plan.on_device) backend_ = backend_.host();
  prepared_ = job::prepare_product(rows_, plan, backend_, {}, &computed_);
  if (prepared_.rows_in == job::RowsIn::canonical_order || determinant_problem() == nullptr) return;
  const ci::Partition& order = *determinant_problem()->partition;
  if (!order.is_canonical()) canonical_.emplace(*prepared_.product, order, backend_);
}

const base::LinearOperator& Hamiltonian::product() {
  if (!prepared_.product) prepare();
  if (canonical_) return *canonical_;
  return *prepared_.product;
}

void Hamiltonian::apply(base::ConstBlock x, base::Block y) {
  const std::scoped_lock lock(mutex_);
  const base::LinearOperator& matrix = product();
  if (backend_.is_host()) return matrix.apply(x, y);
  const base::Backend host = backend_.host();
  const base::MultiVector on_backend = base::MultiVector::copy_of(host, x, backend_);
  base::MultiVector image(backend_, x.rows, x.columns);
  matrix.apply(on_backend.block(), image.block());
  const base::MultiVector home = image.to(host);
  for (int j = 0; j < y.columns; ++j) std::copy_n(home.block().column(j), y.rows, y.column(j));
}

std::vector<double> Hamiltonian::diagonal() {
  if (const job::DeterminantRows* molecular = rows_.determinants()) {
    const base::Array<double> values = molecular->hamiltonian().diagonal().all();
    return {values.span().begin(), values.span().end()};
  }
  const std::scoped_lock lock(mutex_);
  std::vector<double> values(rows());
  const base::LinearOperator& matrix = product();
  base::MultiVector on_backend(backend_, rows(), 1);
  if (!matrix.diagonal(on_backend.block()))
    base::fail(base::ErrorKind::usage, "the diagonal of this matrix is unknown");
  const base::MultiVector home = on_backend.to(backend_.host());
  std::copy_n(home.block().data, rows(), values.data());
  return values;
}

sparse::Csr Hamiltonian::elements() const {
  const base::Backend host = backend_.host();
  sparse::Csr stored = sparse::build_csr(*rows_, host);
  if (determinant_problem() == nullptr || determinant_problem()->partition->is_canonical())
    return stored;
  const ci::Partition& order = *determinant_problem()->partition;
  sparse::Csr canonical = sparse::allocate_csr(stored.shape, stored.nonzeros(), host);
  Index next = 0;
  for (Index row = 0; row < rows(); ++row) {
    canonical.offsets[row] = next;
    const Index from = order.stored(row);
    for (Index k = stored.offsets[from]; k < stored.offsets[from + 1]; ++k, ++next) {
      canonical.columns[next] = static_cast<base::Column>(order.canonical(stored.columns[k]));
      canonical.values[next] = stored.values[k];
    }
  }
  canonical.offsets[rows()] = next;
  return canonical;
}

solver::Result Hamiltonian::solve(const job::SolverAdapter& view, const solver::Options& options,
                                  solver::Observer* observer, const solver::Checkpoint* start) {
  const std::scoped_lock lock(mutex_);
  const base::LinearOperator& matrix = product();
  solver::Result result =
      view.solve(matrix, job::RowsIn::canonical_order, backend_, options, observer, start);
  if (!result.vectors.backend().is_host()) result.vectors = result.vectors.to(backend_.host());
  return result;
}

}  // namespace cisolve::python
