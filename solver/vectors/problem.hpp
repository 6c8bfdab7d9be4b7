#pragma once

#include <span>
#include <vector>

#include "base/backend.hpp"
#include "base/operator.hpp"
#include "base/ranks/communicator.hpp"
#include "base/ranks/layout.hpp"
#include "base/small_matrix.hpp"

namespace cisolve::solver {

/// Elements of the matrix for a few rows, where they can be had without products. It may be asked
/// by several threads at once.
class ModelBlock {
 public:
  ModelBlock() = default;
  ModelBlock(const ModelBlock&) = delete;
  ModelBlock& operator=(const ModelBlock&) = delete;
  virtual ~ModelBlock() = default;

  /// block(a, b) = A(rows_a, columns_b), with both counted over all ranks, in any order. Each rank
  /// asks for itself.
  virtual void fill(std::span<const base::Index> rows, std::span<const base::Index> columns,
                    base::SmallMatrix& block) const = 0;

  /// Where rows are columns a block is symmetric, of which half may be filled from the other.
  static bool is_square(std::span<const base::Index> rows, std::span<const base::Index> columns) {
    return rows.data() == columns.data() && rows.size() == columns.size();
  }

  /// The rows of the `count` lowest elements of the diagonal, ascending, or of all that there are;
  /// none where they are found sooner in the diagonal. The same on all ranks.
  virtual std::vector<base::Index> lowest(base::Index /*count*/) const { return {}; }
};

struct ModelSpace;
struct RowBlock;

inline const base::OneProcess kOneProcess;

/// What is to be solved, and where. Refers to objects that must outlive the solution. Ranks solve
/// it together: the matrix, the backend and all vectors are those of one rank, and so are memory
/// and errors; what follows from them is decided together.
struct Problem {
  const base::LinearOperator& matrix;
  base::Backend backend;
  const base::Communicator& communicator = kOneProcess;
  base::Layout layout =
      {};  // without rows: the canonical order, as many on a rank as its matrix has
  const ModelBlock* model_block = nullptr;  // without it, products with unit vectors
  std::vector<base::Index> model_rows =
      {};                             // such as the reference space; else the lowest diagonal
  const ModelSpace* model = nullptr;  // made before, of one process
  const RowBlock* low = nullptr;      // likewise, as Preparation::lowest_block() would make it
};

/// Which rows each rank has. Throws Fault::usage where the problem says what the matrix does not.
base::Layout layout_of(const Problem& problem);

}  // namespace cisolve::solver
