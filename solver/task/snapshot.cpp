#include "solver/task/snapshot.hpp"

#include <algorithm>
#include <exception>
#include <span>

#include "solver/vectors/small_eigen.hpp"

namespace cisolve::solver {

void Snapshot::tell_first(const Vectors::Take& take) const {
  int width = std::min(columns(), kAtOnce);
  while (width > 1 && !vectors_.have_room_for(width)) width /= 2;
  if (width <= 1) return vectors_.tell_first(basis_, coefficients_, take);
  // As there, the other ranks send their rows whether the first one fails or not.
  std::exception_ptr failure;
  const auto tell = [&](std::span<const double> some) {
    if (failure) return;
    try {
      take(some);
    } catch (...) {
      if (vectors_.ranks().size() == 1) throw;
      failure = std::current_exception();
    }
  };
  SmallMatrix itself(1, 1);
  itself(0, 0) = 1;
  base::MultiVector made = vectors_.make(width, "vectors of a checkpoint");
  for (int first = 0; first < columns(); first += width) {
    const int count = std::min(width, columns() - first);
    vectors_.update(1, basis_, columns_of(coefficients_, first, count), 0,
                    columns_of(made, 0, count));
    for (int j = 0; j < count; ++j) vectors_.tell_first(columns_of(made, j, 1), itself, tell);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cisolve::solver
