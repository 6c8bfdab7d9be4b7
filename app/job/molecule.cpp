#include "app/job/molecule.hpp"

#include "base/error.hpp"
#include "ci/direct.hpp"
#include "ci/lattice.hpp"
#include "ci/spaces.hpp"
#include "io/fcidump.hpp"

namespace cisolve::app {
namespace {

using ci::Determinant;

std::optional<int> narrow(const std::optional<Index>& number) {
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

ci::OrbitalChoice choice(const OrbitalSet& set) {
  if (set.numbers.empty()) return static_cast<int>(set.count);
  return std::vector<int>(set.numbers.begin(), set.numbers.end());
}

std::optional<ci::OrbitalChoice> optional_choice(const OrbitalSet& set) {
  if (set.numbers.empty() && set.count == sparse::kAutomatic) return std::nullopt;
  return choice(set);
}

// A lattice has an electron a site unless the configuration says otherwise.
io::MolecularProblem open_lattice(const Configuration& configuration, const base::Backend& host) {
  const Configuration::Lattice& lattice = configuration.lattice;
  const ci::LatticeShape shape{static_cast<int>(lattice.columns), static_cast<int>(lattice.rows),
                               lattice.periodic_columns, lattice.periodic_rows};
  const int electrons = narrow(configuration.electrons).value_or(shape.sites());
  const int ms2 = narrow(configuration.ms2).value_or(electrons % 2);
  if ((electrons + ms2) % 2 != 0 || std::abs(ms2) > electrons)
    base::fail(base::Fault::configuration, configuration.origin, ": ", electrons,
               " electrons cannot have ms2 = ", ms2,
               "; expected both even or both odd, and ms2 no ", "more than the electrons");
  return {.integrals = lattice.model == "heisenberg"
                           ? ci::heisenberg({shape, lattice.j}, host)
                           : ci::hubbard({shape, lattice.t, lattice.u, lattice.v}, host),
          .alpha = (electrons + ms2) / 2,
          .beta = (electrons - ms2) / 2,
          .irrep = std::nullopt,
          .dialect = lattice.model,
          .warnings = {}};
}

io::MolecularProblem open_problem(const Configuration& configuration, const base::Backend& host) {
  io::MolecularProblem problem =
      configuration.source == ProblemSource::lattice
          ? open_lattice(configuration, host)
          : io::read_fcidump(
                configuration.fcidump,
                {.electrons = narrow(configuration.electrons), .ms2 = narrow(configuration.ms2)},
                host);
  const auto& electrons = configuration.space.electrons;
  if (electrons.empty()) return problem;
  if (electrons.size() != 2)
    base::fail(base::Fault::configuration, configuration.origin, ": space.electrons has ",
               electrons.size(), " numbers; expected two, alpha and beta");
  problem.alpha = static_cast<int>(electrons[0]);
  problem.beta = static_cast<int>(electrons[1]);
  return problem;
}

// A determinant over all orbitals, given as text, as one over the active ones.
Determinant within(const ci::Window& window, const std::string& text, int orbitals) {
  const Determinant whole = ci::parse_determinant(text, orbitals);
  Determinant inside;
  for (std::size_t i = 0; i < window.active.size(); ++i) {
    const int p = static_cast<int>(i);
    if (whole.alpha.has(window.active[i])) inside.alpha = inside.alpha.with(p);
    if (whole.beta.has(window.active[i])) inside.beta = inside.beta.with(p);
  }
  const int frozen = static_cast<int>(window.frozen.size());
  bool fits = inside.alpha.count() + frozen == whole.alpha.count() &&
              inside.beta.count() + frozen == whole.beta.count();
  for (const int p : window.frozen) fits = fits && whole.alpha.has(p) && whole.beta.has(p);
  if (!fits)
    base::fail(base::Fault::configuration, "the reference ", text, " leaves frozen orbitals open ",
               "or occupies orbitals that are not active; expected one within the window");
  return inside;
}

std::vector<Determinant> references_of(const Configuration& configuration, const ci::Window& window,
                                       const ci::Sector& sector, int orbitals) {
  const Configuration::Space& space = configuration.space;
  std::vector<Determinant> references;
  if (space.kind == "mrci") {
    for (const std::string& text : space.references)
      references.push_back(within(window, text, orbitals));
    if (references.empty())
      base::fail(base::Fault::configuration, configuration.origin, ": space.kind is mrci and ",
                 "space.references is not given; expected at least one reference");
  } else if (space.reference.empty()) {
    references.push_back(ci::aufbau(sector.alpha_electrons, sector.beta_electrons));
  } else {
    references.push_back(within(window, space.reference, orbitals));
  }
  return references;
}

std::vector<int> levels_of(const Configuration::Space& space) {
  if (space.kind == "cid") return {0, 2};
  if (space.kind == "cis") return {0, 1};
  if (space.kind == "cisd") return ci::levels_up_to(2);
  if (space.kind == "cisdt") return ci::levels_up_to(3);
  if (space.kind == "cisdtq") return ci::levels_up_to(4);
  return ci::levels_up_to(static_cast<int>(space.level));
}

// ras1 and ras2 divide the active orbitals as frozen and active ones divide all; ras3 is the rest.
ci::RasLimits ras_limits(const Configuration::Space& space, int orbitals) {
  const ci::Window parts =
      ci::make_window(orbitals, choice(space.ras1), optional_choice(space.ras2));
  ci::RasLimits limits{.ras1 = parts.frozen,
                       .ras3 = {},
                       .holes = static_cast<int>(space.holes),
                       .particles = static_cast<int>(space.particles)};
  std::vector<bool> taken(orbitals, false);
  for (const int p : parts.frozen) taken[p] = true;
  for (const int p : parts.active) taken[p] = true;
  for (int p = 0; p < orbitals; ++p)
    if (!taken[p]) limits.ras3.push_back(p);
  return limits;
}

ci::Space build_space(const Configuration& configuration, const ci::Window& window,
                      const ci::Sector& sector, int orbitals, const base::Backend& host) {
  const std::string& kind = configuration.space.kind;
  if (kind == "fci" || kind == "cas") return ci::full_ci(sector, host);
  if (kind == "ras")
    return ci::restricted_active_space(sector, ras_limits(configuration.space, sector.orbitals),
                                       host);
  return ci::excited_space(sector, references_of(configuration, window, sector, orbitals),
                           levels_of(configuration.space), host);
}

}  // namespace

Molecule open_molecule(const Configuration& configuration, const base::Backend& host) {
  io::MolecularProblem problem = open_problem(configuration, host);
  const int orbitals = problem.integrals.orbitals();
  ci::Window window = ci::make_window(orbitals, choice(configuration.space.frozen),
                                      optional_choice(configuration.space.active));
  const ci::WindowElectrons inside = ci::electrons_in(window, problem.alpha, problem.beta);
  ci::Integrals integrals = ci::fold(problem.integrals, window, host);
  ci::Sector sector{.orbitals = integrals.orbitals(),
                    .alpha_electrons = inside.alpha,
                    .beta_electrons = inside.beta,
                    .irreps = integrals.irreps()};
  if (configuration.space.irrep != sparse::kAutomatic)
    sector.irrep = static_cast<int>(configuration.space.irrep) - 1;
  ci::Space space = build_space(configuration, window, sector, orbitals, host);
  return {.integrals = std::move(integrals),
          .space = std::move(space),
          .window = std::move(window),
          .dialect = std::move(problem.dialect),
          .orbitals = orbitals,
          .alpha = problem.alpha,
          .beta = problem.beta,
          .core_energy = problem.integrals.core_energy(),
          .warnings = std::move(problem.warnings)};
}

MolecularRows::MolecularRows(const Configuration& configuration, const base::Backend& host)
    : molecule_(open_molecule(configuration, host)),
      partition_(host),
      rows_(molecule_.space, molecule_.integrals, partition_) {}

namespace {

/// A direct operator with the molecule that it refers to.
class MolecularDirect final : public base::LinearOperator {
 public:
  MolecularDirect(const Configuration& configuration, const base::Backend& host)
      : molecule_(open_molecule(configuration, host)),
        direct_(molecule_.space, molecule_.integrals) {}

  Index rows() const override { return direct_.rows(); }
  void apply(base::ConstBlock x, base::Block y) const override { direct_.apply(x, y); }
  bool diagonal(base::Block d) const override { return direct_.diagonal(d); }
  base::OperatorDescription description() const override { return direct_.description(); }

 private:
  Molecule molecule_;
  ci::DirectOperator direct_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> open_direct_operator(const Configuration& configuration,
                                                           const base::Backend& host) {
  return std::make_unique<MolecularDirect>(configuration, host);
}

}  // namespace cisolve::app
