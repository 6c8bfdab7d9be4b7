#include "solver/task/start.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cisolve::solver {
namespace {

constexpr double kRandomShare = 1e-4;  // far below the error of a start, far above rounding

}  // namespace

Preparation::Preparation(const Problem& problem, const Options& options, MeteredOperator& matrix,
                         Vectors& vectors)
    : problem_(problem),
      options_(options),
      vectors_(vectors),
      preconditioner_(identity_preconditioner()) {
  base::MultiVector diagonal = vectors.make(1, "the diagonal");
  knows_diagonal_ = vectors.ranks().all_true(problem.matrix.diagonal(diagonal.block()));
  if (!knows_diagonal_ || !is_useful(diagonal.block())) return;
  diagonal_ = std::move(diagonal);
  if (wants_model()) {
    const Index before = matrix.products();
    model_ = make_model_space(problem, matrix, vectors, diagonal_->block(), options.model_size);
    model_products_ = matrix.products() - before;
  }
  const auto kind = options.preconditioner;
  if (kind == PreconditionerKind::none) return;
  preconditioner_ = model_ && kind != PreconditionerKind::diagonal
                        ? model_preconditioner(vectors, diagonal_->block(), *model_)
                        : diagonal_preconditioner(vectors, diagonal_->block());
}

/// Does the diagonal differ from row to row?
bool Preparation::is_useful(ConstBlock diagonal) {
  const Extrema extrema = vectors_.extrema(diagonal);
  largest_diagonal_ = std::max(std::abs(extrema.lowest), std::abs(extrema.largest));
  return extrema.lowest < extrema.largest;
}

bool Preparation::wants_model() const {
  if (options_.model_size <= 0) return false;
  if (options_.preconditioner == PreconditionerKind::model_space) return true;
  if (options_.start == StartKind::model_space) return true;
  return options_.start == StartKind::automatic &&
         options_.preconditioner == PreconditionerKind::automatic &&
         vectors_.ranks().all_true(problem_.model_block != nullptr);
}

std::string Preparation::reason_against_model() const {
  if (!knows_diagonal_) return "for the operator does not know its diagonal";
  if (!diagonal_) return "for all elements of the diagonal are the same";
  return "for the model space has no rows";
}

std::string Preparation::note_of_preconditioner() const {
  const auto kind = options_.preconditioner;
  if (kind == PreconditionerKind::automatic || kind == PreconditionerKind::none) return {};
  if (!diagonal_) return base::concat("no preconditioner is used, ", reason_against_model());
  if (kind == PreconditionerKind::diagonal || model_) return {};
  return base::concat("the diagonal alone is the preconditioner, ", reason_against_model());
}

std::string Preparation::note_of_start() const {
  if (options_.start != StartKind::model_space) return {};
  const Index wanted = std::min<Index>(options_.states, vectors_.dimension());
  if (model_ && std::ssize(model_->rows) < wanted)
    return base::concat("unit vectors are the start, for the model space has ", model_->rows.size(),
                        " rows for ", wanted, " states");
  if (model_) return {};
  const char* taken = diagonal_ ? "unit" : "random";
  return base::concat(taken, " vectors are the start, ", reason_against_model());
}

void Preparation::fill_start(Block y, Block scratch) const {
  const auto& backend = vectors_.backend();
  const auto& blocks = vectors_.blocks();
  if (!diagonal_ || options_.start == StartKind::random) return fill_random(options_.seed, 0, y);
  if (model_ && std::ssize(model_->rows) >= y.columns) {
    fill_from_model(*model_, vectors_, y);
  } else {
    const auto rows = vectors_.lowest(diagonal_->block(), y.columns);
    SmallMatrix ones(y.columns, y.columns);
    for (int j = 0; j < y.columns; ++j) ones(j, j) = 1;
    blocks.fill(backend, 0, y);
    vectors_.scatter(ones, rows, y);
  }
  vectors_.randomise(options_.seed, scratch);
  std::vector<double> shares = vectors_.norms(scratch);
  for (double& share : shares) share = share > 0 ? kRandomShare / share : 0;
  blocks.axpy(backend, shares, scratch, y);
}

void Preparation::fill_random(std::uint64_t seed, double shift, Block y) const {
  vectors_.randomise(seed, y);
  const std::vector<double> shifts(y.columns, shift);
  preconditioner_->apply(shifts, y);
}

void Preparation::fill_weights(double shift, double floor, Block y) const {
  if (!diagonal_) return vectors_.blocks().fill(vectors_.backend(), 1, y);
  vectors_.kernels().roots_of_distances(vectors_.backend(), diagonal_->block(), shift, floor, y);
}

void fill_from_checkpoint(const Checkpoint& checkpoint, const Vectors& vectors, Block y) {
  const base::MultiVector& basis = checkpoint.basis;
  if (basis.rows() != y.rows)
    base::fail(base::Fault::bad_input, "start vectors of ", basis.rows(), " rows for a matrix of ",
               y.rows, " rows; expected vectors of the same space");
  for (int j = 0; j < y.columns; ++j)
    base::copy_bytes(basis.backend(), basis.block().column(j), vectors.backend(), y.column(j),
                     y.rows * Index{sizeof(double)});
}

}  // namespace cisolve::solver
