#pragma once

#include "solver/basis/search_space.hpp"
#include "solver/task/result.hpp"
#include "solver/task/state_selection.hpp"

namespace cisolve::solver {

/// The full matrix in host memory, from products with unit vectors; identical on all ranks. Throws
/// ErrorKind::bad_input if it is not finite or not symmetric; elements that differ by no more than
/// `rounding` count as equal.
base::Array<double> dense_matrix(MeteredOperator& matrix, const Vectors& vectors, double rounding);

/// Whether the host has memory for dense().
bool host_has_memory_for_dense(const Backend& backend, Index rows, int states);
/// Whether host and backend have memory for dense().
bool has_memory_for_dense(const Backend& backend, Index rows, int states);

/// Dense diagonalisation for small dimensions: all eigenvalues, and the lowest or the `wanted`
/// states, exact up to rounding. Each rank solves the whole problem and keeps its rows of the
/// states.
Result dense(MeteredOperator& matrix, const Vectors& vectors, const Options& options,
             const StateSelection* wanted = nullptr);

}  // namespace cisolve::solver
