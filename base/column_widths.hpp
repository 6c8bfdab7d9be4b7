#pragma once

#include <type_traits>

#include "base/block.hpp"

// Splits the columns of a product into widths for which kernels are compiled.
namespace cisolve::base {

/// Calls multiply(x, y) for 1, 2, 4 or 8 columns at a time, at most `most`.
template <class Multiply>
void in_widths(ConstBlock x, Block y, int most, Multiply&& multiply) {
  for (int j = 0; j < x.columns;) {
    int now = most;
    while (now > x.columns - j) now /= 2;
    multiply(x.slice(j, now), y.slice(j, now));
    j += now;
  }
}

/// Like in_widths(), but calls multiply(width, x, y) with a compile-time width of at most `kMost`.
template <int kMost, class Multiply>
void in_constant_widths(int most, ConstBlock x, Block y, Multiply&& multiply) {
  in_widths(x, y, most, [&](ConstBlock from, Block to) {
    if constexpr (kMost == 8)
      if (from.columns == 8) multiply(std::integral_constant<int, 8>(), from, to);
    if (from.columns == 4) multiply(std::integral_constant<int, 4>(), from, to);
    if (from.columns == 2) multiply(std::integral_constant<int, 2>(), from, to);
    if (from.columns == 1) multiply(std::integral_constant<int, 1>(), from, to);
  });
}

/// Calls multiply() with compile-time widths of at most 8 columns.
template <class Multiply>
void in_constant_widths(ConstBlock x, Block y, Multiply&& multiply) {
  in_constant_widths<8>(8, x, y, multiply);
}

}  // namespace cisolve::base
