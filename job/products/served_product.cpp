#include "job/products/served_product.hpp"

#include <optional>

#include "base/multivector.hpp"
#include "base/ranks/agreement.hpp"
#include "base/ranks/vector_exchange.hpp"
#include "base/ranks/whole_vectors.hpp"

namespace cisolve::job {
namespace {

/// What all ranks do for the first one.
class Service {
 public:
  Service(const base::Communicator& ranks, const base::Layout& layout,
          const base::LinearOperator& shared, const base::Backend& backend)
      : ranks_(ranks),
        layout_(layout),
        shared_(shared),
        backend_(backend),
        vectors_(ranks, backend) {}

  /// Of whole vectors x of the first rank, into y, where anything was found; of the others' nothing
  /// is read or written.
  void work(const Asked& asked, base::ConstBlock x, base::Block y) {
    std::optional<base::MultiVector> mine;
    std::optional<base::MultiVector> image;
    base::agree(ranks_, [&] {
      const base::Index rows = layout_.count(ranks_.rank());
      const auto columns = static_cast<int>(asked.count);
      mine.emplace(backend_, rows, columns, "vectors of a rank");
      image.emplace(backend_, rows, columns, "products of a rank");
    });
    if (asked.wish != Wish::diagonal)
      (asked.at_home ? base::scatter_from_home : base::scatter)(vectors_, layout_, x,
                                                                mine->block());
    switch (asked.wish) {
      case Wish::product: shared_.apply(std::as_const(*mine).block(), image->block()); break;
      case Wish::diagonal: knows_ = ranks_.all_true(shared_.diagonal(image->block())); break;
      case Wish::purity: largest_ = shared_.purify(asked.share, mine->block()); break;
      default: break;
    }
    if (asked.wish == Wish::diagonal && !knows_) return;
    const base::MultiVector& found = asked.wish == Wish::purity ? *mine : *image;
    (asked.at_home ? base::gather_home : base::gather)(vectors_, layout_, found.block(), y);
  }

  bool knows() const { return knows_; }
  double largest() const { return largest_; }

 private:
  const base::Communicator& ranks_;
  const base::Layout& layout_;
  const base::LinearOperator& shared_;
  base::Backend backend_;
  base::VectorExchange vectors_;
  bool knows_ = false;
  double largest_ = 0;
};

}  // namespace

void ServedProduct::apply(base::ConstBlock x, base::Block y) const {
  Service service(ranks_, layout_, shared_, backend_);
  service.work(told(ranks_, {Wish::product, x.columns, 0, at_home_}), x, y);
}

bool ServedProduct::diagonal(base::Block d) const {
  Service service(ranks_, layout_, shared_, backend_);
  service.work(told(ranks_, {Wish::diagonal, 1, 0, at_home_}), d, d);
  return service.knows();
}

double ServedProduct::purify(double share, base::Block x) const {
  Service service(ranks_, layout_, shared_, backend_);
  service.work(told(ranks_, {Wish::purity, x.columns, share, at_home_}), x, x);
  return service.largest();
}

void ServedProduct::help(const Asked& asked) const {
  Service(ranks_, layout_, shared_, backend_).work(asked, {}, {});
}

}  // namespace cisolve::job
