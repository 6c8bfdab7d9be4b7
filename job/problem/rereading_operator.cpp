#include "job/problem/rereading_operator.hpp"

#include <algorithm>

#include "sparse/distributed/stored_rows.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::job {
namespace {

class RereadingOperator final : public base::LinearOperator {
 public:
  RereadingOperator(std::unique_ptr<const sparse::RowSource> rows, const base::Backend& host)
      : source_(std::move(rows)), host_(host), lengths_(sparse::row_lengths(*source_, host)) {}

  base::Index rows() const override { return lengths_.size(); }

  void apply(base::ConstBlock x, base::Block y) const override {
    sparse::for_each_row(*source_, lengths_.span(), host_, [&](const sparse::Row& row) {
      for (int j = 0; j < x.columns; ++j) {
        const double* column = x.column(j);
        double sum = 0;
        for (std::size_t k = 0; k < row.columns.size(); ++k)
          sum += row.values[k] * column[row.columns[k]];
        y.column(j)[row.number] = sum;
      }
    });
  }

  bool diagonal(base::Block d) const override {
    const auto found = sparse::diagonal_of(*source_, lengths_.span(), 0, host_);
    std::ranges::copy(found.span(), d.column(0));
    return true;
  }

  base::OperatorDescription description() const override {
    return {"read", lengths_.bytes(), 0, 0};
  }

 private:
  std::unique_ptr<const sparse::RowSource> source_;
  base::Backend host_;
  base::Array<sparse::Column> lengths_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> rereading_operator(
    std::unique_ptr<const sparse::RowSource> rows, const base::Backend& host) {
  return std::make_unique<RereadingOperator>(std::move(rows), host);
}

}  // namespace cisolve::job
