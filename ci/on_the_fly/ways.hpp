#pragma once

#include <memory>
#include <type_traits>

#include "base/operator.hpp"
#include "ci/on_the_fly/block_tables.hpp"

// The two ways to compute a Hamiltonian within its product.
namespace cisolve::ci {

using Operator = std::unique_ptr<base::LinearOperator>;

/// A block of rows after the other: where alpha strings share their lists.
Operator by_blocks(BlockTables tables);
/// A row after the other, as HamiltonianRows finds it: for any lists. `h` must outlive it.
Operator by_rows(const HamiltonianRows& h);

namespace cuda {
Operator by_blocks(BlockTables tables);
/// Keeps a copy of what it needs.
Operator by_rows(const HamiltonianRows& h, const base::Backend& device);
}  // namespace cuda

/// Calls multiply(x, y) of at most `most` vectors at a time, 1, 2, 4 or 8 of them.
template <class Multiply>
void in_widths(base::ConstBlock x, base::Block y, int most, Multiply&& multiply) {
  for (int j = 0; j < x.columns;) {
    int now = most;
    while (now > x.columns - j) now /= 2;
    multiply(x.slice(j, now), y.slice(j, now));
    j += now;
  }
}

/// The same as multiply(width, x, y), where the width is a constant of the compiler's, at most
/// `kMost`.
template <int kMost, class Multiply>
void in_constant_widths(int most, base::ConstBlock x, base::Block y, Multiply&& multiply) {
  in_widths(x, y, most, [&](base::ConstBlock from, base::Block to) {
    if constexpr (kMost == 8)
      if (from.columns == 8) multiply(std::integral_constant<int, 8>(), from, to);
    if (from.columns == 4) multiply(std::integral_constant<int, 4>(), from, to);
    if (from.columns == 2) multiply(std::integral_constant<int, 2>(), from, to);
    if (from.columns == 1) multiply(std::integral_constant<int, 1>(), from, to);
  });
}

/// The same of at most 8 vectors.
template <class Multiply>
void in_constant_widths(base::ConstBlock x, base::Block y, Multiply&& multiply) {
  in_constant_widths<8>(8, x, y, multiply);
}

}  // namespace cisolve::ci
