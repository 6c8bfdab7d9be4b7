#include "ci/states/csf_change.hpp"

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

}  // namespace

std::unique_ptr<CsfChange> csf_change(const CsfBasis& basis, const base::Backend& backend) {
  if (!backend.is_host()) return cuda::csf_change(basis, backend);
  return std::make_unique<HostChange>(basis, backend);
}

}  // namespace cisolve::ci
