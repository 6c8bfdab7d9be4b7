#include "ci/lattice/spins/site_model_rows.hpp"

#include <algorithm>

#include "base/column_widths.hpp"
#include "base/loops.hpp"
#include "ci/lattice/spins/site_row_walk.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kSpinGrain = 1 << 12;

struct SiteElement {
  Index column;
  double value;
};

/// A row in stored form: columns ascending and unique.
class StoredSiteRow {
 public:
  const std::vector<SiteElement>& read(const SiteRowWalk& walk, const SiteModel& model) {
    elements_.clear();
    visit_elements(walk, model, [&](Index column, double value) {
      elements_.push_back({column, value});
    });
    std::ranges::stable_sort(elements_, {}, &SiteElement::column);
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
  std::vector<SiteElement> elements_;
};

/// The host product for all or some rows.
class SiteProduct final : public base::LinearOperator {
 public:
  SiteProduct(const SiteModelRows& rows, Index first, Index count)
      : rows_(rows), first_(first), count_(count) {}

  Index rows() const override { return rows_.shape().rows; }
  void apply(base::ConstBlock x, base::Block y) const override;
  bool diagonal(base::Block d) const override;
  base::OperatorDescription description() const override { return {"on-the-fly", 0, 0, 0}; }

 private:
  template <int kColumns>
  void multiply(base::ConstBlock x, base::Block y) const;
  /// Calls visit(walk, row) for each row, in parallel.
  template <class Visit>
  void for_each_row(Visit visit) const;

  const SiteModelRows& rows_;
  Index first_;
  Index count_;
};

}  // namespace

void SiteModelRows::count(Index first, std::span<base::Column> lengths) const {
  if (lengths.empty()) return;
  SiteRowWalk walk(basis_, first);
  StoredSiteRow row;
  for (base::Column& length : lengths) {
    length = static_cast<base::Column>(row.read(walk, model_).size());
    walk.next();
  }
}

void SiteModelRows::fill(Index first, Index last, std::span<base::Column> columns,
                         std::span<double> values) const {
  if (first == last) return;
  SiteRowWalk walk(basis_, first);
  StoredSiteRow stored;
  std::size_t place = 0;
  for (Index row = first; row < last; ++row, walk.next())
    for (const auto& [column, value] : stored.read(walk, model_)) {
      columns[place] = static_cast<base::Column>(column);
      values[place++] = value;
    }
}

namespace {

void SiteProduct::apply(base::ConstBlock x, base::Block y) const {
  base::in_constant_widths(x, y, [this](auto width, base::ConstBlock from, base::Block to) {
    multiply<width>(from, to);
  });
}

template <int kColumns>
void SiteProduct::multiply(base::ConstBlock x, base::Block y) const {
  for_each_row([&](const SiteRowWalk& walk, Index row) {
    double sums[kColumns] = {};
    visit_elements(walk, rows_.model(), [&](Index column, double value) {
      for (int j = 0; j < kColumns; ++j) sums[j] += value * x(column, j);
    });
    for (int j = 0; j < kColumns; ++j) y(row - first_, j) = sums[j];
  });
}

template <class Visit>
void SiteProduct::for_each_row(Visit visit) const {
  base::for_each_chunk(count_, kSpinGrain, rows_.basis().host(), [&](Index first, Index last) {
    if (first == last) return;
    SiteRowWalk walk(rows_.basis(), first_ + first);
    for (Index i = first; i < last; ++i, walk.next()) visit(walk, first_ + i);
  });
}

// Terms that map an orbit to itself contribute to the diagonal, too.
bool SiteProduct::diagonal(base::Block d) const {
  for_each_row([&](const SiteRowWalk& walk, Index row) {
    double sum = 0;
    visit_elements(walk, rows_.model(), [&](Index column, double value) {
      if (column == row) sum += value;
    });
    d(row, 0) = sum;
  });
  return true;
}

}  // namespace

std::unique_ptr<base::LinearOperator> site_product(const SiteModelRows& rows,
                                                   const base::Backend& backend) {
  if (!backend.is_host()) return cuda::site_product(rows, backend);
  return std::make_unique<SiteProduct>(rows, 0, rows.shape().rows);
}

std::unique_ptr<base::LinearOperator> site_product_of_rows(const SiteModelRows& rows, Index first,
                                                           Index count) {
  return std::make_unique<SiteProduct>(rows, first, count);
}

}  // namespace cisolve::ci
