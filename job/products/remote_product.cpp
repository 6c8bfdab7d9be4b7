#include "job/products/remote_product.hpp"

#include <optional>

#include "base/multivector.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/ranks/vector_exchange.hpp"
#include "base/ranks/whole_vectors.hpp"

namespace cisolve::job {
namespace {

/// The part of a request that all ranks execute.
class Service {
 public:
  Service(const base::Communicator& ranks, const base::Layout& layout,
          const base::LinearOperator& shared, const base::SymmetryProjector* projector,
          const base::Backend& backend)
      : ranks_(ranks),
        layout_(layout),
        shared_(shared),
        projector_(projector),
        backend_(backend),
        vectors_(ranks, backend) {}

  /// Applies a request to whole vectors x of rank 0, and writes y there if there is a result; x and
  /// y of other ranks are not used.
  void work(const WorkerRequest& asked, base::ConstBlock x, base::Block y) {
    std::optional<base::MultiVector> mine;
    std::optional<base::MultiVector> image;
    base::run_collectively(ranks_, [&] {
      const base::Index rows = layout_.count(ranks_.rank());
      const auto columns = static_cast<int>(asked.count);
      mine.emplace(backend_, rows, columns, "vectors of a rank");
      image.emplace(backend_, rows, columns, "products of a rank");
    });
    if (asked.command != WorkerCommand::diagonal)
      (asked.on_host ? base::scatter_from_host : base::scatter)(vectors_, layout_, x,
                                                                mine->block());
    switch (asked.command) {
      case WorkerCommand::product:
        shared_.apply(std::as_const(*mine).block(), image->block());
        break;
      case WorkerCommand::diagonal:
        knows_ = ranks_.all_true(shared_.diagonal(image->block()));
        break;
      case WorkerCommand::project_symmetry:
        largest_ = projector_->project_symmetry(asked.max_fraction, mine->block());
        break;
      default: break;
    }
    if (asked.command == WorkerCommand::diagonal && !knows_) return;
    const base::MultiVector& found =
        asked.command == WorkerCommand::project_symmetry ? *mine : *image;
    (asked.on_host ? base::gather_to_host : base::gather)(vectors_, layout_, found.block(), y);
  }

  bool knows() const { return knows_; }
  double largest() const { return largest_; }

 private:
  const base::Communicator& ranks_;
  const base::Layout& layout_;
  const base::LinearOperator& shared_;
  const base::SymmetryProjector* projector_;
  base::Backend backend_;
  base::VectorExchange vectors_;
  bool knows_ = false;
  double largest_ = 0;
};

}  // namespace

void RemoteProduct::apply(base::ConstBlock x, base::Block y) const {
  Service service(ranks_, layout_, shared_, projector_, backend_);
  service.work(broadcast_request(ranks_, {WorkerCommand::product, x.columns, 0, on_host_}), x, y);
}

bool RemoteProduct::diagonal(base::Block d) const {
  Service service(ranks_, layout_, shared_, projector_, backend_);
  service.work(broadcast_request(ranks_, {WorkerCommand::diagonal, 1, 0, on_host_}), d, d);
  return service.knows();
}

double RemoteProduct::project_symmetry(double max_fraction, base::Block x) const {
  if (projector_ == nullptr) return 0;
  Service service(ranks_, layout_, shared_, projector_, backend_);
  service.work(broadcast_request(
                   ranks_, {WorkerCommand::project_symmetry, x.columns, max_fraction, on_host_}),
               x, x);
  return service.largest();
}

void RemoteProduct::execute(const WorkerRequest& asked) const {
  Service(ranks_, layout_, shared_, projector_, backend_).work(asked, {}, {});
}

}  // namespace cisolve::job
