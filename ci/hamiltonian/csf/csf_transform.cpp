#include "ci/hamiltonian/csf/csf_transform.hpp"

#include <utility>

#include "base/multivector.hpp"

namespace cisolve::ci {
namespace {

class HostCsfTransform final : public CsfTransform {
 public:
  HostCsfTransform(const CsfBasis& basis, const base::Backend& host)
      : CsfTransform(basis), host_(host) {}
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

/// Transforms vectors of a device on the host.
class CsfTransformByHost final : public CsfTransform {
 public:
  CsfTransformByHost(const CsfBasis& basis, const base::Backend& device)
      : CsfTransform(basis),
        device_(device),
        functions_(device.host(), basis.functions(), 1, "spin functions transformed on the host"),
        determinants_(device.host(), basis.determinants(), 1,
                      "determinants transformed on the host") {}
  const base::Backend& backend() const override { return device_; }
  void expand(base::ConstBlock functions, base::Block determinants) const override {
    for (int j = 0; j < functions.columns; ++j) {
      base::copy_columns(device_, functions.slice(j, 1), device_.host(), functions_.block());
      basis().expand(std::as_const(functions_).block(), determinants_.block());
      base::copy_columns(device_.host(), determinants_.block(), device_, determinants.slice(j, 1));
    }
  }
  void contract(base::ConstBlock determinants, base::Block functions) const override {
    for (int j = 0; j < functions.columns; ++j) {
      base::copy_columns(device_, determinants.slice(j, 1), device_.host(), determinants_.block());
      basis().contract(std::as_const(determinants_).block(), functions_.block());
      base::copy_columns(device_.host(), functions_.block(), device_, functions.slice(j, 1));
    }
  }

 private:
  base::Backend device_;
  // Allocated in the constructor, so that no transform fails for lack of memory.
  mutable base::MultiVector functions_;
  mutable base::MultiVector determinants_;
};

}  // namespace

std::unique_ptr<CsfTransform> csf_transform_by_host(const CsfBasis& basis,
                                                    const base::Backend& backend) {
  if (backend.is_host()) return csf_transform(basis, backend);
  return std::make_unique<CsfTransformByHost>(basis, backend);
}

std::unique_ptr<CsfTransform> csf_transform(const CsfBasis& basis, const base::Backend& backend) {
  if (!backend.is_host()) return cuda::csf_transform(basis, backend);
  return std::make_unique<HostCsfTransform>(basis, backend);
}

}  // namespace cisolve::ci
