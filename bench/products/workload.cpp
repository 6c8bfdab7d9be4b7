#include "bench/products/workload.hpp"

#include <algorithm>

namespace cisolve::bench {

Workload::Workload(std::string name, sparse::Csr matrix)
    : name_(std::move(name)), matrix_(std::move(matrix)) {
  for (Index row = 0; row < rows(); ++row)
    longest_row_ = std::max(longest_row_, matrix_.offsets[row + 1] - matrix_.offsets[row]);
}

std::shared_ptr<const sparse::Csr> Workload::csr_on(const base::Backend& backend) const {
  if (backend.is_host()) return {std::shared_ptr<void>(), &matrix_};  // owned by the workload
  if (!copy_) copy_ = std::make_shared<const sparse::Csr>(matrix_.to(backend));
  return copy_;
}

}  // namespace cisolve::bench
