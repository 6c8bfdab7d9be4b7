#pragma once

#include <optional>

#include "solver/task/options.hpp"
#include "solver/vectors/metered_operator.hpp"
#include "solver/vectors/shifted_inverse.hpp"
#include "solver/vectors/vectors.hpp"

namespace cisolve::solver {

/// Exact block of the matrix on a few rows, ready for shifted solves.
struct ModelSpace {
  std::vector<Index> rows;
  ShiftedInverse inverse;
};

/// Rows and the block of the matrix on them.
struct RowBlock {
  std::vector<Index> rows;
  SmallMatrix elements;
};

/// Number of rows of a model space: as requested, or as pays.
int model_rows(const Options& options, const Backend& backend, Index dimension);

RowBlock block_of(const ModelBlock& matrix, std::vector<Index> rows);

/// Block on the lowest rows that `matrix` knows, at most `size`; nothing if it knows none.
std::optional<RowBlock> lowest_block_of(const ModelBlock& matrix, int size);

/// Rows of the lowest diagonal elements, at most `size`.
std::vector<Index> lowest_rows(const Problem& problem, const Vectors& vectors,
                               ConstColumns diagonal, int size);

/// Model space of at most `size` rows: those that the problem names, or those with the lowest
/// diagonal elements or, with `near`, with elements nearest to that energy. Named rows must exist
/// in any case. Without a ModelBlock this takes one product a row. `starts`: number of its
/// eigenvectors that will be needed.
ModelSpace make_model_space(const Problem& problem, MeteredOperator& matrix, const Vectors& vectors,
                            ConstColumns diagonal, int size, int starts,
                            std::optional<double> near = {});

/// Model space of the lowest rows that `matrix` knows; nothing if it knows none.
std::optional<ModelSpace> make_model_space(const ModelBlock& matrix, int size, int starts);

/// y = eigenvectors `first`, `first` + 1, ... of the model space, ascending or by distance from
/// `near`; zero elsewhere.
void fill_from_model(const ModelSpace& model, const Vectors& vectors, std::optional<double> near,
                     int first, Columns y);

}  // namespace cisolve::solver
