#include "app/report/descriptions.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "app/report/table.hpp"
#include "base/number.hpp"

namespace cisolve::app {
namespace {

constexpr std::size_t kDeterminantsShown = 2;  // dominant determinants a line

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

/// The largest |E(densities) - E| of the states with densities; negative if there are none.
double largest_difference(const job::StateAnalysis& analysis, const solver::Result& result) {
  double largest = -1;
  for (std::size_t j = 0; j < analysis.states.size(); ++j)
    if (const auto& energy = analysis.states[j].density_energy)
      largest = std::max(largest, std::abs(*energy - result.states[j].energy));
  return largest;
}

// No minus before a zero.
std::string spin_text(const std::optional<double>& s2) {
  return s2 ? base::fixed(std::abs(*s2) < 5e-7 ? 0 : *s2, 6) : "-";
}

std::string dominant_text(const job::StateDescription& state) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kDeterminantsShown, state.dominant.size()); ++i)
    text += (i > 0 ? ", " : "") + base::fixed(state.dominant[i].weight(), 4) + " " +
            state.dominant[i].text;
  return text;
}

/// "6 B2g", "6" or "-"; with a question mark if the numbering is assumed.
std::string irrep_of(const job::StateDescription& state) {
  if (!state.irrep) return "-";
  return base::concat(*state.irrep, state.irrep_name.empty() ? "" : " ", state.irrep_name,
                      state.irrep_assumed ? "?" : "");
}

void write_named_irreps(std::ostream& out, const job::DeterminantProblem& molecule) {
  const ci::IrrepNames& irreps = molecule.irreps;
  out << "irreps   " << (irreps.group.empty() ? "" : irreps.group + ": ")
      << ci::irreps_text(irreps, molecule.integrals.irreps())
      << (irreps.group.empty() ? " of an unnamed point group" : "")
      << "; orbital symmetries follow " << irreps.numbering;
  if (irreps.assumed)
    out << ", which is assumed (?); set problem.orbital_symmetries to molpro or pyscf to settle it";
  out << '\n';
}

/// Prints the numbers of irreps that were found from the integrals and have no names.
void write_found_irreps(std::ostream& out, const ci::IrrepNames& irreps) {
  out << "irreps   ";
  for (const int label : ci::generated_labels(irreps.orbitals))
    out << (label > 0 ? ", " : "") << label + 1 << " of "
        << std::ranges::count(irreps.orbitals, label);
  out << " orbitals, derived from vanishing integrals because the problem names none";
  if (irreps.left_out > 0)
    out << "; " << irreps.left_out
        << " more symmetries are not used: at most 8 irreps are supported";
  out << '\n';
}

void write_file_irrep(std::ostream& out, int label, const ci::IrrepNames& irreps) {
  const std::vector<int> labels = ci::generated_labels(irreps.orbitals);
  const bool is_known = std::ranges::find(labels, label) != labels.end();
  out << "         ISYM = " << label + 1 << " of the file is ignored: "
      << (is_known ? base::concat("set space.irrep to ", label + 1, " for states of ",
                                  ci::irrep_text(irreps, label), " only")
                   : "the orbitals generate no such irrep")
      << '\n';
}

}  // namespace

void write_molecule(std::ostream& out, const Configuration& configuration,
                    const job::DeterminantProblem& molecule) {
  const ci::IrrepNames& irreps = molecule.irreps;
  if (irreps.found)
    write_found_irreps(out, irreps);
  else if (!irreps.numbering.empty())
    write_named_irreps(out, molecule);
  if (molecule.file_irrep.value_or(0) != 0 && configuration.request.space.irrep.is_any())
    write_file_irrep(out, *molecule.file_irrep, irreps);
  if (molecule.added > 0)
    out << "space    " << job::word_of(configuration.request.space.kind) << " with "
        << base::grouped(molecule.added)
        << " more determinants that complete the spin couplings of open shells\n";
}

void write_descriptions(std::ostream& out, const job::StateAnalysis& analysis) {
  const bool is_site_basis = analysis.energies_from == job::EnergySource::correlations;
  Table table({"state", "S^2", "irrep", "reference",
               base::concat("energy from ", job::word_of(analysis.energies_from)),
               is_site_basis ? "weights of orbits, each named by one of its configurations"
                             : "weights of determinants"});
  for (std::size_t j = 0; j < analysis.states.size(); ++j) {
    const job::StateDescription& state = analysis.states[j];
    table.add({std::to_string(j + 1), spin_text(state.s2), irrep_of(state),
               state.reference_weight ? base::fixed(*state.reference_weight, 4) : "-",
               state.density_energy ? base::fixed(*state.density_energy, 12) : "-",
               dominant_text(state)});
  }
  table.write(out);
  for (std::size_t j = 0; j < analysis.states.size(); ++j)
    if (analysis.states[j].is_unresolved)
      out << "state " << j + 1
          << " is an arbitrary combination of degenerate states; its description "
          << "holds for this combination only\n";
  if (!analysis.spin_note.empty())
    out << (is_site_basis ? "S^2 was" : "S^2 and natural orbitals were")
        << " not computed: " << analysis.spin_note << '\n';
  if (!analysis.spin_density_note.empty()) out << analysis.spin_density_note << '\n';
}

void write_density_verdict(std::ostream& out, const job::StateAnalysis& analysis,
                           const solver::Result& result) {
  const bool has_densities = analysis.energies_from == job::EnergySource::densities;
  if (const double largest = largest_difference(analysis, result); largest >= 0)
    out << "energies recomputed from the "
        << (has_densities ? "one- and two-particle density matrices" : "site correlations")
        << " differ by at most " << base::scientific(largest, 1)
        << (analysis.note.empty() ? "" : ": ") << analysis.note << '\n';
  else
    out << "energies were not recomputed from "
        << (has_densities ? "density matrices" : "site correlations") << ": " << analysis.note
        << '\n';
}

std::vector<Json::Member> description_members(const job::StateDescription& state) {
  std::vector<Json> dominant;
  for (const job::DominantDeterminant& determinant : state.dominant)
    dominant.push_back(Json::object({{"determinant", determinant.text},
                                     {"coefficient", determinant.coefficient},
                                     {"weight", determinant.weight()}}));
  std::vector<Json> occupations(state.occupations.begin(), state.occupations.end());
  return {{"s2", optional(state.s2)},
          {"mixed", state.is_unresolved},
          {"irrep", state.irrep ? Json(*state.irrep) : Json()},
          {"irrep_name", state.irrep_name.empty() ? Json() : Json(state.irrep_name)},
          {"irrep_assumed", state.irrep_assumed},
          {"reference_weight", optional(state.reference_weight)},
          {"dominant", Json::array(std::move(dominant))},
          {"natural_occupations", Json::array(std::move(occupations))},
          {"density_energy", optional(state.density_energy)}};
}

Json spin_record(const job::StateAnalysis& analysis) {
  return analysis.spin_note.empty() ? Json() : Json(analysis.spin_note);
}

Json density_record(const job::StateAnalysis& analysis, const solver::Result& result) {
  const double largest = largest_difference(analysis, result);
  std::vector<Json> failures(analysis.failures.begin(), analysis.failures.end());
  return Json::object(
      {{"computed", std::string(job::word_of(analysis.densities))},
       {"max_energy_difference", largest < 0 ? Json() : Json(largest)},
       {"note", analysis.note.empty() ? Json() : Json(analysis.note)},
       {"spin_density_note",
        analysis.spin_density_note.empty() ? Json() : Json(analysis.spin_density_note)},
       {"failures", Json::array(std::move(failures))}});
}

}  // namespace cisolve::app
