#pragma once

#include <concepts>
#include <functional>
#include <span>
#include <type_traits>

#include "base/multivector.hpp"

namespace cisolve::solver {

class HostPanelStore;

/// Non-owning view of adjacent columns of a block of vectors, which hides their memory: only
/// sources of this folder see it (memory.hpp). Columns that are only read may therefore be staged
/// from a HostPanelStore on the host.
template <class T>
class BasicColumns {
  using Vectors =
      std::conditional_t<std::is_const_v<T>, const base::MultiVector, base::MultiVector>;

 public:
  BasicColumns() = default;
  BasicColumns(Vectors& vectors) : memory_(vectors.block()) {}  // NOLINT: vectors are columns
  /// Columns in the memory of the backend.
  template <std::convertible_to<base::BasicBlock<T>> Memory>
  BasicColumns(const Memory& memory) : memory_(memory) {}  // NOLINT
  /// All vectors of a store.
  BasicColumns(const HostPanelStore& store, base::Index rows,
               int count) requires(std::is_const_v<T>)
      : memory_{nullptr, rows, count, 0}, store_(&store) {}
  operator BasicColumns<const T>() const  // NOLINT: a view narrows freely
      requires(!std::is_const_v<T>) {
    return memory_;
  }

  base::Index rows() const { return memory_.rows; }
  int count() const { return memory_.columns; }
  BasicColumns slice(int first, int count) const {
    BasicColumns some = memory_.slice(first, count);
    some.store_ = store_;
    some.first_ = first_ + first;
    return some;
  }

 private:
  template <class U>
  friend base::BasicBlock<U> memory_of(const BasicColumns<U>& columns);
  friend class PanelStoreAccess;

  base::BasicBlock<T> memory_;
  const HostPanelStore* store_ = nullptr;  // set if a store holds the columns
  int first_ = 0;                          // column in the store
};

using Columns = BasicColumns<double>;
using ConstColumns = BasicColumns<const double>;

/// Receives consecutive elements of vectors, some at a time.
using ElementSink = std::function<void(std::span<const double>)>;

}  // namespace cisolve::solver
