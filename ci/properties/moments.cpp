#include "ci/properties/moments.hpp"

namespace cisolve::ci {
namespace {

double squared_norm(std::span<const double> vector) {
  double sum = 0;
  for (const double value : vector) sum += value * value;
  return sum;
}

/// sum_pq o_pq gamma_pq of one spin.
double contraction(const base::SmallMatrix& o, const OneParticleDensity& density, Spin spin) {
  double sum = 0;
  for (int p = 0; p < o.rows(); ++p)
    for (int q = 0; q < o.columns(); ++q) sum += o(p, q) * density(spin, p, q);
  return sum;
}

}  // namespace

std::vector<double> transition_moments(const OneElectronOperator& operation,
                                       const OneParticleDensity& density) {
  std::vector<double> moments;
  for (std::size_t c = 0; c < operation.components.size(); ++c) {
    double sum = 0;
    for (const Spin spin : {Spin::alpha, Spin::beta})
      sum += contraction(operation.matrix(spin, c), density, spin);
    moments.push_back(sum);
  }
  return moments;
}

std::vector<double> expectation_values(const OneElectronOperator& operation,
                                       const OneParticleDensity& density) {
  std::vector<double> values = transition_moments(operation, density);
  for (std::size_t c = 0; c < values.size(); ++c) values[c] += operation.constants[c];
  return values;
}

double length_strength(double excitation, std::span<const double> dipole) {
  return 2.0 / 3.0 * excitation * squared_norm(dipole);
}

std::optional<double> velocity_strength(double excitation, std::span<const double> velocity) {
  if (excitation == 0) return std::nullopt;
  return 2.0 / 3.0 / excitation * squared_norm(velocity);
}

}  // namespace cisolve::ci
