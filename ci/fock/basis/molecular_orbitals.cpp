#include "ci/fock/basis/molecular_orbitals.hpp"

#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

constexpr double kOtherBasis = 1e-6;   // of overlaps: more is another basis, or another order
constexpr double kOrthonormal = 1e-6;  // of C^T S C

using base::SmallMatrix;

/// Checks the orbitals of one problem.
class OrbitalCheck {
 public:
  OrbitalCheck(const MolecularOrbitals& given, std::string_view source)
      : given_(given), source_(source) {}

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    base::fail(base::ErrorKind::bad_input, source_, ": ", parts...);
  }

  void require_overlap(const SmallMatrix& computed) const {
    const SmallMatrix& s = given_.overlap;
    if (s.rows() != computed.rows() || s.columns() != computed.rows())
      refuse("overlap: ", s.rows(), " by ", s.columns(), " elements; expected ", computed.rows(),
             " by as many, the functions of the basis");
    for (int p = 0; p < s.rows(); ++p)
      for (int q = 0; q < s.rows(); ++q)
        if (!(std::abs(s(p, q) - computed(p, q)) <= kOtherBasis))  // false for NaN
          refuse("overlap: element ", p + 1, " ", q + 1, " is ", s(p, q), ", and the basis gives ",
                 computed(p, q),
                 "; expected the overlap of functions normalised to 1, in the order that "
                 "docs/properties.md states");
  }

  void require_shape(const SmallMatrix& c, const char* name, int columns) const {
    if (c.rows() != given_.overlap.rows() || c.columns() != columns)
      refuse(name, ": ", c.rows(), " by ", c.columns(), " elements; expected ",
             given_.overlap.rows(), " basis functions by ", columns, " orbitals");
  }

  void require_functions(const SmallMatrix& c, const char* name) const {
    if (c.rows() != given_.overlap.rows())
      refuse(name, ": ", c.rows(), " by ", c.columns(), " elements; expected ",
             given_.overlap.rows(), " basis functions by as many orbitals as are inactive");
  }

  /// Both blocks of columns together have to be orthonormal.
  void require_orthonormal(const SmallMatrix& inactive, const SmallMatrix& orbitals,
                           const char* name) const {
    const int count = inactive.columns() + orbitals.columns();
    const auto element = [&](int p, int i) {
      return i < inactive.columns() ? inactive(p, i) : orbitals(p, i - inactive.columns());
    };
    const int n = given_.overlap.rows();
    std::vector<double> image(static_cast<std::size_t>(n));
    for (int j = 0; j < count; ++j) {
      for (int p = 0; p < n; ++p) image[static_cast<std::size_t>(p)] = 0;
      for (int q = 0; q < n; ++q)
        for (int p = 0; p < n; ++p)
          image[static_cast<std::size_t>(p)] += given_.overlap(p, q) * element(q, j);
      for (int i = 0; i <= j; ++i) {
        double sum = 0;
        for (int p = 0; p < n; ++p) sum += element(p, i) * image[static_cast<std::size_t>(p)];
        if (!(std::abs(sum - (i == j)) <= kOrthonormal))  // false for NaN
          refuse(name, ": the overlap of orbitals ", i + 1, " and ", j + 1,
                 inactive.columns() > 0 ? ", inactive ones counted first," : "", " is ", sum,
                 "; expected ", i == j ? 1 : 0,
                 ": orthonormal orbitals over the functions of this basis");
      }
    }
  }

 private:
  const MolecularOrbitals& given_;
  std::string_view source_;
};

}  // namespace

MolecularOrbitals checked(MolecularOrbitals given, int orbitals, bool spin_dependent,
                          std::string_view source, const base::Backend& host) {
  require_sound(given.basis, source);
  const Index bytes = Index{given.basis.functions()} * given.basis.functions() * 8;
  host.host_memory().require(bytes, "the overlap of basis functions");
  SmallMatrix computed = overlap_of(given.basis, host);
  const OrbitalCheck check(given, source);
  if (given.overlap.rows() == 0)
    given.overlap = std::move(computed);
  else
    check.require_overlap(computed);
  if (given.inactive.columns() == 0) given.inactive = SmallMatrix(given.overlap.rows(), 0);
  if (given.inactive_beta.columns() == 0)
    given.inactive_beta = SmallMatrix(given.overlap.rows(), 0);
  check.require_shape(given.alpha, "orbitals", orbitals);
  check.require_functions(given.inactive, "inactive");
  check.require_orthonormal(given.inactive, given.alpha, "orbitals");
  if (spin_dependent != given.is_spin_dependent())
    check.refuse(spin_dependent ? "no orbitals" : "orbitals",
                 " of beta electrons, but the integrals are ", spin_dependent ? "" : "not ",
                 "spin-dependent; expected the orbitals of the integrals");
  if (!spin_dependent) return given;
  check.require_shape(given.beta, "orbitals_beta", orbitals);
  check.require_functions(given.inactive_beta, "inactive_beta");
  check.require_orthonormal(given.inactive_beta, given.beta, "orbitals_beta");
  return given;
}

}  // namespace cisolve::ci
