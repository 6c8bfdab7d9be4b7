#include "job/products/served_product.hpp"

#include <algorithm>
#include <optional>

#include "base/multivector.hpp"
#include "base/ranks/agreement.hpp"
#include "base/ranks/whole_vectors.hpp"

namespace cisolve::job {
namespace {

/// What all ranks do for the first one.
class Service {
 public:
  Service(const base::Communicator& ranks, const base::Layout& layout,
          const base::LinearOperator& shared, const base::Backend& host)
      : ranks_(ranks), layout_(layout), shared_(shared), host_(host) {}

  /// Whole vectors of the first rank as they have become; of the others nothing is read, and
  /// nothing comes back to them.
  base::MultiVector work(const Asked& asked, base::ConstBlock x) {
    std::optional<base::MultiVector> whole;
    std::optional<base::MultiVector> image;
    base::agree(ranks_, [&] {
      const bool is_first = ranks_.rank() == 0;
      whole.emplace(host_, is_first ? layout_.rows() : 0, static_cast<int>(asked.count),
                    "vectors of all ranks");
      image.emplace(host_, layout_.count(ranks_.rank()), static_cast<int>(asked.count),
                    "products of a rank");
      for (int j = 0; is_first && j < x.columns; ++j)
        std::copy_n(x.column(j), x.rows, whole->block().column(j));
    });
    base::MultiVector mine = base::shared_vectors(ranks_, layout_, std::move(*whole));
    switch (asked.wish) {
      case Wish::product: shared_.apply(std::as_const(mine).block(), image->block()); break;
      case Wish::diagonal: knows_ = ranks_.all_true(shared_.diagonal(image->block())); break;
      case Wish::purity: largest_ = shared_.purify(asked.share, mine.block()); break;
      default: break;
    }
    return base::whole_vectors(ranks_, layout_,
                               std::move(asked.wish == Wish::purity ? mine : *image));
  }

  bool knows() const { return knows_; }
  double largest() const { return largest_; }

 private:
  const base::Communicator& ranks_;
  const base::Layout& layout_;
  const base::LinearOperator& shared_;
  base::Backend host_;
  bool knows_ = false;
  double largest_ = 0;
};

void copy(const base::MultiVector& from, base::Block to) {
  for (int j = 0; j < to.columns; ++j) std::copy_n(from.block().column(j), to.rows, to.column(j));
}

}  // namespace

void ServedProduct::apply(base::ConstBlock x, base::Block y) const {
  Service service(ranks_, layout_, shared_, host_);
  copy(service.work(told(ranks_, {Wish::product, x.columns}), x), y);
}

bool ServedProduct::diagonal(base::Block d) const {
  Service service(ranks_, layout_, shared_, host_);
  const base::MultiVector found = service.work(told(ranks_, {Wish::diagonal, 1}), d);
  if (service.knows()) copy(found, d);
  return service.knows();
}

double ServedProduct::purify(double share, base::Block x) const {
  Service service(ranks_, layout_, shared_, host_);
  const base::MultiVector found = service.work(told(ranks_, {Wish::purity, x.columns, share}), x);
  if (service.largest() > 0) copy(found, x);
  return service.largest();
}

void ServedProduct::help(const Asked& asked) const {
  static_cast<void>(Service(ranks_, layout_, shared_, host_).work(asked, {}));
}

}  // namespace cisolve::job
