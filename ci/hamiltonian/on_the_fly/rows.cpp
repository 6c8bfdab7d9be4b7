#include <algorithm>
#include <numeric>

#include "base/column_widths.hpp"
#include "base/loops.hpp"
#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "ci/hamiltonian/on_the_fly/row_items.hpp"
#include "ci/hamiltonian/rows/alpha_batch_rows.hpp"
#include "ci/hamiltonian/rows/host_row_builder.hpp"

namespace cisolve::ci {
namespace {

/// Multiplies the elements of a row with kColumns vectors.
template <int kColumns>
class MultiplyingSink {
 public:
  explicit MultiplyingSink(base::ConstBlock x) : x_(x) {}

  void element(Index column, double value) {
    for (int j = 0; j < kColumns; ++j) sums_[j] += value * x_(column, j);
  }
  void single(const SingleElements& elements) {
    if (elements.has_own) element(elements.first + elements.cached.own, elements.own_value);
    for (Index i = 0; i < elements.cached.size; ++i) {
      const double value = elements.row[elements.cached.pair[i]];
      if (value != 0)
        element(elements.first + elements.cached.position[i],
                elements.factor * elements.cached.sign[i] * value);
    }
  }
  double take_sum(int j) { return std::exchange(sums_[j], 0); }

 private:
  base::ConstBlock x_;
  double sums_[kColumns] = {};
};

/// MultiplyingSink for the rows that an AlphaBatchRows finds together.
template <int kColumns>
class MultiplyingRows {
 public:
  explicit MultiplyingRows(base::ConstBlock x) : x_(x) {}

  void begin_rows(std::size_t rows) { sums_.assign(rows * kColumns, 0); }
  double sum(Index i, int j) const { return sums_[i * kColumns + j]; }

  void same_spin(Column i, Index column, double value) { add(i, column, value); }
  void opposite_spin(Column i, Index column, double value) { add(i, column, value); }
  void begin(Column /*alpha*/) {}
  void end() {}

 private:
  void add(Column i, Index column, double value) {
    double* const sums = sums_.data() + Index{i} * kColumns;
    for (int j = 0; j < kColumns; ++j) sums[j] += value * x_(column, j);
  }

  base::ConstBlock x_;
  std::vector<double> sums_;
};

class RowsOnHost final : public ComputedProduct {
 public:
  explicit RowsOnHost(const HamiltonianRows& h) : h_(h), items_(h, h.finds_rows_together()) {}

  Index rows() const override { return h_.space().dimension(); }

  void apply(base::ConstBlock x, base::Block y) const override {
    base::in_constant_widths(x, y, [this](auto width, base::ConstBlock from, base::Block to) {
      multiply<width>(from, to);
    });
  }

  bool diagonal(base::Block d) const override {
    const base::Array<double> all = h_.diagonal().all();
    std::copy(all.span().begin(), all.span().end(), d.data);
    return true;
  }

  base::OperatorDescription description() const override { return {"on-the-fly", 0, 0, 0}; }

  std::vector<Item> items() const override { return items_.items(); }
  void keep(const std::vector<bool>& is_retained) override { items_.keep(is_retained); }
  void begin_y_with(Index row) override { first_of_y_ = row; }

 private:
  template <int kColumns>
  void multiply(base::ConstBlock x, base::Block y) const {
    if (h_.finds_rows_together()) return multiply_together<kColumns>(x, y);
    const Space& space = h_.space();
    const std::span<const Column> left = items_.rows();
    base::for_each_chunk(items_.count(), h_.grain(), space.host(), [&](Index first, Index last) {
      HostRowBuilder walk(h_);
      MultiplyingSink<kColumns> sink(x);
      for (Index i = first; i < last; ++i) {
        const Index row = left.empty() ? i : Index{left[i]};
        walk.walk(space.place_of(row), sink);
        for (int j = 0; j < kColumns; ++j) y(row - first_of_y_, j) = sink.take_sum(j);
      }
    });
  }

  template <int kColumns>
  void multiply_together(base::ConstBlock x, base::Block y) const {
    const std::span<const Column> alphas = items_.alphas();
    base::for_each_chunk(std::ssize(alphas), kAlphas, h_.space().host(),
                         [&](Index first, Index last) {
                           AlphaBatchRows walk(h_);
                           MultiplyingRows<kColumns> sink(x);
                           for (Index i = first; i < last; ++i)
                             multiply_alpha(alphas[i], walk, sink, y);
                         });
  }

  template <int kColumns>
  void multiply_alpha(Index alpha, AlphaBatchRows& walk, MultiplyingRows<kColumns>& sink,
                      base::Block y) const {
    const Index first = h_.space().first_row(alpha) - first_of_y_;
    const Index rows = std::ssize(h_.space().betas_of(alpha));
    std::vector<StringNumber> places;
    for (Index begin = 0; begin < rows; begin += AlphaBatchRows::kMostTogether) {
      places.resize(std::min(rows - begin, AlphaBatchRows::kMostTogether));
      std::iota(places.begin(), places.end(), static_cast<StringNumber>(begin));
      sink.begin_rows(places.size());
      walk.walk(alpha, places, sink);
      for (Index i = 0; i < std::ssize(places); ++i)
        for (int j = 0; j < kColumns; ++j) y(first + begin + i, j) = sink.sum(i, j);
    }
  }

  static constexpr Index kAlphas = 1;  // alpha strings per task: some have many rows

  const HamiltonianRows& h_;
  RowItems items_;
  Index first_of_y_ = 0;
};

}  // namespace

ComputedProductPtr by_rows(const HamiltonianRows& h) { return std::make_unique<RowsOnHost>(h); }

}  // namespace cisolve::ci
