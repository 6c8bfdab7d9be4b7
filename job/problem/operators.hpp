#pragma once

#include "ci/fock/integrals/one_electron_operator.hpp"
#include "ci/fock/strings/window.hpp"
#include "job/request/request.hpp"

namespace cisolve::job {

/// The operators of a request over the active orbitals, with the contributions of frozen ones in
/// their constants. `integrals` are over all orbitals of the problem. Throws ErrorKind::bad_input
/// for operators that do not belong to them, ErrorKind::configuration if analysis.properties names
/// an operator that there is not.
ci::OneElectronOperators open_operators(const Request& request, const ci::Integrals& integrals,
                                        const ci::Window& window);

}  // namespace cisolve::job
