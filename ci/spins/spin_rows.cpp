#include "ci/spins/spin_rows.hpp"

#include <algorithm>

#include "base/loops.hpp"
#include "ci/on_the_fly/ways.hpp"
#include "ci/spins/spin_walk.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kSpinGrain = 1 << 12;

struct SpinElement {
  Index column;
  double value;
};

/// A row as it is stored: ascending, each column once.
class StoredSpinRow {
 public:
  const std::vector<SpinElement>& read(const SpinWalk& walk, const SpinModel& model) {
    elements_.clear();
    visit_elements(walk, model, [&](Index column, double value) {
      elements_.push_back({column, value});
    });
    std::ranges::stable_sort(elements_, {}, &SpinElement::column);
    std::size_t last = 0;
    for (std::size_t i = 1; i < elements_.size(); ++i) {
      if (elements_[i].column == elements_[last].column)
        elements_[last].value += elements_[i].value;
      else
        elements_[++last] = elements_[i];
    }
    elements_.resize(last + 1);
    return elements_;
  }

 private:
  std::vector<SpinElement> elements_;
};

/// The product on the host.
class SpinProduct final : public base::LinearOperator {
 public:
  explicit SpinProduct(const SpinRows& rows) : rows_(rows) {}

  Index rows() const override { return rows_.shape().rows; }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return {"on-the-fly", 0, 0, 0}; }

 private:
  template <int kColumns>
  void multiply(base::ConstBlock x, base::Block y) const;

  const SpinRows& rows_;
};

}  // namespace

void SpinRows::count(Index first, std::span<base::Column> lengths) const {
  if (lengths.empty()) return;
  SpinWalk walk(basis_, first);
  StoredSpinRow row;
  for (base::Column& length : lengths) {
    length = static_cast<base::Column>(row.read(walk, model_).size());
    walk.next();
  }
}

void SpinRows::fill(Index first, Index last, std::span<base::Column> columns,
                    std::span<double> values) const {
  if (first == last) return;
  SpinWalk walk(basis_, first);
  StoredSpinRow stored;
  std::size_t place = 0;
  for (Index row = first; row < last; ++row, walk.next())
    for (const auto& [column, value] : stored.read(walk, model_)) {
      columns[place] = static_cast<base::Column>(column);
      values[place++] = value;
    }
}

namespace {

void SpinProduct::apply(base::ConstBlock x, base::Block y) const {
  in_constant_widths(x, y, [this](auto width, base::ConstBlock from, base::Block to) {
    multiply<width>(from, to);
  });
}

template <int kColumns>
void SpinProduct::multiply(base::ConstBlock x, base::Block y) const {
  base::for_each_chunk(rows(), kSpinGrain, rows_.basis().host(), [&](Index first, Index last) {
    SpinWalk walk(rows_.basis(), first);
    for (Index row = first; row < last; ++row, walk.next()) {
      double sums[kColumns] = {};
      visit_elements(walk, rows_.model(), [&](Index column, double value) {
        for (int j = 0; j < kColumns; ++j) sums[j] += value * x(column, j);
      });
      for (int j = 0; j < kColumns; ++j) y(row, j) = sums[j];
    }
  });
}

// Where a move leads back to its orbit, the diagonal is more than the energy of a word.
bool SpinProduct::diagonal(base::Block d) const {
  base::for_each_chunk(rows(), kSpinGrain, rows_.basis().host(), [&](Index first, Index last) {
    SpinWalk walk(rows_.basis(), first);
    for (Index row = first; row < last; ++row, walk.next()) {
      double sum = 0;
      visit_elements(walk, rows_.model(), [&](Index column, double value) {
        if (column == row) sum += value;
      });
      d(row, 0) = sum;
    }
  });
  return true;
}

}  // namespace

std::unique_ptr<base::LinearOperator> spin_product(const SpinRows& rows,
                                                   const base::Backend& backend) {
  if (!backend.is_host()) return cuda::spin_product(rows, backend);
  return std::make_unique<SpinProduct>(rows);
}

}  // namespace cisolve::ci
