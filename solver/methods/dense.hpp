#pragma once

#include "solver/basis/search_space.hpp"
#include "solver/task/result.hpp"
#include "solver/task/wanted.hpp"

namespace cisolve::solver {

/// The matrix in full, in the host's memory, from products with unit vectors: the same on each
/// rank. Throws Fault::bad_input where it is not finite or not symmetric; elements that differ by
/// no more than `rounding` are the same.
base::Array<double> dense_matrix(MeteredOperator& matrix, const Vectors& vectors, double rounding);

/// Whether the host has memory for what follows.
bool host_has_room_for_dense(const Backend& backend, Index rows, int states);
/// Whether there is memory for it, on the host and where the vectors lie.
bool has_room_for_dense(const Backend& backend, Index rows, int states);

/// All eigenvalues and the lowest states, or those that are `wanted`, exactly, for small
/// dimensions; each rank solves the whole and keeps its rows of the states.
Result dense(MeteredOperator& matrix, const Vectors& vectors, const Options& options,
             const Wanted* wanted = nullptr);

}  // namespace cisolve::solver
