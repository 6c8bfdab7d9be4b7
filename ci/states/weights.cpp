#include "ci/states/weights.hpp"

#include <algorithm>
#include <cmath>

#include "base/loops.hpp"
#include "ci/spaces/spaces.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kPieces = 64;  // of a sum, whatever the number of threads
constexpr Index kLabelsAtOnce = 1 << 16;

/// Calls visit(piece, row, label) for all rows; the pieces, some alpha strings each, in parallel.
template <class Visit>
void for_each_label(const Space& space, std::span<const int> labels, Visit&& visit) {
  std::vector<int> betas;
  for (const String& beta : space.strings(Spin::beta)) betas.push_back(irrep_of(beta, labels));
  const auto alphas = space.strings(Spin::alpha);
  const Index grain = (std::ssize(alphas) + kPieces - 1) / kPieces;
  base::for_each_chunk(std::ssize(alphas), grain, space.host(), [&](Index first, Index last) {
    for (Index a = first; a < last; ++a) {
      const int alpha = irrep_of(alphas[a], labels);
      Index row = space.first_row(a);
      for (const StringNumber b : space.betas_of(a)) visit(first / grain, row++, alpha ^ betas[b]);
    }
  });
}

/// Keeps the rows with the largest |x|; of equal ones the earlier.
class LargestRows {
 public:
  LargestRows(std::span<const double> x, Index count) : x_(x), count_(count) {}

  void take(Index row) {
    const auto before = [this](Index i, Index j) { return is_before(i, j); };
    if (std::ssize(kept_) == count_) {  // a heap whose front is the least of those kept
      if (count_ == 0 || !is_before(row, kept_.front())) return;
      std::ranges::pop_heap(kept_, before);
      kept_.pop_back();
    }
    kept_.push_back(row);
    std::ranges::push_heap(kept_, before);
  }

  std::vector<Index> sorted() && {
    std::ranges::sort_heap(kept_, [this](Index i, Index j) { return is_before(i, j); });
    return std::move(kept_);
  }

 private:
  bool is_before(Index i, Index j) const {
    const double first = std::abs(x_[i]);
    const double second = std::abs(x_[j]);
    return first != second ? first > second : i < j;
  }

  std::span<const double> x_;
  Index count_;
  std::vector<Index> kept_;
};

}  // namespace

std::vector<Index> dominant_rows(std::span<const double> x, Index count,
                                 const base::Backend& host) {
  const Index rows = std::ssize(x);
  const Index grain = std::max<Index>(1, (rows + kPieces - 1) / kPieces);
  std::vector<std::vector<Index>> largest((rows + grain - 1) / grain);
  base::for_each_chunk(rows, grain, host, [&](Index first, Index last) {
    LargestRows here(x, count);
    for (Index row = first; row < last; ++row) here.take(row);
    largest[first / grain] = std::move(here).sorted();
  });
  LargestRows all(x, count);
  for (const auto& piece : largest)
    for (const Index row : piece) all.take(row);
  return std::move(all).sorted();
}

std::array<double, 8> irrep_weights(const Space& space, std::span<const int> labels,
                                    const double* x) {
  std::array<std::array<double, 8>, kPieces> pieces{};
  for_each_label(space, labels, [&](Index piece, Index row, int label) {
    pieces[piece][label] += x[row] * x[row];
  });
  std::array<double, 8> weights{};
  for (const auto& piece : pieces)
    for (std::size_t label = 0; label < weights.size(); ++label) weights[label] += piece[label];
  return weights;
}

double weight_of(const Space& space, std::span<const Determinant> determinants, const double* x) {
  std::vector<Index> rows;
  for (const Determinant& determinant : determinants)
    if (const auto row = space.row_of(determinant)) rows.push_back(*row);
  std::ranges::sort(rows);
  const auto repeats = std::ranges::unique(rows);
  rows.erase(repeats.begin(), repeats.end());
  double weight = 0;
  for (const Index row : rows) weight += x[row] * x[row];
  return weight;
}

IrrepLabels::IrrepLabels(const Space& space, std::span<const int> labels)
    : labels_(space.host(), space.dimension(), "the irreps of the determinants") {
  for_each_label(space, labels, [&](Index, Index row, int label) {
    labels_[row] = static_cast<std::int8_t>(label);
  });
}

void IrrepLabels::apply(base::ConstBlock x, base::Block y) const {
  base::for_each_chunk(rows(), kLabelsAtOnce, labels_.backend(), [&](Index first, Index last) {
    for (int j = 0; j < x.columns; ++j)
      for (Index row = first; row < last; ++row) y(row, j) = labels_[row] * x(row, j);
  });
}

}  // namespace cisolve::ci
