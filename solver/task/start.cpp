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
      preconditioner_(identity_preconditioner()),
      one_process_(vectors.total(matrix.rows()) == matrix.rows()) {
  base::MultiVector diagonal(vectors.backend(), matrix.rows(), 1, "the diagonal");
  knows_diagonal_ = problem.matrix.diagonal(diagonal.block());
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

/// Does the diagonal differ from row to row, on any rank?
bool Preparation::is_useful(ConstBlock diagonal) {
  Index differs = 0;
  if (diagonal.rows > 0) {
    const Extrema extrema = vectors_.kernels().extrema(vectors_.backend(), diagonal);
    differs = extrema.lowest < extrema.largest ? 1 : 0;
    largest_diagonal_ = std::max(std::abs(extrema.lowest), std::abs(extrema.largest));
  }
  return vectors_.total(differs) > 0;
}

bool Preparation::wants_model() const {
  if (!one_process_ || options_.model_size <= 0) return false;
  if (options_.preconditioner == PreconditionerKind::model_space) return true;
  if (options_.start == StartKind::model_space) return true;
  return problem_.model_block != nullptr && options_.start == StartKind::automatic &&
         options_.preconditioner == PreconditionerKind::automatic;
}

std::string Preparation::reason_against_model() const {
  if (!knows_diagonal_) return "for the operator does not know its diagonal";
  if (!diagonal_) return "for all elements of the diagonal are the same";
  if (!one_process_) return "for the rows are divided among processes";
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
  const Index wanted = std::min<Index>(options_.states, vectors_.total(problem_.matrix.rows()));
  if (model_ && std::ssize(model_->rows) < wanted)
    return base::concat("unit vectors are the start, for the model space has ", model_->rows.size(),
                        " rows for ", wanted, " states");
  if (model_) return {};
  const char* taken = diagonal_ && one_process_ ? "unit" : "random";
  return base::concat(taken, " vectors are the start, ", reason_against_model());
}

void Preparation::fill_start(Block y, Block scratch) const {
  const auto& backend = vectors_.backend();
  const auto& blocks = vectors_.blocks();
  if (!diagonal_ || !one_process_ || options_.start == StartKind::random)
    return fill_random(options_.seed, 0, y);
  if (model_ && std::ssize(model_->rows) >= y.columns) {
    fill_from_model(*model_, vectors_, y);
  } else {
    const auto rows = vectors_.kernels().lowest(backend, diagonal_->block(), y.columns);
    SmallMatrix ones(y.columns, y.columns);
    for (int j = 0; j < y.columns; ++j) ones(j, j) = 1;
    blocks.fill(backend, 0, y);
    vectors_.kernels().scatter(backend, ones, rows, y);
  }
  blocks.randomise(backend, options_.seed, scratch);
  std::vector<double> shares = vectors_.norms(scratch);
  for (double& share : shares) share = share > 0 ? kRandomShare / share : 0;
  blocks.axpy(backend, shares, scratch, y);
}

void Preparation::fill_random(std::uint64_t seed, double shift, Block y) const {
  vectors_.blocks().randomise(vectors_.backend(), seed, y);
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
