#pragma once

#include <span>
#include <vector>

#include "base/backend.hpp"
#include "base/operator.hpp"
#include "base/ranks/communicator.hpp"
#include "base/ranks/layout.hpp"
#include "base/small_matrix.hpp"

namespace cisolve::solver {

/// Matrix elements of a few rows, without products. Thread-safe.
class ModelBlock {
 public:
  ModelBlock() = default;
  ModelBlock(const ModelBlock&) = delete;
  ModelBlock& operator=(const ModelBlock&) = delete;
  virtual ~ModelBlock() = default;

  /// block(a, b) = A(rows_a, columns_b), with canonical row numbers in any order. Not collective.
  virtual void fill(std::span<const base::Index> rows, std::span<const base::Index> columns,
                    base::SmallMatrix& block) const = 0;

  /// Whether rows and columns are the same span: the block is then symmetric, and half of it may be
  /// copied.
  static bool is_square(std::span<const base::Index> rows, std::span<const base::Index> columns) {
    return rows.data() == columns.data() && rows.size() == columns.size();
  }

  /// Rows of the `count` lowest diagonal elements, or of all, ascending; empty if the diagonal
  /// gives them faster. Identical on all ranks.
  virtual std::vector<base::Index> lowest(base::Index /*count*/) const { return {}; }
};

struct ModelSpace;
struct RowBlock;

inline const base::OneProcess kOneProcess;

/// Problem to solve, and its backend. Refers to objects that must outlive the solution. With
/// several ranks matrix, backend and vectors are those of one rank, as are memory and errors;
/// decisions that depend on them are collective.
struct Problem {
  const base::LinearOperator& matrix;
  base::Backend backend;
  const base::Communicator& communicator = kOneProcess;
  base::Layout layout = {};  // empty: canonical order, with matrix.rows() rows on each rank
  const ModelBlock* model_block = nullptr;  // null: products with unit vectors
  std::vector<base::Index> model_rows =
      {};  // rows such as the reference space; empty: lowest diagonal elements
  const ModelSpace* model = nullptr;  // precomputed, in one process
  const RowBlock* low =
      nullptr;  // precomputed, in one process, as SolverSetup::lowest_block() makes it
};

/// Layout of the rows over ranks. Throws ErrorKind::usage if problem and matrix disagree.
base::Layout layout_of(const Problem& problem);

}  // namespace cisolve::solver
