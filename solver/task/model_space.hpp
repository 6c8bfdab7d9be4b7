#pragma once

#include <optional>

#include "solver/task/options.hpp"
#include "solver/vectors/metered_operator.hpp"
#include "solver/vectors/shifted_inverse.hpp"
#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {

/// The exact block of the matrix on a few rows.
struct ModelSpace {
  std::vector<Index> rows;
  ShiftedInverse inverse;
};

/// Some rows and the block of the matrix on them.
struct RowBlock {
  std::vector<Index> rows;
  SmallMatrix elements;
};

/// How many rows a model space has: as many as are wanted, or as many as pay.
int model_rows(const Options& options, const Backend& backend, Index dimension);

RowBlock block_of(const ModelBlock& matrix, std::vector<Index> rows);

/// On the lowest rows that a block of elements knows, at most `size`; nothing where it knows none.
std::optional<RowBlock> lowest_block_of(const ModelBlock& matrix, int size);

/// Those of the lowest elements of the diagonal, at most `size`.
std::vector<Index> lowest_rows(const Problem& problem, const Vectors& vectors,
                               ConstColumns diagonal, int size);

/// Of the rows that the problem names, or else of those with the lowest elements of the diagonal,
/// at most `size`; with an energy of those whose elements are nearest to it. Named rows must exist
/// all the same. Without a ModelBlock the block costs one product a row. Of its eigenvectors as
/// many as there are `starts` will be asked for.
ModelSpace make_model_space(const Problem& problem, MeteredOperator& matrix, const Vectors& vectors,
                            ConstColumns diagonal, int size, int starts,
                            std::optional<double> near = {});

/// Of the lowest rows that a block of elements knows; nothing where it knows none.
std::optional<ModelSpace> make_model_space(const ModelBlock& matrix, int size, int starts);

/// y = the first y.count() eigenvectors of the model space, or those nearest to an energy, zero
/// elsewhere.
void fill_from_model(const ModelSpace& model, const Vectors& vectors, std::optional<double> near,
                     int first, Columns y);

}  // namespace cisolve::solver
