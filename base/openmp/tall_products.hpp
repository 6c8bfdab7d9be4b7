#pragma once

#include <cstring>

#include "base/block.hpp"
#include "base/small_matrix.hpp"

// Products of a tile of rows of tall blocks with each other, and with small matrices. Columns are
// processed in groups, to hide the latency of additions and reuse loads; the order of sums depends
// on the columns only.
namespace cisolve::base::openmp {

struct Range {
  Index first;
  Index last;
};

/// Doubles in a vector register.
inline constexpr Index kLanes = 4;
using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;

inline void load(const double* from, Lanes& lanes) { std::memcpy(&lanes, from, sizeof lanes); }

inline void load(const float* from, Lanes& lanes) {
  using Singles [[gnu::vector_size(kLanes * sizeof(float))]] = float;
  Singles singles;
  std::memcpy(&singles, from, sizeof singles);
  lanes = __builtin_convertvector(singles, Lanes);
}

inline void store(const Lanes& lanes, double* to) { std::memcpy(to, &lanes, sizeof lanes); }

inline double total(const Lanes& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

/// Calls take.operator()<N>(first) for groups of N = Most, Most / 2, ..., 1 columns.
template <int Most, class Take>
void in_groups(int columns, Take take, int first = 0) {
  for (; first + Most <= columns; first += Most) take.template operator()<Most>(first);
  if constexpr (Most > 1) in_groups<Most / 2>(columns, take, first);
}

/// Adds the A x B inner products of columns a.. of x with b.. of y to g.
template <int A, int B, class X>
void add_products(BasicBlock<const X> x, int a, ConstBlock y, int b, Range rows, Block g) {
  Lanes sums[A][B] = {};
  Index r = rows.first;
  for (; r + kLanes <= rows.last; r += kLanes) {
    Lanes right[B];
    for (int k = 0; k < B; ++k) load(y.column(b + k) + r, right[k]);
    for (int i = 0; i < A; ++i) {
      Lanes left;
      load(x.column(a + i) + r, left);
      for (int k = 0; k < B; ++k) sums[i][k] += left * right[k];
    }
  }
  for (int i = 0; i < A; ++i)
    for (int k = 0; k < B; ++k) {
      double rest = 0;
      for (Index last = r; last < rows.last; ++last) rest += x(last, a + i) * y(last, b + k);
      g(a + i, b + k) += total(sums[i][k]) + rest;
    }
}

/// g = g + x^T y
template <class X>
void add_gram_of_tile(BasicBlock<const X> x, ConstBlock y, Range rows, Block g) {
  in_groups<2>(y.columns, [&]<int B>(int b) {
    in_groups<8 / B>(x.columns, [&]<int A>(int a) { add_products<A, B>(x, a, y, b, rows, g); });
  });
}

/// Adds columns a.. of x times `factors` to columns b.. of y.
template <int A, int B, class X>
void add_columns(BasicBlock<const X> x, int a, const double (&factors)[A][B], Block y, int b,
                 Range rows) {
  Index r = rows.first;
  for (; r + kLanes <= rows.last; r += kLanes) {
    Lanes out[B];
    for (int k = 0; k < B; ++k) load(y.column(b + k) + r, out[k]);
    for (int i = 0; i < A; ++i) {
      Lanes in;
      load(x.column(a + i) + r, in);
      for (int k = 0; k < B; ++k) out[k] += factors[i][k] * in;
    }
    for (int k = 0; k < B; ++k) store(out[k], y.column(b + k) + r);
  }
  for (int k = 0; k < B; ++k)
    for (Index last = r; last < rows.last; ++last)
      for (int i = 0; i < A; ++i) y(last, b + k) += factors[i][k] * x(last, a + i);
}

/// y = y + alpha x c
template <class X>
void add_to_tile(double alpha, BasicBlock<const X> x, const SmallMatrix& c, Block y, Range rows) {
  in_groups<2>(y.columns, [&]<int B>(int b) {
    in_groups<8>(x.columns, [&]<int A>(int a) {
      double factors[A][B];
      for (int i = 0; i < A; ++i)
        for (int k = 0; k < B; ++k) factors[i][k] = alpha * c(a + i, b + k);
      add_columns<A, B>(x, a, factors, y, b, rows);
    });
  });
}

}  // namespace cisolve::base::openmp
