#include "app/report/transition_orbitals.hpp"

#include <cmath>
#include <numeric>
#include <ostream>
#include <span>
#include <vector>

#include "app/report/table.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "job/states/transition_orbitals.hpp"

namespace cisolve::app {
namespace {

using io::StoredTransitionOrbitals;
using Weights = std::span<const double>;

constexpr std::size_t kPairsOfTransition = 3;
constexpr double kLeastShare = 0.01;  // of a pair that is shown
constexpr double kSameSpins = 1e-6;   // between transition densities of alpha and beta electrons
constexpr const char* kSpins[] = {"alpha", "beta"};

double sum_of(Weights weights) { return std::accumulate(weights.begin(), weights.end(), 0.0); }
double participation_of(Weights weights) {
  return job::participation(weights.data(), weights.data() + weights.size());
}

Weights of_spin(const std::vector<double>& values, std::size_t spin) {
  const std::size_t half = values.size() / 2;
  return Weights(values).subspan(spin * half, half);
}

/// The row or column of a transition density from its singular values and orbitals.
double density_element(const StoredTransitionOrbitals& stored, std::size_t to, std::size_t spin,
                       std::size_t p, std::size_t q) {
  const std::size_t n = stored.orbitals.size();
  const Weights weights = of_spin(stored.weights[to], spin);
  const Weights holes = of_spin(stored.holes[to], spin);
  const Weights particles = of_spin(stored.particles[to], spin);
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k)
    sum += std::sqrt(weights[k]) * holes[k * n + p] * particles[k * n + q];
  return sum;
}

/// Whether alpha and beta electrons are excited alike, up to the sign.
bool have_same_pairs(const StoredTransitionOrbitals& stored, std::size_t to) {
  const std::size_t n = stored.orbitals.size();
  const Weights alpha = of_spin(stored.weights[to], 0);
  const Weights beta = of_spin(stored.weights[to], 1);
  for (std::size_t k = 0; k < n; ++k)
    if (std::abs(alpha[k] - beta[k]) > kSameSpins) return false;
  double sum = 0;
  double difference = 0;
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t q = 0; q < n; ++q) {
      const double a = density_element(stored, to, 0, p, q);
      const double b = density_element(stored, to, 1, p, q);
      sum = std::max(sum, std::abs(a + b));
      difference = std::max(difference, std::abs(a - b));
    }
  return std::min(sum, difference) < kSameSpins;
}

/// The orbital with the largest coefficient, by its number in the problem.
base::Index main_orbital(const StoredTransitionOrbitals& stored, Weights orbitals, std::size_t k) {
  const std::size_t n = stored.orbitals.size();
  std::size_t largest = 0;
  for (std::size_t p = 1; p < n; ++p)
    if (std::abs(orbitals[k * n + p]) > std::abs(orbitals[k * n + largest]) + kSameSpins)
      largest = p;
  return stored.orbitals[largest];
}

std::string leading_pairs(const StoredTransitionOrbitals& stored, std::size_t to,
                          std::size_t spin) {
  const Weights weights = of_spin(stored.weights[to], spin);
  const double all = sum_of(weights);
  std::string text;
  for (std::size_t k = 0; k < std::min(kPairsOfTransition, weights.size()); ++k) {
    if (!(weights[k] > kLeastShare * all)) break;
    text += base::concat(text.empty() ? "" : ", ",
                         main_orbital(stored, of_spin(stored.holes[to], spin), k), " -> ",
                         main_orbital(stored, of_spin(stored.particles[to], spin), k), " ",
                         base::fixed(weights[k] / all, 4));
  }
  return text.empty() ? "-" : text;
}

std::string level_text(const StoredTransitionOrbitals& stored, std::size_t level) {
  const base::Index first = stored.level_first[level];
  const base::Index states = stored.level_states[level];
  return states == 1 ? std::to_string(first) : base::concat(first, "-", first + states - 1);
}

void write_levels(std::ostream& out, const StoredTransitionOrbitals& stored) {
  const base::Index initial = stored.level_first.front() - 1;  // levels follow the first one
  out << "\nTransition orbitals of the states of one energy together";
  if (initial > 1) out << ", averaged over states 1 to " << initial;
  out << '\n';
  Table table({"states", "spin", "weight", "pairs by holes", "by particles"});
  for (std::size_t j = 0; j < stored.level_first.size(); ++j) {
    if (initial == 1 && stored.level_states[j] == 1) continue;  // as above
    for (std::size_t spin = 0; spin < 2; ++spin) {
      const Weights holes = of_spin(stored.level_hole_weights[j], spin);
      const Weights particles = of_spin(stored.level_particle_weights[j], spin);
      table.add({level_text(stored, j), kSpins[spin], base::fixed(sum_of(holes), 6),
                 base::fixed(participation_of(holes), 4),
                 base::fixed(participation_of(particles), 4)});
    }
  }
  table.write(out);
}

Json numbers_of(Weights values) { return Json::array({values.begin(), values.end()}); }

Json transition_of(const StoredTransitionOrbitals& stored, std::size_t to) {
  std::vector<Json::Member> members{{"from", 1}, {"to", static_cast<base::Index>(to) + 2}};
  for (std::size_t spin = 0; spin < 2; ++spin) {
    const Weights weights = of_spin(stored.weights[to], spin);
    members.emplace_back(kSpins[spin], Json::object({{"weight", sum_of(weights)},
                                                     {"participation", participation_of(weights)},
                                                     {"weights", numbers_of(weights)}}));
  }
  return Json::object(std::move(members));
}

Json level_of(const StoredTransitionOrbitals& stored, std::size_t level) {
  std::vector<Json> states;
  for (base::Index k = 0; k < stored.level_states[level]; ++k)
    states.emplace_back(stored.level_first[level] + k);
  std::vector<Json::Member> members{{"states", Json::array(std::move(states))}};
  for (std::size_t spin = 0; spin < 2; ++spin) {
    const Weights holes = of_spin(stored.level_hole_weights[level], spin);
    const Weights particles = of_spin(stored.level_particle_weights[level], spin);
    members.emplace_back(kSpins[spin],
                         Json::object({{"weight", sum_of(holes)},
                                       {"hole_participation", participation_of(holes)},
                                       {"particle_participation", participation_of(particles)},
                                       {"hole_weights", numbers_of(holes)},
                                       {"particle_weights", numbers_of(particles)}}));
  }
  return Json::object(std::move(members));
}

}  // namespace

void write_transition_orbitals(std::ostream& out, const job::StateAnalysis& analysis) {
  if (!analysis.transition_orbitals) return;
  const StoredTransitionOrbitals& stored = *analysis.transition_orbitals;
  out << "Natural transition orbitals from state 1\n";
  Table table({"to", "spin", "weight", "pairs", "largest orbital of hole -> particle, share"});
  for (std::size_t to = 0; to < stored.weights.size(); ++to) {
    const bool are_same = have_same_pairs(stored, to);
    for (std::size_t spin = 0; spin < (are_same ? 1U : 2U); ++spin) {
      const Weights weights = of_spin(stored.weights[to], spin);
      table.add({std::to_string(to + 2), are_same ? "each" : kSpins[spin],
                 base::fixed(sum_of(weights), 6), base::fixed(participation_of(weights), 4),
                 leading_pairs(stored, to, spin)});
    }
  }
  table.write(out);
  if (!stored.level_first.empty()) write_levels(out, stored);
  out << '\n';
}

Json::Member transition_orbitals_member(const job::StateAnalysis* analysis) {
  if (analysis == nullptr || !analysis->transition_orbitals) return {"transition_orbitals", Json()};
  const StoredTransitionOrbitals& stored = *analysis->transition_orbitals;
  std::vector<Json> transitions;
  for (std::size_t to = 0; to < stored.weights.size(); ++to)
    transitions.push_back(transition_of(stored, to));
  std::vector<Json> levels;
  for (std::size_t j = 0; j < stored.level_first.size(); ++j) levels.push_back(level_of(stored, j));
  return {"transition_orbitals", Json::object({{"transitions", Json::array(std::move(transitions))},
                                               {"levels", Json::array(std::move(levels))}})};
}

}  // namespace cisolve::app
