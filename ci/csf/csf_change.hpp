#pragma once

#include <memory>

#include "base/backend.hpp"
#include "base/block.hpp"
#include "ci/csf/csf_basis.hpp"

namespace cisolve::ci {

/// Vectors over the functions of one spin into vectors over determinants and back, in the memory of
/// a backend. Every element is summed in one order, so all backends find the same bits.
class CsfChange {
 public:
  explicit CsfChange(const CsfBasis& basis) : basis_(basis) {}  // which must outlive it
  CsfChange(const CsfChange&) = delete;
  CsfChange& operator=(const CsfChange&) = delete;
  virtual ~CsfChange() = default;

  virtual const base::Backend& backend() const = 0;

  virtual void expand(base::ConstBlock functions, base::Block determinants) const = 0;
  virtual void contract(base::ConstBlock determinants, base::Block functions) const = 0;

  const CsfBasis& basis() const { return basis_; }

 private:
  const CsfBasis& basis_;
};

/// On the host, by the basis itself; on a device by copies of its tables, which take as much as a
/// vector over the determinants and, beside it, two for each of the configurations.
std::unique_ptr<CsfChange> csf_change(const CsfBasis& basis, const base::Backend& backend);

/// Of vectors of any backend, on the host: those of a device travel for each change, one after the
/// other, and nothing is held there for it. Not for concurrent use.
std::unique_ptr<CsfChange> csf_change_by_host(const CsfBasis& basis, const base::Backend& backend);

namespace cuda {
std::unique_ptr<CsfChange> csf_change(const CsfBasis& basis, const base::Backend& device);
}

}  // namespace cisolve::ci
