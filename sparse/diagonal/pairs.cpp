#include "sparse/diagonal/pairs.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace cisolve::sparse {
namespace {

using Terms = std::vector<DiagonalTerm>;

/// A number for each shift from -(rows - 1) on; -1 if the shift has none.
class ShiftNumbers {
 public:
  explicit ShiftNumbers(const MatrixShape& shape)
      : least_(1 - shape.rows),
        numbers_(std::max<Index>(0, shape.rows + shape.columns - 1), Index{-1}) {}
  Index& operator[](Index shift) { return numbers_[shift - least_]; }

 private:
  Index least_;
  std::vector<Index> numbers_;
};

/// Calls visit(p, q) for terms with a common row; shifts of A ascend.
template <class Visit>
void for_each_pair(const Terms& a, const Terms& b, const ProductPairs& all, Visit&& visit) {
  for (const DiagonalTerm& p : a)
    for (const DiagonalTerm& q : b) {
      const Index shift = p.shift + q.shift;
      const Index first = std::max({Index{0}, -p.shift, -shift});
      const Index last = std::min({all.rows, all.inner - p.shift, all.columns - shift});
      if (first < last) visit(p, q);
    }
}

std::vector<Index> shifts_of(const Terms& a, const Terms& b, const ProductPairs& all,
                             const std::vector<Index>& further, const MatrixShape& shape) {
  ShiftNumbers seen(shape);
  std::vector<Index> shifts;
  const auto add = [&](Index shift) {
    if (seen[shift] < 0) shifts.push_back(shift);
    seen[shift] = 0;
  };
  for_each_pair(a, b, all,
                [&](const DiagonalTerm& p, const DiagonalTerm& q) { add(p.shift + q.shift); });
  std::ranges::for_each(further, add);
  return shifts;
}

/// Assigns the pairs to their outputs, in order of visits.
void fill_pairs(const Terms& a, const Terms& b, ProductPairs& all) {
  ShiftNumbers output_of(all.result.shape);
  for (Index k = 0; k < std::ssize(all.outputs); ++k) output_of[all.outputs[k].shift] = k;
  all.offsets.assign(all.outputs.size() + 1, 0);
  for_each_pair(a, b, all, [&](const DiagonalTerm& p, const DiagonalTerm& q) {
    const Index output = output_of[p.shift + q.shift];
    if (output >= 0) ++all.offsets[output + 1];
  });
  for (std::size_t k = 1; k < all.offsets.size(); ++k) all.offsets[k] += all.offsets[k - 1];
  std::vector<Index> next(all.offsets.begin(), all.offsets.end() - 1);
  all.pairs.resize(all.offsets.back());
  all.steps.resize(all.offsets.back());
  for_each_pair(a, b, all, [&](const DiagonalTerm& p, const DiagonalTerm& q) {
    const Index output = output_of[p.shift + q.shift];
    if (output < 0) return;
    all.pairs[next[output]] = {p.base, q.base + p.shift};
    all.steps[next[output]++] = p.shift;
  });
}

/// Rows of an output that some pair reaches. As steps descend, the pairs' first rows ascend.
Index reached(const ProductPairs& all, Index output) {
  Index count = 0;
  Index end = 0;
  for (Index pair = all.offsets[output + 1] - 1; pair >= all.offsets[output]; --pair) {
    const Index last = all.last_row(output, pair);
    count += std::max<Index>(0, last - std::max(end, all.first_row(output, pair)));
    end = std::max(end, last);
  }
  return count;
}

void count_elements(ProductPairs& all, const std::vector<Index>& further) {
  ShiftNumbers given(all.result.shape);
  for (const Index shift : further) given[shift] = 0;
  const auto& [name, shape, half, diagonals, terms, positions] = all.result;
  for (Index k = 0; k < std::ssize(all.outputs); ++k) {
    const Index shift = all.outputs[k].shift;
    const Index count = given[shift] == 0 ? all.last_row(k) - all.first_row(k) : reached(all, k);
    all.held += count;
    all.elements += is_mirrored(name, shape, half, shift) ? 2 * count : count;
  }
}

}  // namespace

std::vector<DiagonalTerm> DiagonalOperand::terms() const {
  const base::Array<DiagonalTerm> on_host = matrix.terms.to(matrix.terms.backend().host());
  Terms list(on_host.span().begin(), on_host.span().end());
  if (!transposed) return list;
  for (DiagonalTerm& term : list) term = {term.base - term.shift, -term.shift};
  std::ranges::reverse(list);
  return list;
}

ProductPairs pair_up(const DiagonalOperand& a, const DiagonalOperand& b, bool half,
                     const std::vector<Index>& further) {
  if (a.columns() != b.rows())
    base::fail(base::ErrorKind::bad_input, "a matrix of ", a.rows(), " x ", a.columns(),
               " cannot be multiplied by one of ", b.rows(), " x ", b.columns(), "; expected ",
               a.columns(), " rows");
  ProductPairs all{.rows = a.rows(), .inner = a.columns(), .columns = b.columns(), .result = {}};
  const Terms terms_a = a.terms();
  const Terms terms_b = b.terms();
  const bool compact = a.matrix.compact() && b.matrix.compact();
  const std::string_view name = compact ? kCompactDiagonal : kDiagonal;
  const MatrixShape shape{all.rows, all.columns, 0, half};
  all.result = lay_out(name, shape, half, shifts_of(terms_a, terms_b, all, further, shape));
  std::ranges::copy_if(
      all.result.terms, std::back_inserter(all.outputs),
      [&](const DiagonalTerm& term) { return is_stored(name, shape, half, term.shift); });
  fill_pairs(terms_a, terms_b, all);
  count_elements(all, further);
  return all;
}

}  // namespace cisolve::sparse
