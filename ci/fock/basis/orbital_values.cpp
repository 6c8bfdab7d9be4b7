#include "ci/fock/basis/orbital_values.hpp"

#include <algorithm>
#include <cmath>

namespace cisolve::ci {
namespace {

constexpr double kInvisible = 1e-14;  // of a function beyond the reach of its shell

/// The distance beyond which sum_k |w_k| r^l exp(-a_k r^2), which falls there, is below kInvisible.
double reach_of(const ContractedShell& shell, const std::vector<double>& weights) {
  double reach = 1;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double a = shell.exponents[k];
    double r = std::sqrt(std::max(1.0, 0.5 * shell.momentum) / a);  // beyond the maximum
    const auto size = [&] {
      return std::abs(weights[k]) * std::pow(r, shell.momentum) * std::exp(-a * r * r);
    };
    while (size() * static_cast<double>(weights.size()) > kInvisible) r *= 1.1;
    reach = std::max(reach, r);
  }
  return reach;
}

double squared(double x) { return x * x; }

}  // namespace

OrbitalValues::OrbitalValues(const GaussianBasis& basis, const base::SmallMatrix& coefficients)
    : basis_(basis), coefficients_(coefficients), first_(basis.first_functions()) {
  for (const ContractedShell& shell : basis.shells) {
    weights_.push_back(radial_weights(shell));
    reach_.push_back(reach_of(shell, weights_.back()));
  }
  for (int l = 0; l <= kHighestMomentum; ++l)
    angular_.push_back(angular_functions(l, basis.is_spherical));
}

void OrbitalValues::on_line(const std::array<double, 3>& start, double step, int points,
                            std::span<double> values) const {
  std::ranges::fill(values, 0);
  const auto count = static_cast<std::size_t>(points);
  std::vector<double> function(count);
  std::vector<double> radial(count);
  std::array<std::vector<double>, kHighestMomentum + 1> z_powers;
  std::array<std::array<double, kHighestMomentum + 1>, 2> xy_powers{};
  for (std::size_t s = 0; s < basis_.shells.size(); ++s) {
    const ContractedShell& shell = basis_.shells[s];
    const auto& centre = basis_.nuclei[static_cast<std::size_t>(shell.nucleus)].place;
    const double x = start[0] - centre[0];
    const double y = start[1] - centre[1];
    const double aside = x * x + y * y;  // squared distance of the line
    if (aside > squared(reach_[s])) continue;
    // Points of the line within the reach.
    const double half = std::sqrt(squared(reach_[s]) - aside);
    const double middle = centre[2] - start[2];
    const auto first = static_cast<std::ptrdiff_t>(
        std::clamp(std::ceil((middle - half) / step), 0.0, static_cast<double>(points)));
    const auto end = static_cast<std::ptrdiff_t>(
        std::clamp(std::floor((middle + half) / step) + 1, 0.0, static_cast<double>(points)));
    if (first >= end) continue;
    const auto begin_at = static_cast<std::size_t>(first);
    const auto end_at = static_cast<std::size_t>(end);
    for (std::size_t a = 0; a < 2; ++a) {
      xy_powers[a][0] = 1;
      for (std::size_t l = 1; l <= static_cast<std::size_t>(shell.momentum); ++l)
        xy_powers[a][l] = xy_powers[a][l - 1] * (a == 0 ? x : y);
    }
    for (std::size_t l = 0; l <= static_cast<std::size_t>(shell.momentum); ++l) {
      z_powers[l].resize(count);
      for (std::size_t i = begin_at; i < end_at; ++i)
        z_powers[l][i] = l == 0 ? 1 : z_powers[l - 1][i] * (step * static_cast<double>(i) - middle);
    }
    for (std::size_t i = begin_at; i < end_at; ++i) {
      const double z = step * static_cast<double>(i) - middle;
      double sum = 0;
      for (std::size_t k = 0; k < shell.exponents.size(); ++k)
        sum += weights_[s][k] * std::exp(-shell.exponents[k] * (aside + z * z));
      radial[i] = sum;
    }
    const auto& functions = angular_[static_cast<std::size_t>(shell.momentum)];
    for (std::size_t f = 0; f < functions.size(); ++f) {
      for (std::size_t i = begin_at; i < end_at; ++i) function[i] = 0;
      for (const PolynomialTerm& term : functions[f]) {
        const double factor = term.factor * xy_powers[0][static_cast<std::size_t>(term.powers[0])] *
                              xy_powers[1][static_cast<std::size_t>(term.powers[1])];
        const std::vector<double>& z = z_powers[static_cast<std::size_t>(term.powers[2])];
        for (std::size_t i = begin_at; i < end_at; ++i) function[i] += factor * z[i];
      }
      for (std::size_t i = begin_at; i < end_at; ++i) function[i] *= radial[i];
      for (int k = 0; k < orbitals(); ++k) {
        const double c = coefficients_(first_[s] + static_cast<int>(f), k);
        double* to = values.data() + static_cast<std::size_t>(k) * count;
        for (std::size_t i = begin_at; i < end_at; ++i) to[i] += c * function[i];
      }
    }
  }
}

}  // namespace cisolve::ci
