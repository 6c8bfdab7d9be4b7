#pragma once

#include <type_traits>

#include "base/host_device.hpp"
#include "base/types.hpp"

namespace cisolve::base {

/// Non-owning view of a block of vectors in some backend's memory: columns contiguous, `stride`
/// elements apart.
template <class T>
struct BasicBlock {
  T* data = nullptr;
  Index rows = 0;
  int columns = 0;
  Index stride = 0;

  CISOLVE_HOST_DEVICE T* column(int j) const { return data + j * stride; }
  CISOLVE_HOST_DEVICE T& operator()(Index row, int j) const { return data[j * stride + row]; }

  CISOLVE_HOST_DEVICE BasicBlock slice(int first, int count) const {
    return {data + first * stride, rows, count, stride};
  }
  CISOLVE_HOST_DEVICE operator BasicBlock<const T>() const  // NOLINT: a view narrows freely
      requires(!std::is_const_v<T>) {
    return {data, rows, columns, stride};
  }
};

using Block = BasicBlock<double>;
using ConstBlock = BasicBlock<const double>;
using SingleBlock = BasicBlock<float>;  // in single precision
using ConstSingleBlock = BasicBlock<const float>;

}  // namespace cisolve::base
