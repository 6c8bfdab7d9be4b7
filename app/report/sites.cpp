#include "app/report/sites.hpp"

#include <algorithm>
#include <ostream>

#include "app/report/table.hpp"
#include "base/number.hpp"
#include "job/states/spin_states.hpp"

namespace cisolve::app {
namespace {

/// An n x n matrix over sites as a list of lists.
Json matrix_of(const std::vector<double>& values, int sites) {
  if (values.empty()) return {};
  std::vector<Json> rows;
  for (int a = 0; a < sites; ++a) {
    const double* row = values.data() + static_cast<std::ptrdiff_t>(a) * sites;
    rows.push_back(Json::array(std::vector<Json>(row, row + sites)));
  }
  return Json::array(std::move(rows));
}

Json momentum_of(const job::StructureFactor& factor) {
  return Json::array(std::vector<Json>(factor.momentum.begin(), factor.momentum.end()));
}

std::string largest_factor(const job::SiteCorrelations& sites) {
  if (sites.factors.empty()) return "-";
  const auto most = std::ranges::max_element(sites.factors, {}, &job::StructureFactor::spin);
  return base::concat(base::fixed(most->spin, 6), " at (", base::joined(most->momentum), ")");
}

}  // namespace

void write_sites(std::ostream& out, const job::StateAnalysis& analysis,
                 const solver::Result& result) {
  const auto has_sites = [](const job::StateDescription& state) { return state.sites.has_value(); };
  if (analysis.states.empty() || !std::ranges::all_of(analysis.states, has_sites)) return;
  Table table({"state", "energy per site", "<S S> of neighbours", "largest S(q)"});
  for (std::size_t j = 0; j < analysis.states.size(); ++j) {
    const job::SiteCorrelations& sites = *analysis.states[j].sites;
    table.add({std::to_string(j + 1), base::fixed(result.states[j].energy / sites.sites, 10),
               base::fixed(sites.neighbours, 10), largest_factor(sites)});
  }
  table.write(out);
  if (result.states.size() > 1)
    out << "gap " << base::fixed(result.states[1].energy - result.states[0].energy, 10)
        << " between the first two states\n";
}

std::vector<Json::Member> site_members(const job::SiteCorrelations& sites, double energy) {
  std::vector<Json> factors;
  for (const job::StructureFactor& factor : sites.factors)
    factors.push_back(
        Json::object({{"momentum", momentum_of(factor)},
                      {"spin", factor.spin},
                      {"charge", sites.charge.empty() ? Json() : Json(factor.charge)}}));
  const bool has_charge = !sites.charge.empty();
  std::vector<Json> of_sites(sites.up.begin(), sites.up.end());
  return {{"energy_a_site", energy / sites.sites},
          {"neighbours", sites.neighbours},
          {has_charge ? "occupations" : "magnetisation", Json::array(std::move(of_sites))},
          {"spin_correlations", matrix_of(sites.spin, sites.sites)},
          {"spin_z_correlations", matrix_of(sites.spin_z, sites.sites)},
          {"charge_correlations", matrix_of(sites.charge, sites.sites)},
          {"structure_factors", Json::array(std::move(factors))}};
}

Json spin_problem_record(const std::string& source, const job::SiteProblem& problem) {
  return Json::object({{"source", source},
                       {"sites", problem.lattice.sites},
                       {"terms", std::ssize(problem.lattice.terms)},
                       {"keeps_projection", problem.model.keeps_projection()},
                       {"keeps_spin", problem.model.keeps_spin()}});
}

namespace {

/// The parities that the request fixes; the others are free.
std::vector<std::pair<const char*, std::string_view>> parities_of(
    const ci::WantedSymmetry& symmetry) {
  std::vector<std::pair<const char*, std::string_view>> all;
  for (const auto& [name, parity] : {std::pair("inversion", symmetry.inversion),
                                     {"columns", symmetry.columns},
                                     {"rows", symmetry.rows},
                                     {"layers", symmetry.layers},
                                     {"exchange", symmetry.exchange},
                                     {"rotation", symmetry.rotation},
                                     {"spin", symmetry.spin}})
    if (parity) all.emplace_back(name, job::word_of(*parity));
  return all;
}

Json sector_record(const job::Request& request) {
  const auto& symmetry = request.space.symmetry;
  std::vector<Json::Member> members;
  if (!symmetry.momentum.empty())
    members.emplace_back("momentum", Json::array(std::vector<Json>(symmetry.momentum.begin(),
                                                                   symmetry.momentum.end())));
  for (const auto& [name, parity] : parities_of(symmetry))
    members.emplace_back(name, std::string(parity));
  return Json::object(std::move(members));
}

}  // namespace

void write_sector(std::ostream& out, const job::Request& request, const job::SiteProblem& problem) {
  const auto& sector = problem.basis.sector();
  if (!sector) return;
  const auto& momentum = request.space.symmetry.momentum;
  std::string text;
  if (!momentum.empty()) text = base::concat("momentum (", base::joined(momentum), ")");
  for (const auto& [name, parity] : parities_of(request.space.symmetry))
    text += base::concat(text.empty() ? "" : ", ", name, " ", parity);
  out << "sector   " << text << ": " << sector->operations.size() << " symmetry operations on "
      << base::grouped(problem.basis.words().count()) << " configurations\n";
}

Json spin_space_record(const job::Request& request, const job::SiteProblem& problem) {
  const ci::SymmetryAdaptedBasis& basis = problem.basis;
  const ci::ParticleNumbers& filling = basis.words().filling();
  const auto& sector = basis.sector();
  const auto& spin = problem.twice_spin;
  return Json::object({{"kind", filling.holds_electrons() ? "electrons" : "spins"},
                       {"dimension", basis.dimension()},
                       {"electrons", filling.holds_electrons() ? Json(filling.spins()) : Json()},
                       {"ms2", filling.up ? Json(filling.ms2()) : Json()},
                       {"spin", spin ? Json(0.5 * *spin) : Json()},
                       {"spin_states", spin ? Json(job::SpinStates(problem).count()) : Json()},
                       {"sector", sector ? sector_record(request) : Json()},
                       {"operations", sector ? Json(std::ssize(sector->operations)) : Json(1)},
                       {"words", basis.words().count()}});
}

}  // namespace cisolve::app
