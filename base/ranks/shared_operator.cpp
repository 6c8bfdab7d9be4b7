#include "base/ranks/shared_operator.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/multivector.hpp"
#include "base/ranks/agreement.hpp"
#include "base/ranks/whole_vectors.hpp"

namespace cisolve::base {
namespace {

constexpr int kMostAtOnce = 4;  // more take little less time than one after the other

class ShareOfRows final : public LinearOperator {
 public:
  ShareOfRows(const Communicator& ranks, Layout layout, std::unique_ptr<LinearOperator> product,
              const Backend& host)
      : ranks_(ranks), layout_(std::move(layout)), product_(std::move(product)), host_(host) {
    if (layout_.pieces_of(ranks_.rank()).size() > 1)
      fail(Fault::internal, "rows in ", layout_.pieces_of(ranks_.rank()).size(),
           " pieces; expected neighbours");
  }

  Index rows() const override { return layout_.count(ranks_.rank()); }

  void apply(ConstBlock x, Block y) const override {
    std::optional<MultiVector> whole;
    agree(ranks_, [&] {
      whole.emplace(host_, layout_.rows(), std::min(x.columns, kMostAtOnce),
                    "vectors of all ranks");
    });
    for (int j = 0; j < x.columns; j += kMostAtOnce) {
      const int count = std::min(x.columns - j, kMostAtOnce);
      for (int k = 0; k < count; ++k)
        everywhere(ranks_, layout_, x.column(j + k), whole->block().column(k));
      if (rows() > 0) product_->apply(std::as_const(*whole).block(0, count), y.slice(j, count));
    }
  }

  bool diagonal(Block d) const override {
    if (rows() == 0) return true;
    MultiVector whole(host_, layout_.rows(), 1, "a diagonal of all ranks");
    if (!product_->diagonal(whole.block())) return false;
    const Layout::Piece& mine = layout_.pieces_of(ranks_.rank()).front();
    std::copy_n(whole.block().column(0) + mine.first, mine.count, d.column(0));
    return true;
  }

  OperatorDescription description() const override { return product_->description(); }

 private:
  const Communicator& ranks_;
  Layout layout_;
  std::unique_ptr<LinearOperator> product_;
  Backend host_;
};

}  // namespace

std::unique_ptr<LinearOperator> share_of_rows(const Communicator& ranks, Layout layout,
                                              std::unique_ptr<LinearOperator> product,
                                              const Backend& host) {
  return std::make_unique<ShareOfRows>(ranks, std::move(layout), std::move(product), host);
}

}  // namespace cisolve::base
