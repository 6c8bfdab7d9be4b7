#include "ci/csf/csf_change.hpp"

#include <utility>

#include "base/multivector.hpp"

namespace cisolve::ci {
namespace {

class HostChange final : public CsfChange {
 public:
  HostChange(const CsfBasis& basis, const base::Backend& host) : CsfChange(basis), host_(host) {}
  const base::Backend& backend() const override { return host_; }
  void expand(base::ConstBlock functions, base::Block determinants) const override {
    basis().expand(functions, determinants);
  }
  void contract(base::ConstBlock determinants, base::Block functions) const override {
    basis().contract(determinants, functions);
  }

 private:
  base::Backend host_;
};

/// Of vectors of a device, which travel to the host and back.
class ChangeByHost final : public CsfChange {
 public:
  ChangeByHost(const CsfBasis& basis, const base::Backend& device)
      : CsfChange(basis), device_(device) {}
  const base::Backend& backend() const override { return device_; }
  void expand(base::ConstBlock functions, base::Block determinants) const override {
    const auto here = base::MultiVector::copy_of(device_, functions, device_.host());
    base::MultiVector all = room_for(determinants.columns, basis().determinants());
    basis().expand(here.block(), all.block());
    base::copy_columns(all.backend(), std::as_const(all).block(), device_, determinants);
  }
  void contract(base::ConstBlock determinants, base::Block functions) const override {
    const auto here = base::MultiVector::copy_of(device_, determinants, device_.host());
    base::MultiVector all = room_for(functions.columns, basis().functions());
    basis().contract(here.block(), all.block());
    base::copy_columns(all.backend(), std::as_const(all).block(), device_, functions);
  }

 private:
  base::MultiVector room_for(int columns, Index rows) const {
    return {device_.host(), rows, columns, "vectors that the host changes"};
  }

  base::Backend device_;
};

}  // namespace

std::unique_ptr<CsfChange> csf_change_by_host(const CsfBasis& basis, const base::Backend& backend) {
  if (backend.is_host()) return csf_change(basis, backend);
  return std::make_unique<ChangeByHost>(basis, backend);
}

std::unique_ptr<CsfChange> csf_change(const CsfBasis& basis, const base::Backend& backend) {
  if (!backend.is_host()) return cuda::csf_change(basis, backend);
  return std::make_unique<HostChange>(basis, backend);
}

}  // namespace cisolve::ci
