#include "base/loops.hpp"
#include "ci/hamiltonian/hamiltonian_walk.hpp"
#include "ci/on_the_fly/row_items.hpp"
#include "ci/on_the_fly/ways.hpp"

namespace cisolve::ci {
namespace {

/// Multiplies the elements of a row with so many vectors.
template <int kColumns>
class MultiplyingSink {
 public:
  explicit MultiplyingSink(base::ConstBlock x) : x_(x) {}

  void element(Index column, double value) {
    for (int j = 0; j < kColumns; ++j) sums_[j] += value * x_(column, j);
  }
  void single(const SingleElements& elements) {
    if (elements.has_own) element(elements.first + elements.side.own, elements.own_value);
    for (Index i = 0; i < elements.side.size; ++i) {
      const double value = elements.row[elements.side.pair[i]];
      if (value != 0)
        element(elements.first + elements.side.position[i],
                elements.factor * elements.side.sign[i] * value);
    }
  }
  double take_sum(int j) { return std::exchange(sums_[j], 0); }

 private:
  base::ConstBlock x_;
  double sums_[kColumns] = {};
};

class RowsOnHost final : public ComputedProduct {
 public:
  explicit RowsOnHost(const HamiltonianRows& h) : h_(h), items_(h) {}

  Index rows() const override { return h_.space().dimension(); }

  void apply(base::ConstBlock x, base::Block y) const override {
    in_constant_widths(x, y, [this](auto width, base::ConstBlock from, base::Block to) {
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
  void keep(const std::vector<bool>& is_kept) override { items_.keep(is_kept); }
  void begin_y_with(Index row) override { first_of_y_ = row; }

 private:
  template <int kColumns>
  void multiply(base::ConstBlock x, base::Block y) const {
    const Space& space = h_.space();
    const std::span<const Column> left = items_.rows();
    base::for_each_chunk(items_.count(), h_.grain(), space.host(), [&](Index first, Index last) {
      RowWalk walk(h_);
      MultiplyingSink<kColumns> sink(x);
      for (Index i = first; i < last; ++i) {
        const Index row = left.empty() ? i : Index{left[i]};
        walk.walk(space.place_of(row), sink);
        for (int j = 0; j < kColumns; ++j) y(row - first_of_y_, j) = sink.take_sum(j);
      }
    });
  }

  const HamiltonianRows& h_;
  RowItems items_;
  Index first_of_y_ = 0;
};

}  // namespace

Operator by_rows(const HamiltonianRows& h) { return std::make_unique<RowsOnHost>(h); }

}  // namespace cisolve::ci
