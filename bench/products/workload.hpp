#pragma once

#include <memory>
#include <string>

#include "sparse/formats/csr.hpp"

namespace cisolve::bench {

using base::Column;
using base::Index;

/// A matrix to be multiplied: CSR in host memory, from which every kernel prepares its own form,
/// and one copy on the device for all kernels that read CSR.
class Workload {
 public:
  Workload(std::string name, sparse::Csr matrix);

  const std::string& name() const { return name_; }
  const sparse::Csr& csr() const { return matrix_; }
  sparse::CsrRows source() const { return sparse::CsrRows(matrix_); }
  Index rows() const { return matrix_.shape.rows; }
  Index columns() const { return matrix_.shape.columns; }
  Index nonzeros() const { return matrix_.nonzeros(); }
  Index longest_row() const { return longest_row_; }
  double mean_row() const {
    return rows() == 0 ? 0 : static_cast<double>(nonzeros()) / static_cast<double>(rows());
  }

  /// The rows in a backend's memory, copied on first use and owned by the workload.
  std::shared_ptr<const sparse::Csr> csr_on(const base::Backend& backend) const;

 private:
  std::string name_;
  sparse::Csr matrix_;
  Index longest_row_ = 0;
  mutable std::shared_ptr<const sparse::Csr> copy_;
};

}  // namespace cisolve::bench
