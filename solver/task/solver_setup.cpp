#include "solver/task/solver_setup.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace cisolve::solver {
namespace {

constexpr double kRandomShare = 1e-4;  // far below the error of a start vector, far above rounding

constexpr double kBelow = 0.1;  // fraction of the diagonal's width

constexpr double kRounding =
    64 * std::numeric_limits<double>::epsilon();  // relative to the diagonal

}  // namespace

bool wants_model(const Options& options, bool knows_elements) {
  if (options.model_size == 0) return false;
  if (options.preconditioner == PreconditionerKind::model_space) return true;
  if (options.start == StartKind::model_space) return true;
  return options.start == StartKind::automatic &&
         options.preconditioner == PreconditionerKind::automatic && knows_elements;
}

int starts_of_model(const Options& options) { return options.states + std::max(options.guards, 0); }

SolverSetup::SolverSetup(const Problem& problem, const Options& options, MeteredOperator& matrix,
                         Vectors& vectors)
    : problem_(problem),
      options_(options),
      vectors_(vectors),
      preconditioner_(identity_preconditioner()) {
  base::MultiVector diagonal = vectors.make(1, "the diagonal");
  knows_diagonal_ = matrix.diagonal(diagonal);
  if (!knows_diagonal_ || !is_useful(diagonal)) return;
  diagonal_ = std::move(diagonal);
  if (wants_model(options, knows_elements())) {
    const Index before = matrix.products();
    model_ = problem.model;
    if (model_ == nullptr)
      model_ = &own_model_.emplace(
          make_model_space(problem, matrix, vectors, *diagonal_,
                           model_rows(options, vectors.backend(), vectors.dimension()),
                           starts_of_model(options), options.near));
    model_products_ = matrix.products() - before;
  }
  const auto kind = options.preconditioner;
  if (kind == PreconditionerKind::none) return;
  preconditioner_ = model_ && kind != PreconditionerKind::diagonal
                        ? model_preconditioner(vectors, *diagonal_, *model_)
                        : diagonal_preconditioner(vectors, *diagonal_);
}

/// Whether the diagonal distinguishes rows by more than rounding.
bool SolverSetup::is_useful(ConstColumns diagonal) {
  extrema_ = vectors_.extrema(diagonal);
  largest_diagonal_ = std::max(std::abs(extrema_.lowest), std::abs(extrema_.largest));
  return width_of_diagonal() > kRounding * largest_diagonal_;
}

bool SolverSetup::knows_elements() const {
  return vectors_.ranks().all_true(problem_.model_block != nullptr);
}

std::string SolverSetup::reason_against_model() const {
  if (!knows_diagonal_) return "because the operator does not provide its diagonal";
  if (!diagonal_) return "because all diagonal elements are equal";
  return "because the model space is empty";
}

std::string SolverSetup::note_of_preconditioner() const {
  const auto kind = options_.preconditioner;
  if (kind == PreconditionerKind::automatic || kind == PreconditionerKind::none) return {};
  if (!diagonal_) return base::concat("no preconditioner is used ", reason_against_model());
  if (kind == PreconditionerKind::diagonal || model_) return {};
  return base::concat("only the diagonal is used as preconditioner ", reason_against_model());
}

std::string SolverSetup::note_of_start() const {
  if (options_.start != StartKind::model_space) return {};
  const Index wanted = std::min<Index>(options_.states, vectors_.dimension());
  if (model_ && std::ssize(model_->rows) < wanted)
    return base::concat("unit vectors are the start vectors because the model space has ",
                        model_->rows.size(), " rows for ", wanted, " states");
  if (model_) return {};
  const char* taken = diagonal_ ? "unit" : "random";
  return base::concat(taken, " vectors are the start vectors ", reason_against_model());
}

/// Rows of the lowest elements after the first `first` ones.
std::vector<Index> SolverSetup::lowest_behind(ConstColumns column, int first, int count) const {
  std::vector<Index> all = vectors_.lowest(column, Index{first} + count);
  if (first == 0) return all;
  std::vector<Index> behind;
  std::ranges::set_difference(all, vectors_.lowest(column, first), std::back_inserter(behind));
  return behind;
}

void SolverSetup::fill_start(Columns y, Columns scratch, int first) const {
  const std::uint64_t seed =
      first == 0 ? options_.seed : base::mix(options_.seed, static_cast<std::uint64_t>(first));
  if (!diagonal_ || options_.start == StartKind::random)
    return fill_random(seed, options_.near.value_or(0), y);
  if (model_ && std::ssize(model_->rows) >= first + y.count()) {
    fill_from_model(*model_, vectors_, options_.near, first, y);
  } else if (options_.near) {
    vectors_.sqrt_of_distances(*diagonal_, *options_.near, 0, scratch.slice(0, 1));
    vectors_.fill_units(lowest_behind(scratch.slice(0, 1), first, y.count()), y);
  } else {
    vectors_.fill_units(lowest_behind(*diagonal_, first, y.count()), y);
  }
  vectors_.randomise(seed, scratch);
  std::vector<double> factors = vectors_.norms(scratch);
  for (double& factor : factors) factor = factor > 0 ? kRandomShare / factor : 0;
  vectors_.axpy(factors, scratch, y);
}

void SolverSetup::fill_random(std::uint64_t seed, double shift, Columns y) const {
  vectors_.randomise(seed, y);
  const std::vector<double> shifts(y.count(), shift);
  preconditioner_->apply(shifts, y);
}

void SolverSetup::fill_krylov_start(std::uint64_t seed, Columns y) const {
  vectors_.randomise(seed, y);
  if (!diagonal_) return;
  const std::vector<double> below(y.count(), extrema_.lowest - kBelow * width_of_diagonal());
  // A power of two, which changes no digit, keeps quotients near 1.
  const double unit = std::exp2(std::ilogb(width_of_diagonal()));
  for (int power = 0; power < 2; ++power) {
    vectors_.scale(unit, y);
    vectors_.divide_by_shifted(*diagonal_, below, std::numeric_limits<double>::min(), y);
  }
}

RowBlock SolverSetup::lowest_block(int size) const {
  if (!diagonal_ || !knows_elements()) return {{}, SmallMatrix(0, 0)};
  if (problem_.low != nullptr) return *problem_.low;
  return block_of(*problem_.model_block, lowest_rows(problem_, vectors_, *diagonal_, size));
}

void SolverSetup::fill_scaling(double shift, double floor, Columns y) const {
  if (!diagonal_) return vectors_.fill(1, y);
  vectors_.sqrt_of_distances(*diagonal_, shift, floor, y);
}

}  // namespace cisolve::solver
