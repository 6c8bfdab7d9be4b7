#pragma once

#include <concepts>
#include <type_traits>

#include "base/multivector.hpp"

namespace cisolve::solver {

/// Neighbouring columns of a block of vectors, as the methods name them to Vectors and to
/// MeteredOperator: how many there are, not where they lie. Only the sources beside this one ask
/// that (memory.hpp), so that vectors may move elsewhere, and be staged from there, without a
/// method noticing. A view: it owns nothing.
template <class T>
class BasicColumns {
  using Vectors =
      std::conditional_t<std::is_const_v<T>, const base::MultiVector, base::MultiVector>;

 public:
  BasicColumns() = default;
  BasicColumns(Vectors& vectors) : memory_(vectors.block()) {}  // NOLINT: vectors are columns
  /// What a caller holds in the memory of the backend.
  template <std::convertible_to<base::BasicBlock<T>> Memory>
  BasicColumns(const Memory& memory) : memory_(memory) {}  // NOLINT
  operator BasicColumns<const T>() const                   // NOLINT: a view narrows freely
      requires(!std::is_const_v<T>) {
    return memory_;
  }

  base::Index rows() const { return memory_.rows; }
  int count() const { return memory_.columns; }
  BasicColumns slice(int first, int count) const { return memory_.slice(first, count); }

 private:
  template <class U>
  friend base::BasicBlock<U> memory_of(const BasicColumns<U>& columns);

  base::BasicBlock<T> memory_;
};

using Columns = BasicColumns<double>;
using ConstColumns = BasicColumns<const double>;

}  // namespace cisolve::solver
