#include "job/states/spin_analysis.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/number.hpp"
#include "ci/lattice/spins/correlation_functions.hpp"
#include "ci/lattice/spins/spin_target.hpp"
#include "ci/properties/weights.hpp"
#include "job/states/degenerate.hpp"

namespace cisolve::job {
namespace {

constexpr double kCorrelationError = 1e-9;  // error of an energy from correlations
constexpr double kCorrelationRounding = 1e-12;

// Most states looked up for correlations that were not requested by name.
constexpr double kMostLookedUp = 5e10;
constexpr double kMostOnDevice = 3e13;

std::string word_text(const ci::ParticleNumbers& filling, ci::BasisState word) {
  const auto is_taken = [&](int place) { return (word >> place & 1) != 0; };
  std::string text;
  for (int site = 0; site < filling.sites; ++site)
    if (!filling.holds_electrons())
      text += is_taken(site) ? 'u' : 'd';
    else if (is_taken(site))
      text += is_taken(filling.sites + site) ? '2' : 'u';
    else
      text += is_taken(filling.sites + site) ? 'd' : '0';
  return text;
}

/// The rows of largest weight; orbits are named by their representatives.
std::vector<DominantDeterminant> dominant_words(const ci::SymmetryAdaptedBasis& basis,
                                                const double* x, Index count) {
  const auto size = static_cast<std::size_t>(basis.dimension());
  std::vector<DominantDeterminant> list;
  for (const Index row : ci::dominant_rows({x, size}, count, basis.host()))
    list.push_back({word_text(basis.words().filling(), basis.word(basis.orbit_of(row))), x[row]});
  return list;
}

/// The energy from correlations; none if they lack a term.
std::optional<double> energy_of(const std::vector<ci::Term>& terms,
                                const ci::CorrelationFunctions& found) {
  double energy = 0;
  for (const ci::Term& term : terms) {
    const std::optional<double> mean = found.mean(term);
    if (!mean) return std::nullopt;
    energy += *mean;
  }
  return energy;
}

void describe_correlations(const SiteProblem& problem, const Request& request, double energy,
                           const ci::CorrelationFunctions& found, StateDescription& state,
                           StateAnalysis& analysis) {
  state.s2 = found.s2();
  state.sites = site_correlations(problem.lattice, found);
  state.density_energy = energy_of(problem.lattice.terms, found);
  const double allowed = kCorrelationError + kCorrelationRounding * std::abs(energy);
  const bool is_whole = request.elements.threshold == 0;
  if (is_whole && state.density_energy && !(std::abs(*state.density_energy - energy) <= allowed))
    analysis.failures.push_back(base::concat(
        "a state has the energy ", energy, ", but its correlations give ", *state.density_energy));
}

/// Why correlations are not computed; empty if they are.
std::string why_none(const SiteProblem& problem, const Request& request, std::size_t states,
                     const base::Backend& backend) {
  const Correlations wanted = request.analysis.correlations;
  if (wanted == Correlations::none) return "analysis.correlations is none";
  const double work = ci::correlation_work(problem.basis) * static_cast<double>(states);
  if (wanted == Correlations::all || work <= (backend.is_host() ? kMostLookedUp : kMostOnDevice))
    return {};
  return base::concat(
      "correlations would need ", base::brief(work),
      " look-ups of configurations; set analysis.correlations to all to compute them");
}

}  // namespace

std::vector<bool> rotate_degenerate_states(const SiteProblemRows& spins, const Request& request,
                                           solver::Result& result) {
  const SiteProblem& problem = spins.problem();
  if (!has_degenerate(result) || !problem.model.keeps_spin() || problem.twice_spin)
    return std::vector<bool>(result.states.size(), false);
  const ci::SiteModelRows squared(problem.basis, ci::spin_squared(problem.basis.words().filling()));
  const auto product = ci::site_product(squared, result.vectors.backend());
  const base::LinearOperator* const operators[] = {product.get()};
  return resolve_degenerate(result, operators, request.solver.tolerance);
}

StateAnalysis analyse(const SiteProblemRows& spins, const Request& request,
                      const solver::Result& result, const base::MultiVector& there) {
  const SiteProblem& problem = spins.problem();
  base::require_whole(result.layout, problem.basis.dimension(), "states to be described");
  StateAnalysis analysis;
  analysis.energies_from = EnergySource::correlations;
  analysis.densities = Densities::none;
  analysis.note = why_none(problem, request, result.states.size(), there.backend());
  analysis.spin_note = analysis.note;  // <S^2> is a sum of correlations
  std::vector<ci::CorrelationFunctions> correlations;
  if (analysis.note.empty())
    correlations = ci::correlation_functions(problem.basis, there.block(), there.backend());
  for (int j = 0; j < result.vectors.columns(); ++j) {
    const double* x = result.vectors.block().column(j);
    StateDescription state;
    state.dominant = dominant_words(problem.basis, x, request.analysis.determinants);
    if (analysis.note.empty())
      describe_correlations(problem, request, result.states[j].energy, correlations[j], state,
                            analysis);
    analysis.states.push_back(std::move(state));
  }
  if (analysis.note.empty() && !analysis.states.front().density_energy)
    analysis.note = "the energy of this model is not a sum of two-site correlations";
  return analysis;
}

}  // namespace cisolve::job
