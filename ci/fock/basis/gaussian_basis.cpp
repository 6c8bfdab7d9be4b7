#include "ci/fock/basis/gaussian_basis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr std::array<std::string_view, kHighestAtomicNumber + 1> kSymbols = {
    "X",  "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si",
    "P",  "S",  "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu",
    "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru",
    "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb", "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr",
    "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W",
    "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At", "Rn", "Fr", "Ra", "Ac",
    "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No", "Lr", "Rf",
    "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};

constexpr double kNegligible = 46;  // exp(-46) < 1.1e-20: a pair of primitives is left out

double binomial(int n, int k) {
  if (k < 0 || k > n) return 0;
  double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

/// (2 n - 1)!!
double odd_factorial(int n) {
  double value = 1;
  for (int i = 2 * n - 1; i > 1; i -= 2) value *= i;
  return value;
}

/// r^l times a real solid harmonic, up to a positive factor (Helgaker, Jorgensen and Olsen,
/// Molecular Electronic-Structure Theory, equation 6.4.47).
Polynomial solid_harmonic(int l, int m) {
  const int order = std::abs(m);
  const int odd = m < 0 ? 1 : 0;
  Polynomial terms;
  for (int t = 0; 2 * t <= l - order; ++t)
    for (int u = 0; u <= t; ++u)
      for (int twice_v = odd; twice_v <= order; twice_v += 2) {
        const int v = (twice_v - odd) / 2;
        const double sign = (t + v) % 2 == 0 ? 1 : -1;
        const double factor = sign * std::pow(0.25, t) * binomial(l, t) *
                              binomial(l - t, order + t) * binomial(t, u) *
                              binomial(order, twice_v);
        terms.push_back(
            {{2 * t + order - 2 * u - twice_v, 2 * u + twice_v, l - 2 * t - order}, factor});
      }
  return terms;
}

/// Scales a homogeneous polynomial P of degree l such that the integral of P^2 exp(-p r^2) over all
/// space is p^-(l + 3/2).
void normalise(Polynomial& terms) {
  double sum = 0;
  for (const PolynomialTerm& a : terms)
    for (const PolynomialTerm& b : terms) {
      double product = a.factor * b.factor * std::pow(std::numbers::pi, 1.5);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const int power = a.powers[axis] + b.powers[axis];
        product *= power % 2 != 0 ? 0 : odd_factorial(power / 2) * std::pow(0.5, power / 2);
      }
      sum += product;
    }
  for (PolynomialTerm& term : terms) term.factor /= std::sqrt(sum);
}

/// Powers of the Cartesian functions of one momentum, in the order of GaussianBasis.
std::vector<std::array<int, 3>> cartesian_powers(int momentum) {
  std::vector<std::array<int, 3>> powers;
  for (int a = momentum; a >= 0; --a)
    for (int b = momentum - a; b >= 0; --b) powers.push_back({a, b, momentum - a - b});
  return powers;
}

/// The place of x^a y^b z^c in cartesian_powers().
int place_of(const std::array<int, 3>& powers) {
  const int rest = powers[1] + powers[2];
  return rest * (rest + 1) / 2 + powers[2];
}

constexpr int kSide = kHighestMomentum + 1;
using AxisOverlaps = std::array<std::array<double, kSide>, kSide>;

/// Integrals of (x - A)^i (x - B)^j exp(-p (x - P)^2), by the recurrence of Obara and Saika.
AxisOverlaps axis_overlaps(double from_a, double from_b, double p, int most_i, int most_j) {
  AxisOverlaps s{};
  s[0][0] = std::sqrt(std::numbers::pi / p);
  const double half = 0.5 / p;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int j = 0; j <= most_j; ++j) {
    if (j > 0) {
      s[0][at(j)] = from_b * s[0][at(j - 1)];
      if (j > 1) s[0][at(j)] += half * (j - 1) * s[0][at(j - 2)];
    }
    for (int i = 1; i <= most_i; ++i) {
      double value = from_a * s[at(i - 1)][at(j)];
      if (i > 1) value += half * (i - 1) * s[at(i - 2)][at(j)];
      if (j > 0) value += half * j * s[at(i - 1)][at(j - 1)];
      s[at(i)][at(j)] = value;
    }
  }
  return s;
}

/// Overlaps of a basis, shell pair by shell pair.
class Overlaps {
 public:
  explicit Overlaps(const GaussianBasis& basis)
      : basis_(basis), first_(basis.first_functions()), values_(first_.back(), first_.back()) {
    for (int l = 0; l <= kHighestMomentum; ++l) {
      angular_.push_back(angular_functions(l, basis.is_spherical));
      powers_.push_back(cartesian_powers(l));
    }
    for (const ContractedShell& shell : basis.shells) weights_.push_back(radial_weights(shell));
  }

  /// Fills the elements of one shell with all before it and itself.
  void fill_shell(std::size_t a) {
    for (std::size_t b = 0; b <= a; ++b) fill_pair(a, b);
  }

  base::SmallMatrix take() { return std::move(values_); }

 private:
  void fill_pair(std::size_t a, std::size_t b) {
    const ContractedShell& left = basis_.shells[a];
    const ContractedShell& right = basis_.shells[b];
    const std::vector<double> block = cartesian_block(a, b);
    const auto columns = powers_[static_cast<std::size_t>(right.momentum)].size();
    const auto& left_functions = angular_[static_cast<std::size_t>(left.momentum)];
    const auto& right_functions = angular_[static_cast<std::size_t>(right.momentum)];
    for (std::size_t i = 0; i < left_functions.size(); ++i)
      for (std::size_t j = 0; j < right_functions.size(); ++j) {
        double sum = 0;
        for (const PolynomialTerm& f : left_functions[i])
          for (const PolynomialTerm& g : right_functions[j])
            sum += f.factor * g.factor *
                   block[static_cast<std::size_t>(place_of(f.powers)) * columns +
                         static_cast<std::size_t>(place_of(g.powers))];
        const int row = first_[a] + static_cast<int>(i);
        const int column = first_[b] + static_cast<int>(j);
        values_(row, column) = values_(column, row) = sum;
      }
  }

  /// Overlaps of x^a y^b z^c times the radial sums of two shells.
  std::vector<double> cartesian_block(std::size_t a, std::size_t b) const {
    const ContractedShell& left = basis_.shells[a];
    const ContractedShell& right = basis_.shells[b];
    const auto& left_place = basis_.nuclei[static_cast<std::size_t>(left.nucleus)].place;
    const auto& right_place = basis_.nuclei[static_cast<std::size_t>(right.nucleus)].place;
    double distance = 0;
    for (std::size_t x = 0; x < 3; ++x)
      distance += (left_place[x] - right_place[x]) * (left_place[x] - right_place[x]);
    const auto& left_powers = powers_[static_cast<std::size_t>(left.momentum)];
    const auto& right_powers = powers_[static_cast<std::size_t>(right.momentum)];
    std::vector<double> block(left_powers.size() * right_powers.size());
    for (std::size_t k = 0; k < left.exponents.size(); ++k)
      for (std::size_t l = 0; l < right.exponents.size(); ++l) {
        const double p = left.exponents[k] + right.exponents[l];
        const double decay = left.exponents[k] * right.exponents[l] / p * distance;
        if (decay > kNegligible) continue;
        const double weight = weights_[a][k] * weights_[b][l] * std::exp(-decay);
        std::array<AxisOverlaps, 3> axes;
        for (std::size_t x = 0; x < 3; ++x) {
          const double centre =
              (left.exponents[k] * left_place[x] + right.exponents[l] * right_place[x]) / p;
          axes[x] = axis_overlaps(centre - left_place[x], centre - right_place[x], p, left.momentum,
                                  right.momentum);
        }
        double* next = block.data();
        for (const auto& f : left_powers)
          for (const auto& g : right_powers) {
            double product = weight;
            for (std::size_t x = 0; x < 3; ++x)
              product *= axes[x][static_cast<std::size_t>(f[x])][static_cast<std::size_t>(g[x])];
            *next++ += product;
          }
      }
    return block;
  }

  const GaussianBasis& basis_;
  std::vector<int> first_;
  base::SmallMatrix values_;
  std::vector<std::vector<Polynomial>> angular_;         // by momentum
  std::vector<std::vector<std::array<int, 3>>> powers_;  // by momentum
  std::vector<std::vector<double>> weights_;             // by shell
};

bool is_sane(double value) { return std::isfinite(value) && std::abs(value) < 1e12; }

void require_sound_shell(const GaussianBasis& basis, std::size_t number, std::string_view source) {
  const ContractedShell& shell = basis.shells[number];
  const auto refuse = [&](const auto&... parts) {
    base::fail(base::ErrorKind::bad_input, source, ": shell ", number + 1, ": ", parts...);
  };
  if (shell.nucleus < 0 || shell.nucleus >= std::ssize(basis.nuclei))
    refuse("atom ", shell.nucleus + 1, "; expected 1 to ", basis.nuclei.size());
  if (shell.momentum < 0 || shell.momentum > kHighestMomentum)
    refuse("angular momentum ", shell.momentum, "; expected 0 to ", kHighestMomentum);
  if (shell.exponents.empty() || shell.exponents.size() != shell.coefficients.size())
    refuse(shell.exponents.size(), " exponents and ", shell.coefficients.size(),
           " coefficients; expected as many, and at least one");
  if (shell.exponents.size() > kMostGaussians)
    refuse(shell.exponents.size(), " Gaussians; expected at most ", kMostGaussians);
  for (const double exponent : shell.exponents)
    if (!is_sane(exponent) || exponent <= 0)
      refuse("exponent ", exponent, "; expected a positive number");
  for (const double coefficient : shell.coefficients)
    if (!is_sane(coefficient)) refuse("a coefficient is ", coefficient, "; expected a number");
  for (const double weight : radial_weights(shell))
    if (!std::isfinite(weight))
      refuse("its functions vanish or cannot be normalised; expected other coefficients");
}

}  // namespace

int GaussianBasis::functions(const ContractedShell& shell) const {
  const int l = shell.momentum;
  return is_spherical ? 2 * l + 1 : (l + 1) * (l + 2) / 2;
}

int GaussianBasis::functions() const { return first_functions().back(); }

std::vector<int> GaussianBasis::first_functions() const {
  std::vector<int> first{0};
  for (const ContractedShell& shell : shells) first.push_back(first.back() + functions(shell));
  return first;
}

std::string_view element_symbol(int atomic_number) {
  return kSymbols.at(static_cast<std::size_t>(atomic_number));
}

void require_sound(const GaussianBasis& basis, std::string_view source) {
  if (basis.nuclei.empty())
    base::fail(base::ErrorKind::bad_input, source, ": no atoms; expected at least one");
  for (std::size_t k = 0; k < basis.nuclei.size(); ++k) {
    const Nucleus& nucleus = basis.nuclei[k];
    if (nucleus.atomic_number < 0 || nucleus.atomic_number > kHighestAtomicNumber)
      base::fail(base::ErrorKind::bad_input, source, ": atom ", k + 1, ": atomic number ",
                 nucleus.atomic_number, "; expected 1 to ", kHighestAtomicNumber,
                 ", or 0 of a ghost atom");
    if (!is_sane(nucleus.charge) || !std::ranges::all_of(nucleus.place, is_sane))
      base::fail(base::ErrorKind::bad_input, source, ": atom ", k + 1,
                 ": its charge or a coordinate is not a number; expected finite numbers, "
                 "coordinates in bohr");
  }
  for (std::size_t k = 0; k < basis.shells.size(); ++k) require_sound_shell(basis, k, source);
  if (const int count = basis.functions(); count < 1 || count > kMostFunctions)
    base::fail(base::ErrorKind::bad_input, source, ": ", count, " basis functions; expected 1 to ",
               kMostFunctions);
}

std::vector<Polynomial> angular_functions(int momentum, bool is_spherical) {
  std::vector<Polynomial> functions;
  if (momentum == 1)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::array<int, 3> powers{};
      powers[axis] = 1;
      functions.push_back({{powers, 1}});
    }
  else if (is_spherical)
    for (int m = -momentum; m <= momentum; ++m) functions.push_back(solid_harmonic(momentum, m));
  else
    for (const auto& powers : cartesian_powers(momentum)) functions.push_back({{powers, 1}});
  for (Polynomial& terms : functions) normalise(terms);
  return functions;
}

std::vector<double> radial_weights(const ContractedShell& shell) {
  const double power = shell.momentum + 1.5;
  std::vector<double> weights;
  for (std::size_t k = 0; k < shell.exponents.size(); ++k)
    weights.push_back(shell.coefficients[k] * std::pow(2 * shell.exponents[k], power / 2));
  double norm = 0;
  for (std::size_t k = 0; k < weights.size(); ++k)
    for (std::size_t l = 0; l < weights.size(); ++l)
      norm += weights[k] * weights[l] / std::pow(shell.exponents[k] + shell.exponents[l], power);
  for (double& weight : weights) weight /= std::sqrt(norm);
  return weights;
}

base::SmallMatrix overlap_of(const GaussianBasis& basis, const base::Backend& host) {
  Overlaps overlaps(basis);
  base::for_each_chunk(std::ssize(basis.shells), 1, host, [&](base::Index first, base::Index last) {
    for (base::Index a = first; a < last; ++a) overlaps.fill_shell(static_cast<std::size_t>(a));
  });
  return overlaps.take();
}

}  // namespace cisolve::ci
