#pragma once

#include <memory>

#include "base/backend.hpp"
#include "base/block.hpp"
#include "ci/hamiltonian/csf/csf_basis.hpp"

namespace cisolve::ci {

/// Transforms vectors between CSFs of one spin and determinants, in the memory of a backend. The
/// order of each sum is fixed, so all backends give the same bits.
class CsfTransform {
 public:
  explicit CsfTransform(const CsfBasis& basis) : basis_(basis) {}  // keeps a reference
  CsfTransform(const CsfTransform&) = delete;
  CsfTransform& operator=(const CsfTransform&) = delete;
  virtual ~CsfTransform() = default;

  virtual const base::Backend& backend() const = 0;

  virtual void expand(base::ConstBlock functions, base::Block determinants) const = 0;
  virtual void contract(base::ConstBlock determinants, base::Block functions) const = 0;

  const CsfBasis& basis() const { return basis_; }

 private:
  const CsfBasis& basis_;
};

/// Transforms on the host by CsfBasis itself; on a device by copies of its tables, the size of one
/// vector over determinants plus two numbers per configuration.
std::unique_ptr<CsfTransform> csf_transform(const CsfBasis& basis, const base::Backend& backend);

/// Transforms on the host for vectors of any backend: vectors of a device are copied to the host
/// and back one by one, and nothing is allocated on the device. Not thread-safe.
std::unique_ptr<CsfTransform> csf_transform_by_host(const CsfBasis& basis,
                                                    const base::Backend& backend);

namespace cuda {
std::unique_ptr<CsfTransform> csf_transform(const CsfBasis& basis, const base::Backend& device);
}

}  // namespace cisolve::ci
