#include "job/problem/lowest_determinant.hpp"

#include <limits>
#include <vector>

#include "base/error.hpp"
#include "ci/oracle/element.hpp"

namespace cisolve::job {
namespace {

/// A string and all excitations of it by up to `electrons` electrons.
std::vector<ci::String> moved(const ci::String& string, int orbitals, int electrons) {
  std::vector<ci::String> strings{string};
  if (electrons == 0) return strings;
  for (const ci::String& before : moved(string, orbitals, electrons - 1))
    for (int p = 0; p < orbitals; ++p)
      for (int q = 0; q < orbitals; ++q)
        if (before.has(p) && !before.has(q)) strings.push_back(before.without(p).with(q));
  return strings;
}

int irrep_of(const ci::Integrals& integrals, const ci::Determinant& determinant) {
  int label = 0;
  for (int p = 0; p < integrals.orbitals(); ++p)
    if (determinant.alpha.has(p) != determinant.beta.has(p)) label ^= integrals.irreps()[p];
  return label;
}

}  // namespace

ci::Determinant lowest_determinant(const ci::Integrals& integrals, std::optional<int> irrep,
                                   const ci::Determinant& start) {
  ci::Determinant lowest = start;
  const auto energy_of = [&](const ci::Determinant& one) {
    return ci::element(integrals, one, one);
  };
  const auto is_allowed = [&](const ci::Determinant& one) {
    return !irrep || irrep_of(integrals, one) == *irrep;
  };
  double energy = is_allowed(start) ? energy_of(start) : std::numeric_limits<double>::infinity();
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    const ci::Determinant around = lowest;
    const auto look_at = [&](const ci::Determinant& one) {
      if (!is_allowed(one)) return;
      const double found = energy_of(one);
      if (!(found < energy)) return;
      energy = found;
      lowest = one;
      goes_on = true;
    };
    const int n = integrals.orbitals();
    for (int of_alpha = 0; of_alpha <= 2; ++of_alpha)
      for (const ci::String& alpha : moved(around.alpha, n, of_alpha))
        for (const ci::String& beta : moved(around.beta, n, 2 - of_alpha)) look_at({alpha, beta});
  }
  if (energy == std::numeric_limits<double>::infinity())
    base::fail(
        base::ErrorKind::configuration,
        "no double excitation of the determinant with the lowest orbitals filled has the requested "
        "irrep; set space.reference to a determinant of this irrep");
  return lowest;
}

}  // namespace cisolve::job
