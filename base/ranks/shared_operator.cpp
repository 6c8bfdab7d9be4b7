#include "base/ranks/shared_operator.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/array.hpp"
#include "base/multivector.hpp"
#include "base/ranks/agreement.hpp"
#include "base/ranks/vector_exchange.hpp"

namespace cisolve::base {
namespace {

constexpr auto kVectors = "vectors of all ranks";
constexpr int kMostAtOnce = 4;  // more take little less time than one after the other

class ShareOfRows final : public LinearOperator {
 public:
  ShareOfRows(const Communicator& ranks, Layout layout, std::unique_ptr<LinearOperator> product,
              const Backend& backend)
      : ranks_(ranks),
        layout_(std::move(layout)),
        product_(std::move(product)),
        backend_(backend),
        vectors_(ranks, backend) {
    if (layout_.pieces_of(ranks_.rank()).size() > 1)
      fail(Fault::internal, "rows in ", layout_.pieces_of(ranks_.rank()).size(),
           " pieces; expected neighbours");
    if (!backend_.is_host()) whole_.emplace(backend_, layout_.rows(), 1, kVectors);
  }

  Index rows() const override { return layout_.count(ranks_.rank()); }

  void apply(ConstBlock x, Block y) const override {
    const int most = columns_with_room(std::min(x.columns, kMostAtOnce));
    for (int j = 0; j < x.columns; j += most) {
      const int count = std::min(x.columns - j, most);
      for (int k = 0; k < count; ++k)
        vectors_.everywhere(layout_, x.column(j + k), whole_->block().column(k));
      if (rows() > 0) product_->apply(std::as_const(*whole_).block(0, count), y.slice(j, count));
    }
    if (backend_.is_host()) whole_.reset();
  }

  bool diagonal(Block d) const override {
    if (rows() == 0) return true;
    MultiVector whole(backend_, layout_.rows(), 1, "a diagonal of all ranks");
    if (!product_->diagonal(whole.block())) return false;
    const Layout::Piece& mine = layout_.pieces_of(ranks_.rank()).front();
    copy_bytes(backend_, whole.block().column(0) + mine.first, backend_, d.column(0),
               mine.count * Index{sizeof(double)});
    return true;
  }

  OperatorDescription description() const override { return product_->description(); }

 private:
  /// So many, or fewer where any rank has not the room. Devices keep it from one product to the
  /// next, for they are slow to give memory, and have it of one vector from the beginning.
  int columns_with_room(int columns) const {
    if (whole_ && whole_->columns() >= columns) return columns;
    whole_.reset();
    for (int most = columns;; most /= 2) try {
        agree(ranks_, [&] { whole_.emplace(backend_, layout_.rows(), most, kVectors); });
        return most;
      } catch (const Error& error) {
        whole_.reset();  // also where there was room
        if (most == 1 || error.fault() != Fault::resources) throw;
      }
  }

  const Communicator& ranks_;
  Layout layout_;
  std::unique_ptr<LinearOperator> product_;
  Backend backend_;
  VectorExchange vectors_;
  mutable std::optional<MultiVector> whole_;
};

}  // namespace

std::unique_ptr<LinearOperator> share_of_rows(const Communicator& ranks, Layout layout,
                                              std::unique_ptr<LinearOperator> product,
                                              const Backend& backend) {
  return std::make_unique<ShareOfRows>(ranks, std::move(layout), std::move(product), backend);
}

}  // namespace cisolve::base
