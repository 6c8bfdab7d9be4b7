#include "app/runs/natural_integrals.hpp"

#include "base/number.hpp"
#include "base/text.hpp"
#include "ci/fock/integrals/rotated.hpp"
#include "io/molecules/fcidump_write.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/states/natural_frame.hpp"
#include "job/states/orbitals_in_basis.hpp"

namespace cisolve::app {
namespace {

/// Molpro's numbers are labels from 1; none if the point group is not known.
std::vector<int> orbital_symmetries(const job::DeterminantProblem& molecule,
                                    const job::NaturalFrame& frame) {
  std::vector<int> numbers;
  if (molecule.irreps.names.empty() || molecule.irreps.assumed) return numbers;
  for (const int label : frame.irreps) numbers.push_back(label + 1);
  return numbers;
}

/// The natural orbitals over basis functions, the frozen ones among the inactive; null if the
/// problem brings no basis functions.
std::shared_ptr<const ci::MolecularOrbitals> orbitals_in_basis(
    const job::DeterminantProblem& molecule, const job::NaturalFrame& frame) {
  if (!molecule.molecular_orbitals) return nullptr;
  const ci::MolecularOrbitals& all = *molecule.molecular_orbitals;
  ci::MolecularOrbitals found{.basis = all.basis,
                              .overlap = all.overlap,
                              .alpha = job::in_basis(molecule, ci::Spin::alpha, frame.orbitals)};
  const int inactive = all.inactive.columns();
  const auto frozen = static_cast<int>(std::ssize(molecule.window.frozen));
  found.inactive = base::SmallMatrix(all.alpha.rows(), inactive + frozen);
  for (int m = 0; m < all.alpha.rows(); ++m) {
    for (int p = 0; p < inactive; ++p) found.inactive(m, p) = all.inactive(m, p);
    for (int p = 0; p < frozen; ++p)
      found.inactive(m, inactive + p) =
          all.alpha(m, molecule.window.frozen[static_cast<std::size_t>(p)]);
  }
  return std::make_shared<const ci::MolecularOrbitals>(std::move(found));
}

}  // namespace

std::string write_over_natural_orbitals(const job::Outcome& found, std::optional<std::size_t> state,
                                        const NaturalFiles& files, bool overwrite) {
  if (!found.analysis || !found.determinant_problem)
    return "the job has no states over determinants";
  const job::DeterminantProblem& molecule = *found.determinant_problem;
  const std::size_t states = found.analysis->kept.one_particle.size();
  if (states == 0) return "there are no density matrices; expected analysis.densities: one";
  if (state && *state >= states)
    return base::concat("there is no state ", *state + 1, "; expected 1 to ", states);
  const auto frame = job::natural_frame(molecule, *found.analysis, state);
  if (!frame) return "alpha and beta electrons have orbitals of their own";
  const ci::Integrals integrals =
      ci::rotated(molecule.integrals, frame->orbitals, molecule.space.host());
  io::write_fcidump(files.fcidump, integrals,
                    {.alpha = molecule.space.electrons(ci::Spin::alpha),
                     .beta = molecule.space.electrons(ci::Spin::beta),
                     .orbital_symmetries = orbital_symmetries(molecule, *frame),
                     .point_group = molecule.irreps.group},
                    overwrite);
  if (molecule.operators.empty()) return {};
  ci::OneElectronOperators operators;
  for (const ci::OneElectronOperator& one : molecule.operators)
    operators.push_back(ci::rotated(one, frame->orbitals));
  io::write_operators(files.operators, operators, integrals, orbitals_in_basis(molecule, *frame),
                      overwrite);
  return {};
}

std::string write_natural_integrals(const Configuration& configuration, const job::Outcome& found,
                                    bool overwrite) {
  const NaturalRule& rule = configuration.output.natural_fcidump;
  if (rule.of == NaturalOf::none) return {};
  std::optional<std::size_t> state;
  if (rule.of == NaturalOf::state) state = static_cast<std::size_t>(rule.number) - 1;
  const std::filesystem::path folder = configuration.output.directory;
  const NaturalFiles files{folder / kNaturalFcidump, folder / kNaturalOperators};
  const std::string why_not = write_over_natural_orbitals(found, state, files, overwrite);
  if (!why_not.empty()) return base::concat(kNaturalFcidump, " was not written: ", why_not);
  const auto states = std::ssize(found.analysis->kept.one_particle);
  return base::concat(
      "integrals over the natural orbitals of ",
      state ? base::concat("state ", rule.number)
            : base::concat(base::counted(states, "state"), " on average"),
      " are in ", files.fcidump.string(),
      found.determinant_problem->operators.empty() ? "" : base::concat(" and ", kNaturalOperators));
}

}  // namespace cisolve::app
