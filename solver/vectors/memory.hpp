#pragma once

#include "solver/vectors/columns.hpp"

// Only for sources of this folder: where columns lie, in the memory of the backend.
namespace cisolve::solver {

template <class T>
base::BasicBlock<T> memory_of(const BasicColumns<T>& columns) {
  return columns.memory_;
}

/// Rows first to first + count of where columns lie.
template <class T>
base::BasicBlock<T> row_range(base::BasicBlock<T> v, base::Index first, base::Index count) {
  return {v.data + first, count, v.columns, v.stride};
}

}  // namespace cisolve::solver
