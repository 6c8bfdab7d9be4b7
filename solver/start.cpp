#include "solver/start.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace cisolve::solver {
namespace {

constexpr double kRandomShare = 1e-4;  // far below the error of a start, far above rounding

/// Does the diagonal differ from row to row, on any rank?
bool is_useful(const Vectors& vectors, ConstBlock diagonal) {
  Index differs = 0;
  if (diagonal.rows > 0) {
    const Extrema extrema = vectors.kernels().extrema(vectors.backend(), diagonal);
    differs = extrema.lowest < extrema.largest ? 1 : 0;
  }
  return vectors.total(differs) > 0;
}

}  // namespace

Preparation::Preparation(const Problem& problem, const Options& options, MeteredOperator& matrix,
                         Vectors& vectors)
    : problem_(problem),
      options_(options),
      vectors_(vectors),
      preconditioner_(identity_preconditioner()),
      one_process_(vectors.total(matrix.rows()) == matrix.rows()) {
  base::MultiVector diagonal(vectors.backend(), matrix.rows(), 1, "the diagonal");
  if (!problem.matrix.diagonal(diagonal.block()) || !is_useful(vectors, diagonal.block())) return;
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

bool Preparation::wants_model() const {
  if (!one_process_ || options_.model_size <= 0) return false;
  if (options_.preconditioner == PreconditionerKind::model_space) return true;
  if (options_.start == StartKind::model_space) return true;
  return problem_.model_block != nullptr && options_.start == StartKind::automatic &&
         options_.preconditioner == PreconditionerKind::automatic;
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
