#include "job/states/one_parity.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>

#include "base/error.hpp"
#include "solver/vectors/small_eigen.hpp"
#include "solver/vectors/vectors.hpp"

namespace cisolve::job {
namespace {

using base::Index;
using ci::Halves;
using ci::Parity;

// Where a search space has half of what it would have, halves are worth that they are searched one
// after the other, which takes more products than a search among all.
constexpr Index kFewColumns = 12;
constexpr Index kFewRows = 2000;
constexpr Index kModelRows = 200;

class OfOneParity final : public solver::Part {
 public:
  OfOneParity(const ci::FlipProduct& product, Parity parity, const solver::ModelBlock& elements,
              double lowest)
      : matrix_(product, parity), elements_(elements, matrix_.halves()), lowest_(lowest) {}

  const base::LinearOperator& matrix() const override { return matrix_; }
  const solver::ModelBlock& model_block() const override { return elements_; }
  double lowest() const override { return lowest_; }
  void expand(base::ConstBlock part, base::Block whole) const override {
    matrix_.expand(part, whole);
  }
  solver::Snapshot::Room room() const override {
    if (!matrix_.backend().is_host()) return {};
    const auto [part, whole] = matrix_.room();
    return {part.column(0), whole.column(0)};
  }

 private:
  ci::OneParity matrix_;
  HalvesElements elements_;
  double lowest_;
};

/// The halves of a parity that some determinants have, each once.
std::vector<Index> halves_of(const Halves& halves, std::span<const Index> determinants) {
  std::vector<Index> found;
  for (const Index row : determinants)
    if (const Index half = halves.half_of(row); half >= 0) found.push_back(half);
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

/// Among the same determinants for both parities, so that neither has more of them to be low with.
double lowest_of_model(const Halves& halves, const solver::ModelBlock& whole,
                       std::span<const Index> determinants) {
  const std::vector<Index> rows = halves_of(halves, determinants);
  if (rows.empty()) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<int>(rows.size());
  base::SmallMatrix block(count, count);
  HalvesElements(whole, halves).fill(rows, block);
  return solver::symmetric_eigen(block).values.front();
}

/// Even where the first vector of a start is so for the most part.
bool is_even(const Halves& halves, const base::MultiVector& start, const base::Backend& host) {
  const base::MultiVector first =
      base::MultiVector::copy_of(start.backend(), start.block(0, 1), host);
  const ci::ParityNorms norms = halves.flip().norms_of(first.block().column(0), host);
  return norms.even >= norms.odd;
}

/// Whether there are few columns of whole vectors, and more of halves beside two whole ones.
bool is_short_of_memory(const ci::FlipProduct& product) {
  const base::Backend& backend = product.backend();
  const Index rows = product.rows();
  const Index left = backend.memory().left();
  const auto columns = [&](Index bytes, Index numbers) {
    return solver::Vectors::columns_that_fit(bytes, backend.is_host(), numbers, numbers);
  };
  const Index whole = columns(left, rows);
  if (rows < kFewRows || whole >= kFewColumns) return false;
  const Index held = 2 * rows * Index{sizeof(double)};
  return left > held && columns(left - held, Halves(*product.flip(), Parity::even).rows()) > whole;
}

}  // namespace

Parities::Parities(const ci::FlipProduct& product, const solver::ModelBlock& elements,
                   const solver::Checkpoint* start)
    : product_(product),
      elements_(elements),
      host_(product.backend().host()),
      even_(*product.flip(), Parity::even),
      odd_(*product.flip(), Parity::odd),
      likely_(Parity::even) {
  const std::vector<Index> rows = elements.lowest(2 * kModelRows);
  lowest_even_ = lowest_of_model(even_, elements, rows);
  lowest_odd_ = lowest_of_model(odd_, elements, rows);
  if (lowest_odd_ < lowest_even_) likely_ = Parity::odd;
  if (start != nullptr) likely_ = is_even(even_, start->basis, host_) ? Parity::even : Parity::odd;
}

const Halves& Parities::of(Side side) const {
  return (side == Side::likely) == (likely_ == Parity::even) ? even_ : odd_;
}

std::unique_ptr<const solver::Part> Parities::make(Side side) const {
  const Parity parity = of(side).parity();
  return std::make_unique<OfOneParity>(product_, parity, elements_,
                                       parity == Parity::even ? lowest_even_ : lowest_odd_);
}

void Parities::expand(Side side, const double* part, double* whole) const {
  of(side).expand(part, whole, host_);
}

void Parities::contract(Side side, const double* whole, double* part) const {
  of(side).fold(0.5, whole, part, host_);
}

std::unique_ptr<const Parities> Parities::of(const base::LinearOperator& matrix,
                                             const solver::ModelBlock& elements,
                                             const solver::Options& options,
                                             const solver::Checkpoint* start) {
  using solver::Method;
  const auto* product = dynamic_cast<const ci::FlipProduct*>(&matrix);
  if (product == nullptr || product->flip() == nullptr) return nullptr;
  const bool is_davidson =
      options.method == Method::automatic || options.method == Method::davidson;
  if (!is_davidson || options.states > 1 || !options.are_lowest()) return nullptr;
  // Others are refused by who solves the whole.
  const bool is_whole = start == nullptr || start->layout == base::Layout::whole(matrix.rows());
  if (!is_whole || !is_short_of_memory(*product)) return nullptr;
  return std::make_unique<const Parities>(*product, elements, start);
}

void HalvesElements::fill(std::span<const Index> rows, base::SmallMatrix& block) const {
  std::vector<Index> all;
  for (const Index row : rows) std::ranges::copy(halves_.rows_of(row), std::back_inserter(all));
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  base::SmallMatrix whole(static_cast<int>(all.size()), static_cast<int>(all.size()));
  whole_.fill(all, whole);
  const double sign = halves_.parity() == Parity::even ? 1 : -1;
  struct Term {
    std::array<int, 2> at;
    std::array<double, 2> factor;
  };
  std::vector<Term> terms;
  for (const Index row : rows) {
    const auto [here, there] = halves_.rows_of(row);
    const auto place = [&](Index of) {
      return static_cast<int>(std::ranges::lower_bound(all, of) - all.begin());
    };
    const double root = 1 / std::numbers::sqrt2;
    terms.push_back({{place(here), place(there)},
                     here == there ? std::array{1.0, 0.0} : std::array{root, sign * root}});
  }
  for (int j = 0; j < block.columns(); ++j)
    for (int i = 0; i < block.rows(); ++i) {
      double sum = 0;
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
          sum += terms[i].factor[a] * terms[j].factor[b] * whole(terms[i].at[a], terms[j].at[b]);
      block(i, j) = sum;
    }
}

/// The diagonal of both of a pair is the same. Most are of two, so that up to twice as many
/// determinants are needed.
std::vector<Index> HalvesElements::lowest(Index count) const {
  for (Index rows = 2 * count;;) {
    std::vector<Index> found = halves_of(halves_, whole_.lowest(rows));
    const Index size = std::ssize(found);
    if (size <= count) return found;
    rows = rows * count / size;
  }
}

}  // namespace cisolve::job
