#include "app/sweeps/sweep_group.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <ranges>

#include "app/config/error_place.hpp"
#include "app/report/multiplet.hpp"
#include "app/report/records.hpp"
#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/multivector.hpp"
#include "base/number.hpp"
#include "base/stopwatch.hpp"
#include "base/text.hpp"
#include "job/methods/prepare.hpp"
#include "job/problem/product_drafts.hpp"
#include "job/problem/source.hpp"
#include "job/ranking/rank_plans.hpp"
#include "job/states/eigenstates.hpp"
#include "job/states/solver_adapter.hpp"
#include "job/states/start_states.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/formats.hpp"
#include "sparse/stored/plan.hpp"

namespace cisolve::app {
namespace {

constexpr int kBurstsOfHeld = 10;    // matrices that stay in memory: a burst costs only time
constexpr int kBurstsOfRebuilt = 4;  // matrices that each burst rebuilds
constexpr int kDropped = 2;          // runs at the start of each turn

template <class Work>
void attempt(SweepPoint& point, Work work) {
  try {
    work();
  } catch (const base::Error& error) {
    const bool has_place = error.kind() == base::ErrorKind::configuration;
    point.fail(exit_code(error.kind()),
               has_place ? with_place_of_key(error.what(), *point.configuration) : error.what());
  } catch (const std::bad_alloc&) {
    point.fail(ExitCode::resources, "out of memory outside the budget");
  }
}

// Progress of a point whose product is measured.
Index measured_progress(const SweepPoint& point) {
  return point.configuration->request.solver.states > 0 ? SweepGroup::kUnitsOfPoint / 2
                                                        : SweepGroup::kUnitsOfPoint;
}

/// Warns about a point, identified by the values of its axes.
void warn(const SweepPoint& point, const std::string& text) {
  spdlog::warn("at {}: {}", base::joined(point.labels), text);
}

Index vector_bytes(const SweepPoint& point, const sparse::MatrixShape& shape) {
  return (shape.rows + shape.columns) * Index{sizeof(double)} *
         point.configuration->request.product.vectors;
}

}  // namespace

const base::Backend& BackendPool::of(const Configuration& configuration) {
  const std::string key = base::concat(configuration.request.backend.text(), '|',
                                       configuration.request.threads.value_or(0), '|',
                                       configuration.request.memory.value_or(0), '|',
                                       configuration.request.device_memory.value_or(0));
  const auto known = opened_.find(key);
  if (known != opened_.end()) return known->second;
  return opened_.emplace(key, job::open_backend(configuration.request)).first->second;
}

SweepGroup::SweepGroup(std::vector<SweepPoint*> points, Index repeat, BackendPool& backends,
                       Keep keep, job::Watch watch)
    : points_(std::move(points)),
      repeat_(repeat),
      backends_(backends),
      keep_(std::move(keep)),
      watch_(std::move(watch)) {
  open_backends();
}

void SweepGroup::report_progress(const SweepPoint& point, Index reached) {
  Index& reported = reported_[&point];
  if (watch_) watch_(reached - reported);
  reported = reached;
}

void SweepGroup::open_backends() {
  for (SweepPoint* point : points_)
    attempt(*point, [&] {
      const base::Backend& backend = backends_.of(*point->configuration);
      if (!host_) host_ = backend.host();
    });
  for (const SweepPoint* point : points_)
    if (point->failed()) report_progress(*point, kUnitsOfPoint);
  std::erase_if(points_, [](const SweepPoint* point) { return point->failed(); });
}

const job::ProblemRows& SweepGroup::rows() const { return kept_rows_ ? kept_rows_ : source_; }

void SweepGroup::open_rows() {
  const Configuration& configuration = *points_.front()->configuration;
  source_ = job::open_rows(configuration.request, host());
  const job::DeterminantProblem* molecule = job::determinant_problem_of(source_);
  if (molecule != nullptr)
    for (const std::string& warning : molecule->warnings) spdlog::warn("{}", warning);
  problem_ =
      Json::object(problem_members(configuration, source_->shape(), molecule, source_.sites()));
}

// Keeps the rows as CSR if that leaves memory for the largest matrix of a point.
void SweepGroup::keep_rows(const sparse::MatrixShape& shape, Index nonzeros, Index largest) {
  const bool stored_already =
      points_.front()->configuration->request.source == job::ProblemSource::matrix;
  const Index held = sparse::plan_csr(shape, nonzeros).held;
  if (stored_already || points_.size() < 2 || held > host().memory().left() - largest) return;
  kept_ = std::make_unique<sparse::Csr>(sparse::build_csr(*source_, host()));
  kept_rows_ = std::make_unique<sparse::CsrRows>(*kept_);
}

Index SweepGroup::held_by(const SweepPoint& point, std::span<const sparse::Column> lengths,
                          const base::Backend& backend) const {
  const job::ProductForm& form = point.form;
  Index held = 0;
  if (form.stores())
    held = sparse::plan_format(*source_, lengths, form.storage, backend).memory.held;
  if (!form.computes()) return held;
  if (const auto& share = form.storage.share) held = std::min(held, share->bytes);
  job::MatrixEstimate counts;
  job::draft_products(point.configuration->request, source_, std::nullopt)
      .write_costs(backend, counts);
  const job::Resources resources = job::Resources::of(backend, {});
  const job::ProductMethod& computing = form.stores() ? job::kOnTheFly : *form.method;
  return held +
         computing.cost({point.configuration->request, counts, resources}, form, !backend.is_host())
             .bytes;
}

void SweepGroup::plan_bursts() {
  const auto lengths = sparse::row_lengths(*source_, host());
  const sparse::MatrixShape shape = source_->shape();
  Index largest = 0;
  Index together = 0;
  for (SweepPoint* point : points_)
    attempt(*point, [&] {
      const base::Backend& backend = backends_.of(*point->configuration);
      point->form = job::chosen_form(point->configuration->request, *source_, backend);
      point->form.storage = sparse::with_magnitudes(point->form.storage, *source_);
      const Index held = held_by(*point, lengths.span(), backend);
      const Index vectors = vector_bytes(*point, shape);
      largest = std::max(largest, held + vectors);
      together += held;
    });
  nonzeros_ = sparse::total(lengths.span());
  keep_rows(shape, nonzeros_, largest);
  Index available = host().memory().left();
  for (const SweepPoint* point : points_)
    available = std::min(available, backends_.of(*point->configuration).memory().left());
  holds_all_ = together + largest <= available / 2;
  bursts_ =
      static_cast<int>(std::min<Index>(repeat_, holds_all_ ? kBurstsOfHeld : kBurstsOfRebuilt));
}

job::PreparedProduct SweepGroup::build(const SweepPoint& point) {
  const bool computes = point.form.computes();
  auto prepared = job::prepare_product(computes ? source_ : rows(), point.form,
                                       backends_.of(*point.configuration));
  prepared.description.nonzeros = nonzeros_;
  return prepared;
}

void SweepGroup::measure_burst(SweepPoint& point) {
  const base::Backend& backend = backends_.of(*point.configuration);
  const job::Request::Product& how = point.configuration->request.product;
  job::PreparedProduct& matrix = matrices_[&point];
  const bool first = point.samples.size() == 0;
  if (!matrix.product) {
    matrix = build(point);
    if (first) point.product = matrix.description;
    if (first && job::must_code(point.configuration->request) && !matrix.description.is_coded)
      warn(point,
           "the elements are stored without codes: they have too many distinct values, or are too "
           "few");
    point.form.storage.values =
        matrix.description.is_coded ? sparse::ValueEncoding::coded : sparse::ValueEncoding::plain;
    if (point.form.method == &job::kCoded && !matrix.description.is_coded)
      point.form.method = &job::kPrecomputed;
  }
  const auto vectors = static_cast<int>(how.vectors);
  base::MultiVector x(backend, rows()->shape().columns, vectors, "the vectors x");
  base::MultiVector y(backend, rows()->shape().rows, vectors, "the vectors y");
  base::block_kernels(backend).randomise(backend, static_cast<std::uint64_t>(how.seed), x.block());
  job::time_product(*matrix.product, backend, x.block(), y.block(),
                    {.dropped = kDropped, .runs = (repeat_ + bursts_ - 1) / bursts_},
                    point.samples);
  point.threads = backend.threads();
  point.product.vectors = vectors;
  point.product.times = point.samples.summary();
  if (!holds_all_) matrix.product.reset();
  if (!first) return;
  point.product.check = job::check_product(*rows(), job::order_of(source_, matrix), x, y);
  if (!point.product.check.passed)
    point.fail(ExitCode::verification_failed, "the product is wrong");
}

void SweepGroup::measure() {
  if (points_.empty()) return;
  bool opened = false;
  SweepPoint& first = *points_.front();
  attempt(first, [&] {
    open_rows();
    plan_bursts();
    opened = true;
  });
  if (!opened) {
    for (SweepPoint* point : points_) {
      point->fail(first.code, first.reason);
      report_progress(*point, kUnitsOfPoint);
    }
    return;
  }
  // The position of a matrix in memory may matter more than the compared settings: halfway all
  // matrices are rebuilt, in the opposite order of points.
  const int laid_out_again = bursts_ / 2 | 1;
  for (int burst = 0; burst < bursts_; ++burst) {
    if (burst == laid_out_again) matrices_.clear();
    const auto next = [&](SweepPoint* point) {
      if (point->failed() || point->measured) return;
      attempt(*point, [&] { measure_burst(*point); });
      report_progress(*point, measured_progress(*point) * (burst + 1) / bursts_);
      if (point->failed()) matrices_.erase(point);
      if (point->failed() || burst == bursts_ - 1) end_measuring(*point);
    };
    if (burst % 2 == 0)
      std::ranges::for_each(points_, next);
    else
      std::ranges::for_each(points_ | std::views::reverse, next);
  }
  matrices_.clear();
}

void SweepGroup::end_measuring(SweepPoint& point) {
  point.measured = true;
  if (point.failed() || point.configuration->request.solver.states == 0) return finish(point);
  keep_(point, problem_);
}

void SweepGroup::finish(SweepPoint& point) {
  report_progress(point, kUnitsOfPoint);
  point.finished = true;
  if (point.has_result()) keep_(point, problem_);
}

void SweepGroup::solve(SweepPoint& point) {
  point.energies.clear();  // drops the energies of an attempt that failed
  job::require_solvable(*rows(), point.configuration->request, host());
  job::require_sensible_near(point.configuration->request);
  auto matrix = build(point);
  const base::Backend& backend = backends_.of(*point.configuration);
  const job::SolverAdapter view(point.configuration->request, job::determinant_problem_of(source_),
                                source_.sites());
  const solver::Result result = view.solve(*matrix.product, matrix.rows_in, backend,
                                           job::solver_options(point.configuration->request));
  for (const solver::State& state : result.states) point.energies.push_back(state.energy);
  matrix.product.reset();
  const job::IndependentProblem second(point.configuration->request, host());
  const solver::Verification verification = job::verify_again(
      point.configuration->request, second, second.matrix(result.vectors.backend()), result);
  point.solved = result.converged() && verification.passed;
  if (const std::string cut = cut_multiplet(result, verification); !cut.empty()) warn(point, cut);
  if (!result.converged())
    point.fail(ExitCode::not_converged,
               "not converged after " + base::counted(result.iterations, "iteration"));
  if (!verification.passed)
    point.fail(ExitCode::verification_failed, verification.failures.front());
}

void SweepGroup::solve() {
  for (SweepPoint* point : points_) {
    if (point->failed() || point->finished) continue;
    attempt(*point, [&] { solve(*point); });
    if (point->code == ExitCode::resources && kept_) {
      kept_rows_.reset();  // a job of this point alone would not hold them
      kept_.reset();
      point->fail(ExitCode::success, {});
      attempt(*point, [&] { solve(*point); });
    }
    finish(*point);
  }
}

}  // namespace cisolve::app
