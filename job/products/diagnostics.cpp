#include "job/products/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/random.hpp"
#include "ci/oracle/element.hpp"

namespace cisolve::job {
namespace {

using sparse::Column;

// Sums of the same integrals in another order differ by no more, relative to a large element.
constexpr double kMostDifference = 1e-12;

struct SparseRow {
  std::vector<Column> columns;
  std::vector<double> values;

  double at(Index column) const {
    const auto found = std::ranges::lower_bound(columns, column);
    if (found == columns.end() || *found != column) return 0;
    return values[found - columns.begin()];
  }
};

SparseRow row_of(const sparse::RowSource& rows, Index row) {
  Column length = 0;
  rows.count(row, {&length, 1});
  SparseRow result{std::vector<Column>(length), std::vector<double>(length)};
  rows.fill(row, row + 1, result.columns, result.values);
  return result;
}

void compare(Disagreement& worst, double found, double expected, Index row, Index column) {
  double difference = std::abs(found - expected) / std::max(1.0, std::abs(expected));
  if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
  if (difference > worst.largest) worst = {difference, row, column};
}

/// Some of the numbers below `bound`, ascending: the first, the last, and others at random.
std::set<Index> sample(Index bound, Index count, base::RandomStream& random) {
  std::set<Index> chosen;
  if (bound == 0) return chosen;
  chosen.insert({0, bound - 1});
  for (Index i = 2; i < count; ++i)
    chosen.insert(static_cast<Index>(random.below(static_cast<std::uint64_t>(bound))));
  return chosen;
}

/// One element from its two determinants; rows are numbered as they are stored.
class Oracle {
 public:
  Oracle(const DeterminantProblem& molecule, double threshold)
      : molecule_(molecule), threshold_(threshold) {}

  double operator()(Index row, Index column) const {
    const double value = ci::element(molecule_.integrals, determinant(row), determinant(column));
    return row != column && std::abs(value) <= threshold_ ? 0 : value;
  }

 private:
  ci::Determinant determinant(Index stored) const {
    const ci::Partition* partition = molecule_.partition.get();
    return molecule_.space.determinant(partition == nullptr ? stored
                                                            : partition->canonical(stored));
  }

  const DeterminantProblem& molecule_;
  double threshold_;
};

}  // namespace

bool Diagnostics::passed() const {
  return transposed.largest <= kMostDifference && from_determinants.largest <= kMostDifference;
}

Diagnostics diagnose(const sparse::RowSource& rows, const DeterminantProblem* molecule,
                     double threshold, Index count) {
  base::RandomStream random(20181);
  Diagnostics found;
  found.has_determinants = molecule != nullptr;
  const sparse::MatrixShape shape = rows.shape();
  for (const Index row : sample(shape.rows, count, random)) {
    const SparseRow elements = row_of(rows, row);
    const Index length = std::ssize(elements.columns);
    ++found.rows;
    found.elements += length;
    for (const Index k : sample(length, count, random)) {
      const Index column = elements.columns[k];
      compare(found.transposed, elements.values[k], row_of(rows, column).at(row), row, column);
    }
    if (molecule == nullptr) continue;
    const Oracle oracle(*molecule, threshold);
    for (Index k = 0; k < length; ++k)
      compare(found.from_determinants, elements.values[k], oracle(row, elements.columns[k]), row,
              elements.columns[k]);
    for (const Index column : sample(shape.columns, 4 * count, random)) {
      if (elements.at(column) != 0) continue;
      ++found.zeros;
      compare(found.from_determinants, 0, oracle(row, column), row, column);
    }
  }
  return found;
}

}  // namespace cisolve::job
