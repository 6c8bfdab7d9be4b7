#include "ci/fock/integrals/one_electron_operator.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

/// Asymmetry, relative to the element or to 1, that is more than rounding.
constexpr double kAsymmetry = 1e-8;
constexpr std::size_t kLongestName = 64;

bool is_word(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, is_letter);
}

/// Checks one operator.
class OperatorCheck {
 public:
  OperatorCheck(const OneElectronOperator& given, int orbitals, std::string_view source)
      : given_(given), n_(orbitals), source_(source) {}

  void require_names() const {
    const auto& names = given_.components;
    if (!is_word(given_.name))
      refuse("", "the name '", given_.name.substr(0, kLongestName),
             "'; expected up to 64 letters, digits and underscores");
    if (names.empty() || std::ssize(names) > kMostComponents)
      refuse("", names.size(), " components; expected 1 to ", kMostComponents);
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (!is_word(names[c]))
        refuse("", "component ", c + 1, " is '", names[c].substr(0, kLongestName),
               "'; expected up to 64 letters, digits and underscores");
      if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(c), names[c]) !=
          names.begin() + static_cast<std::ptrdiff_t>(c))
        refuse("", "two components ", names[c], "; expected different names");
    }
  }

  void require_constants() const {
    if (given_.constants.size() != given_.components.size())
      refuse("/constants", given_.constants.size(), " values; expected one for each of ",
             given_.components.size(), " components");
    for (const double value : given_.constants) {
      require_finite(value, "/constants");
      if (given_.antisymmetric && value != 0)
        refuse("/constants", "an antisymmetric operator has the constant ", value,
               "; expected 0: its expectation values vanish");
    }
    if (given_.origin)
      for (const double value : *given_.origin) require_finite(value, "/origin");
    if (given_.core_charge) require_finite(*given_.core_charge, " (core_charge)");
  }

  void require_matrices(const std::vector<base::SmallMatrix>& matrices, const char* ending) const {
    if (matrices.size() != given_.components.size())
      refuse("", matrices.size(), " matrices; expected one for each of ", given_.components.size(),
             " components");
    for (std::size_t c = 0; c < matrices.size(); ++c)
      require_matrix(matrices[c], "/" + given_.components[c] + ending);
  }

  template <class... Parts>
  [[noreturn]] void refuse(std::string_view part, const Parts&... parts) const {
    base::fail(base::ErrorKind::bad_input, source_, ": /", given_.name, part, ": ", parts...);
  }

 private:
  void require_finite(double value, std::string_view part) const {
    if (!std::isfinite(value)) refuse(part, "a value is not a finite number");
  }

  void require_matrix(const base::SmallMatrix& o, const std::string& part) const {
    if (o.rows() != n_ || o.columns() != n_)
      refuse(part, o.rows(), " by ", o.columns(), " elements; expected ", n_, " by ", n_,
             ", the orbitals of the integrals");
    const double sign = given_.antisymmetric ? -1 : 1;
    for (int p = 0; p < n_; ++p)
      for (int q = 0; q <= p; ++q) {
        if (!std::isfinite(o(p, q)) || !std::isfinite(o(q, p)))
          refuse(part, "element ", p + 1, " ", q + 1, " is not a finite number");
        const double scale = std::max(1.0, std::abs(o(p, q)));
        if (std::abs(o(p, q) - sign * o(q, p)) > kAsymmetry * scale)
          refuse(part, "element ", p + 1, " ", q + 1, " is ", o(p, q), " and ", q + 1, " ", p + 1,
                 " is ", o(q, p), "; expected ",
                 given_.antisymmetric ? "an antisymmetric" : "a symmetric",
                 " matrix, or the other symmetry to be stated");
      }
  }

  const OneElectronOperator& given_;
  int n_;
  std::string_view source_;
};

/// sum over p in `orbitals` of o_pp.
double trace_over(const base::SmallMatrix& o, std::span<const int> orbitals) {
  double sum = 0;
  for (const int p : orbitals) sum += o(p, p);
  return sum;
}

base::SmallMatrix sub_matrix(const base::SmallMatrix& o, std::span<const int> orbitals) {
  const auto n = static_cast<int>(std::ssize(orbitals));
  base::SmallMatrix part(n, n);
  for (int p = 0; p < n; ++p)
    for (int q = 0; q < n; ++q) part(p, q) = o(orbitals[p], orbitals[q]);
  return part;
}

}  // namespace

const OneElectronOperator* operator_named(const OneElectronOperators& operators,
                                          std::string_view name) {
  const auto found = std::ranges::find(operators, name, &OneElectronOperator::name);
  return found == operators.end() ? nullptr : &*found;
}

void require_sound(const OneElectronOperators& operators, int orbitals, bool spin_dependent,
                   std::string_view source) {
  for (const OneElectronOperator& given : operators) {
    const OperatorCheck check(given, orbitals, source);
    check.require_names();
    if (std::ranges::count(operators, given.name, &OneElectronOperator::name) > 1)
      check.refuse("", "two operators of this name; expected one");
    check.require_constants();
    check.require_matrices(given.alpha, "");
    if (spin_dependent == given.beta.empty())
      check.refuse(
          "", spin_dependent ? "no matrices over beta orbitals" : "matrices over beta orbitals",
          ", but the integrals are ", spin_dependent ? "" : "not ",
          "spin-dependent; expected matrices over the orbitals of the integrals");
    if (spin_dependent) check.require_matrices(given.beta, "_beta");
    const bool is_vector = given.components.size() == 3;
    if ((given.name == kDipole && (given.antisymmetric || !is_vector)) ||
        (given.name == kVelocity && (!given.antisymmetric || !is_vector)))
      check.refuse("", given.components.size(), given.antisymmetric ? " antisymmetric" : "",
                   " components; expected ", given.name == kVelocity ? "antisymmetric " : "",
                   "x y z, or another name");
  }
}

OneElectronOperator in_active_orbitals(const OneElectronOperator& whole,
                                       std::span<const int> frozen, std::span<const int> active) {
  OneElectronOperator inner = whole;
  for (std::size_t c = 0; c < whole.components.size(); ++c) {
    for (const Spin spin : {Spin::alpha, Spin::beta})
      inner.constants[c] += trace_over(whole.matrix(spin, c), frozen);
    inner.alpha[c] = sub_matrix(whole.alpha[c], active);
    if (!whole.beta.empty()) inner.beta[c] = sub_matrix(whole.beta[c], active);
  }
  if (inner.core_charge) *inner.core_charge -= 2.0 * static_cast<double>(frozen.size());
  return inner;
}

}  // namespace cisolve::ci
