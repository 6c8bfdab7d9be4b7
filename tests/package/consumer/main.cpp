// All public headers beside a user's own base/operator.hpp.
#include "base/operator.hpp"

#include <iostream>

#include <cisolve/cisolve.hpp>

static_assert(CISOLVE_VERSION_MAJOR == cisolve::kVersion.major_number);
static_assert(CISOLVE_VERSION_MINOR == cisolve::kVersion.minor_number);
static_assert(cisolve::kVersionText == CISOLVE_VERSION_STRING);

class Zero final : public cisolve::base::LinearOperator {
 public:
  cisolve::base::Index rows() const override { return own::Operator().value; }
  void apply(cisolve::base::ConstBlock /*x*/, cisolve::base::Block /*y*/) const override {}
};

int main() {
  const cisolve::base::Backend host = cisolve::base::Backend::reference();
  std::cout << cisolve::kVersionText << ' ' << host.name() << ' ' << Zero().rows() << '\n';
}
