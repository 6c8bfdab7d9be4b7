#include "ci/properties/weights.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/loops.hpp"
#include "ci/fock/spaces/spaces.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kPiecesOfSum = 64;  // independent of the number of threads
constexpr Index kLabelsAtOnce = 1 << 16;

/// Calls visit(piece, row, label) for all rows; pieces of consecutive alpha strings run
/// concurrently.
template <class Visit>
void for_each_label(const Space& space, std::span<const int> labels, Visit&& visit) {
  std::vector<int> betas;
  for (const String& beta : space.strings(Spin::beta)) betas.push_back(irrep_of(beta, labels));
  const auto alphas = space.strings(Spin::alpha);
  const Index grain = (std::ssize(alphas) + kPiecesOfSum - 1) / kPiecesOfSum;
  base::for_each_chunk(std::ssize(alphas), grain, space.host(), [&](Index first, Index last) {
    for (Index a = first; a < last; ++a) {
      const int alpha = irrep_of(alphas[a], labels);
      Index row = space.first_row(a);
      for (const StringNumber b : space.betas_of(a)) visit(first / grain, row++, alpha ^ betas[b]);
    }
  });
}

struct Candidate {
  double size;  // |x|
  Index row;

  bool is_before(const Candidate& other) const {
    return size != other.size ? size > other.size : row < other.row;
  }
};

/// Keeps the `count` rows with the largest |x|, ties by row. Buffers up to twice as many and then
/// drops the smaller half, which is cheaper than a sorted list.
class Largest {
 public:
  explicit Largest(Index count) : count_(count) {}

  /// Rows must follow all earlier ones. Most are rejected, kTogether at once.
  void take_all(const double* x, Index first, Index last) {
    constexpr Index kTogether = 64;
    for (Index row = first; row < last; row += kTogether) {
      const Index end = std::min(row + kTogether, last);
      if (least_ && !any_exceeds(least_->size, x + row, x + end)) continue;
      for (Index i = row; i < end; ++i) take({std::abs(x[i]), i});
    }
  }

  /// Whether the candidate is kept for now.
  bool take(const Candidate& candidate) {
    if (count_ == 0 || (least_ && !candidate.is_before(*least_))) return false;
    kept_.push_back(candidate);
    if (std::ssize(kept_) == 2 * count_) leave_largest();
    return true;
  }

  std::vector<Candidate> sorted() && {
    if (std::ssize(kept_) > count_) leave_largest();
    std::ranges::sort(kept_, kBefore);
    return std::move(kept_);
  }

 private:
  static bool any_exceeds(double size, const double* first, const double* last) {
    Index count = 0;  // counted to the end, so that compilers vectorise the comparison
    for (const double* x = first; x < last; ++x) count += std::abs(*x) > size ? 1 : 0;
    return count > 0;
  }

  static constexpr auto kBefore = [](const Candidate& a, const Candidate& b) {
    return a.is_before(b);
  };

  void leave_largest() {
    const auto last = kept_.begin() + (count_ - 1);
    std::ranges::nth_element(kept_, last, kBefore);
    least_ = *last;
    kept_.erase(last + 1, kept_.end());
  }

  Index count_;
  std::vector<Candidate> kept_;
  std::optional<Candidate> least_;  // the smallest of the `count` largest
};

}  // namespace

std::vector<Index> dominant_rows(std::span<const double> x, Index count,
                                 const base::Backend& host) {
  const Index rows = std::ssize(x);
  const Index grain = std::max<Index>(1, (rows + kPiecesOfSum - 1) / kPiecesOfSum);
  std::vector<std::vector<Candidate>> largest((rows + grain - 1) / grain);
  base::for_each_chunk(rows, grain, host, [&](Index first, Index last) {
    Largest here(count);
    here.take_all(x.data(), first, last);
    largest[first / grain] = std::move(here).sorted();
  });
  Largest all(count);
  for (const auto& piece : largest)
    for (const Candidate& candidate : piece)
      if (!all.take(candidate)) break;  // nor are the later ones
  std::vector<Index> found;
  for (const Candidate& candidate : std::move(all).sorted()) found.push_back(candidate.row);
  return found;
}

std::array<double, 8> irrep_weights(const Space& space, std::span<const int> labels,
                                    const double* x) {
  std::array<std::array<double, 8>, kPiecesOfSum> pieces{};
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
