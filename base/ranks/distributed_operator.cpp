#include "base/ranks/distributed_operator.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/array.hpp"
#include "base/multivector.hpp"
#include "base/ranks/vector_exchange.hpp"

namespace cisolve::base {
namespace {

class RowsOfRank final : public LinearOperator {
 public:
  RowsOfRank(const Communicator& ranks, Layout layout, std::unique_ptr<LinearOperator> product,
             const Backend& backend)
      : ranks_(ranks),
        layout_(std::move(layout)),
        product_(std::move(product)),
        backend_(backend),
        vectors_(ranks, backend),
        whole_(backend, layout_.rows(), preallocated_columns(backend, layout_.rows()),
               "vectors of all ranks") {
    if (layout_.pieces_of(ranks_.rank()).size() > 1)
      fail(ErrorKind::internal, "rows in ", layout_.pieces_of(ranks_.rank()).size(),
           " pieces; expected neighbours");
  }

  Index rows() const override { return layout_.count(ranks_.rank()); }

  void apply(ConstBlock x, Block y) const override {
    if (!at_once_) at_once_ = static_cast<int>(ranks_.minimum(whole_.columns()));
    const int most = *at_once_;
    for (int j = 0; j < x.columns; j += most) {
      const int count = std::min(x.columns - j, most);
      for (int k = 0; k < count; ++k)
        vectors_.all_gather(layout_, x.column(j + k), whole_.block().column(k));
      if (rows() > 0) product_->apply(std::as_const(whole_).block(0, count), y.slice(j, count));
    }
  }

  bool diagonal(Block d) const override {
    if (rows() == 0) return true;
    const Block whole = whole_.block(0, 1);
    if (!product_->diagonal(whole)) return false;
    const Layout::Piece& mine = layout_.pieces_of(ranks_.rank()).front();
    copy_bytes(backend_, whole.column(0) + mine.first, backend_, d.column(0),
               mine.count * Index{sizeof(double)});
    return true;
  }

  OperatorDescription description() const override { return product_->description(); }

 private:
  const Communicator& ranks_;
  Layout layout_;
  std::unique_ptr<LinearOperator> product_;
  Backend backend_;
  VectorExchange vectors_;
  mutable MultiVector whole_;
  // Columns at once: what the rank with the least memory can hold; determined at the first product.
  mutable std::optional<int> at_once_;
};

}  // namespace

std::unique_ptr<LinearOperator> make_distributed_operator(const Communicator& ranks, Layout layout,
                                                          std::unique_ptr<LinearOperator> product,
                                                          const Backend& backend) {
  return std::make_unique<RowsOfRank>(ranks, std::move(layout), std::move(product), backend);
}

}  // namespace cisolve::base
