#include "job/states/one_parity.hpp"

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "base/ranks/collective_errors.hpp"
#include "job/states/model_elements.hpp"
#include "solver/task/snapshot.hpp"
#include "solver/vectors/shifted_inverse.hpp"
#include "solver/vectors/space_bytes.hpp"

namespace cisolve::job {
namespace {

using base::Index;
using ci::Parity;
using ci::ParityBasis;
using solver::ParitySide;

constexpr Index kFewRows = 2000;  // products are faster than guessing the parity
constexpr Index kModelRows = 100;

class OneParitySector final : public solver::OperatorSector {
 public:
  OneParitySector(std::shared_ptr<const ci::ParityBlockOperator> matrix,
                  const ParityModelBlock& elements, double lowest)
      : matrix_(std::move(matrix)), elements_(elements), lowest_(lowest) {}

  const base::LinearOperator& matrix() const override { return *matrix_; }
  const solver::ModelBlock& model_block() const override { return elements_; }
  double lowest() const override { return lowest_; }
  base::Layout layout() const override { return matrix_->layout(); }
  void expand(base::ConstBlock part, base::Block whole) const override {
    matrix_->expand(part, whole);
  }
  void contract(const solver::Vectors& whole, const base::MultiVector& given,
                const base::Layout& layout, int column, base::Block part) const override {
    whole.from(given, layout, matrix_->vectors().y(), column);
    matrix_->contract_image(part.data);
  }
  solver::Snapshot::HostWorkspace host_workspace() const override {
    if (!matrix_->backend().is_host()) return {};
    double* const whole = matrix_->vectors().x().data;
    if (matrix_->layout().ranks() > 1)
      return {nullptr, whole};  // an image has this rank's rows alone
    return {matrix_->vectors().y().data, whole};
  }

 private:
  std::shared_ptr<const ci::ParityBlockOperator> matrix_;
  const ParityModelBlock& elements_;
  double lowest_;
};

class BothParitySectors final : public solver::SectorPair {
 public:
  /// `parities` must outlive it.
  BothParitySectors(const Parities& parities,
                    const std::shared_ptr<const ci::ParityPairOperator>& both)
      : parities_(parities),
        both_(both),
        likely_({both, &both->of(parities.parity_of(ParitySide::likely))},
                parities.elements_of(ParitySide::likely), parities.lowest(ParitySide::likely)),
        other_({both, &both->of(parities.parity_of(ParitySide::other))},
               parities.elements_of(ParitySide::other), parities.lowest(ParitySide::other)) {}

  const solver::OperatorSector& part(ParitySide side) const override {
    return side == ParitySide::likely ? likely_ : other_;
  }
  base::Block source(ParitySide side) const override {
    return both_->source(parities_.parity_of(side));
  }
  base::Block image(ParitySide side) const override {
    return both_->image(parities_.parity_of(side));
  }
  void multiply(ParitySide side, double shift) const override {
    both_->multiply(parities_.parity_of(side), shift);
  }
  void multiply_both(double shift) const override { both_->multiply_both(shift); }

 private:
  const Parities& parities_;
  std::shared_ptr<const ci::ParityPairOperator> both_;
  OneParitySector likely_;
  OneParitySector other_;
};

/// The functions of a parity that contain given determinants, each once.
std::vector<Index> parity_rows_of(const ParityBasis& basis, std::span<const Index> determinants) {
  std::vector<Index> found;
  for (const Index row : determinants)
    if (const Index half = basis.half_of(row); half >= 0) found.push_back(half);
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

/// Uses the same determinants for both parities, so that neither is favoured.
double lowest_of_model(const ParityBasis& basis, const ParityModelBlock& elements,
                       std::span<const Index> determinants) {
  const std::vector<Index> rows = parity_rows_of(basis, determinants);
  if (rows.empty()) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<int>(rows.size());
  base::SmallMatrix block(count, count);
  elements.fill(rows, rows, block);
  return solver::ShiftedInverse(std::move(block), 1).lowest(1).values.front();
}

/// Whether memory holds as many columns in the parity basis, in addition to the workspace for whole
/// vectors, as it holds columns of whole vectors.
bool has_memory_for_search_space(const ci::ParityOperator& product) {
  const base::Backend& backend = product.backend();
  const ci::SwapPartition& partition = product.partition();
  const Index rows = product.rows();
  const Index left = backend.memory().left();
  const auto columns = [&](Index bytes, Index numbers) {
    return solver::columns_that_fit(
        {.bytes = bytes, .on_host = backend.is_host(), .rows = numbers, .dimension = numbers});
  };
  const Index of_whole = product.whole_workspace() == nullptr ? whole_buffer_size(partition) : 0;
  const Index held =
      (of_whole + image_buffer_size(partition) + partition.staged()) * Index{sizeof(double)};
  const Index numbers = (partition.coefficients() + 1) / 2;
  if (rows == 0) return left > held;
  return left > held && columns(left - held, numbers) >= columns(left, rows);
}

}  // namespace

Parities::Parities(const ci::ParityOperator& product, const solver::ModelBlock& elements)
    : product_(product),
      host_(product.backend().host()),
      even_(*product.alpha_beta_swap(), Parity::even),
      odd_(*product.alpha_beta_swap(), Parity::odd),
      even_elements_(elements, even_, host_),
      odd_elements_(elements, odd_, host_) {
  const std::vector<Index> rows = elements.lowest(2 * kModelRows);
  lowest_even_ = lowest_of_model(even_, even_elements_, rows);
  lowest_odd_ = lowest_of_model(odd_, odd_elements_, rows);
}

void Parities::choose_likely(const base::Communicator& ranks) {
  double lowest[] = {lowest_even_, lowest_odd_};  // processors may round differently
  ranks.broadcast(std::span<double>(lowest), 0);
  std::tie(lowest_even_, lowest_odd_) = std::tie(lowest[0], lowest[1]);
  likely_ = lowest_odd_ < lowest_even_ ? Parity::odd : Parity::even;
}

void Parities::go_on_from(const solver::Checkpoint& start, const base::Communicator& ranks) {
  const solver::Vectors whole(product_.backend(), ranks, product_.partition().layout(), 1);
  base::MultiVector first = whole.make(1, "a start vector");
  whole.from(start.basis, start.layout, first);
  const ci::ParityNorms norms = product_.parity_norms(first.block().data);
  likely_ = norms.even >= norms.odd ? Parity::even : Parity::odd;
}

const ParityBasis& Parities::basis_of(ParitySide side) const {
  return (side == ParitySide::likely) == (likely_ == Parity::even) ? even_ : odd_;
}

const ParityModelBlock& Parities::elements_of(ParitySide side) const {
  return parity_of(side) == Parity::even ? even_elements_ : odd_elements_;
}

const std::shared_ptr<const ci::ParityPairOperator>& Parities::products() const {
  if (!products_) products_ = std::make_shared<const ci::ParityPairOperator>(product_);
  return products_;
}

std::unique_ptr<const solver::OperatorSector> Parities::make(ParitySide side) const {
  const auto& both = products();
  return std::make_unique<OneParitySector>(
      std::shared_ptr<const ci::ParityBlockOperator>(both, &both->of(parity_of(side))),
      elements_of(side), lowest(side));
}

std::unique_ptr<const solver::SectorPair> Parities::make_both() const {
  return std::make_unique<BothParitySectors>(*this, products());
}

void Parities::expand(ParitySide side, const double* part, double* whole) const {
  const ci::SwapPartition partition(*product_.alpha_beta_swap());
  ci::parity_transform_on_host(basis_of(side), partition, nullptr, host_)->expand(part, whole, {});
}

std::unique_ptr<const Parities> Parities::of(const base::LinearOperator& matrix,
                                             const solver::ModelBlock& elements,
                                             const base::Communicator& ranks,
                                             const solver::Options& options,
                                             const solver::Checkpoint* start) {
  using solver::Method;
  const auto* product = dynamic_cast<const ci::ParityOperator*>(&matrix);
  if (product == nullptr || product->alpha_beta_swap() == nullptr) return nullptr;
  const bool is_davidson =
      options.method == Method::automatic || options.method == Method::davidson;
  if (!is_davidson || options.states > 1 || !options.are_lowest()) return nullptr;
  // The solver of the whole space refuses other layouts.
  const base::Layout& layout = product->partition().layout();
  const bool fits = start == nullptr || start->layout == layout ||
                    start->layout == base::Layout::whole(layout.rows());
  if (!fits || layout.rows() < kFewRows || !ranks.all_true(has_memory_for_search_space(*product)))
    return nullptr;
  std::unique_ptr<Parities> parities;
  base::run_collectively(ranks, [&] { parities = std::make_unique<Parities>(*product, elements); });
  parities->choose_likely(ranks);
  if (start != nullptr) parities->go_on_from(*start, ranks);
  return parities;
}

namespace {

/// A parity-adapted function: (|first> +- |second>) / sqrt(2); if both are the same determinant,
/// 1/sqrt(2) of that twice.
struct SwappedPair {
  explicit SwappedPair(const std::array<Index, 2>& rows)
      : first_row(rows[0]),
        second_row(rows[1]),
        factor(first_row == second_row ? 1 / std::numbers::sqrt2 : 1) {}
  Index first_row;
  Index second_row;
  double factor;
};

std::vector<SwappedPair> pairs_of(const ParityBasis& basis, std::span<const Index> rows) {
  std::vector<SwappedPair> pairs;
  for (const Index row : rows) pairs.emplace_back(basis.rows_of(row));
  return pairs;
}

}  // namespace

/// The exchange partners a', b' of a, b have H(a', b') = H(a, b), so the element between their
/// functions is H(a, b) +- H(a, b').
void ParityModelBlock::fill(std::span<const Index> rows, std::span<const Index> columns,
                            base::SmallMatrix& block) const {
  const bool is_symmetric = is_square(rows, columns);
  const double sign = basis_.parity() == Parity::even ? 1 : -1;
  const std::vector<SwappedPair> bras = pairs_of(basis_, rows);
  const std::vector<SwappedPair> kets = pairs_of(basis_, columns);
  std::vector<Index> first_rows;
  for (const SwappedPair& bra : bras) first_rows.push_back(bra.first_row);
  const auto fill_strip = [&](Index first, Index last) {
    const Index from = is_symmetric ? first : 0;  // other strips set the elements above
    std::vector<Index> of_kets;
    for (Index j = first; j < last; ++j) of_kets.push_back(kets[j].first_row);
    for (Index j = first; j < last; ++j) of_kets.push_back(kets[j].second_row);
    const auto width = static_cast<int>(last - first);
    base::SmallMatrix found(static_cast<int>(std::ssize(bras) - from), 2 * width);
    whole_.fill(std::span(first_rows).subspan(from), of_kets, found);
    for (int j = 0; j < width; ++j)
      for (int i = 0; i < found.rows(); ++i) {
        const auto row = static_cast<int>(from) + i;
        const auto column = static_cast<int>(first) + j;
        block(row, column) =
            bras[row].factor * kets[column].factor * (found(i, j) + sign * found(i, width + j));
        if (is_symmetric && row >= last) block(column, row) = block(row, column);
      }
  };
  constexpr Index kStrip = 16;  // narrow: few elements are computed on both sides of the diagonal
  const Index grain = std::max(grain_of_elements(std::ssize(bras)), kStrip);
  base::for_each_chunk(std::ssize(kets), grain, host_, [&](Index first, Index last) {
    for (Index strip = first; strip < last; strip += kStrip)
      fill_strip(strip, std::min(strip + kStrip, last));
  });
}

/// The two determinants of a pair have the same diagonal element. Most functions are pairs, so that
/// up to twice as many determinants are needed.
std::vector<Index> ParityModelBlock::lowest(Index count) const {
  for (Index rows = 2 * count;;) {
    std::vector<Index> found = parity_rows_of(basis_, whole_.lowest(rows));
    const Index size = std::ssize(found);
    if (size <= count) return found;
    rows = rows * count / size;
  }
}

}  // namespace cisolve::job
