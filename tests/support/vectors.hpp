#pragma once

#include <cmath>
#include <random>

#include "base/multivector.hpp"

namespace cisolve::test {

/// Random numbers from -1 to 1, in host memory.
inline base::MultiVector random_vectors(base::Index rows, int columns, unsigned seed) {
  base::MultiVector x(base::Backend::reference(), rows, columns);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  for (int j = 0; j < columns; ++j)
    for (base::Index i = 0; i < rows; ++i) x(i, j) = value(random);
  return x;
}

/// Random vectors of this norm.
inline base::MultiVector random_states(base::Index rows, int columns, double norm = 1) {
  base::MultiVector x = random_vectors(rows, columns, 17);
  for (int j = 0; j < columns; ++j) {
    double square = 0;
    for (base::Index i = 0; i < rows; ++i) square += x(i, j) * x(i, j);
    for (base::Index i = 0; i < rows; ++i) x(i, j) *= norm / std::sqrt(square);
  }
  return x;
}

}  // namespace cisolve::test
