#include "app/job/molecule.hpp"

#include "app/job/molecular_space.hpp"
#include "app/job/reference_check.hpp"
#include "base/error.hpp"
#include "ci/direct.hpp"
#include "ci/lattice.hpp"
#include "io/fcidump.hpp"
#include "io/trexio.hpp"

namespace cisolve::app {
namespace {

std::optional<int> narrow(const std::optional<Index>& number) {
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
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

// A TREXIO file always says how many electrons there are; the configuration may say it again.
io::MolecularProblem open_trexio(const Configuration& configuration, const base::Backend& host) {
  io::MolecularProblem problem = io::read_trexio(configuration.trexio, host);
  const auto require = [&](const char* key, const std::optional<Index>& given, Index found) {
    if (given && *given != found)
      base::fail(base::Fault::bad_input, configuration.trexio, ": says ", key, " = ", found,
                 ", the configuration says ", *given, "; expected the same, or space.electrons ",
                 "for other electrons than the file's");
  };
  require("electrons", configuration.electrons, problem.alpha + problem.beta);
  require("ms2", configuration.ms2, problem.alpha - problem.beta);
  return problem;
}

io::MolecularProblem read_source(const Configuration& configuration, const base::Backend& host) {
  if (configuration.source == ProblemSource::lattice) return open_lattice(configuration, host);
  if (configuration.source == ProblemSource::trexio) return open_trexio(configuration, host);
  return io::read_fcidump(
      configuration.fcidump,
      {.electrons = narrow(configuration.electrons), .ms2 = narrow(configuration.ms2)}, host);
}

}  // namespace

io::MolecularProblem open_problem(const Configuration& configuration, const base::Backend& host) {
  io::MolecularProblem problem = read_source(configuration, host);
  const auto& electrons = configuration.space.electrons;
  if (electrons.empty()) return problem;
  if (electrons.size() != 2)
    base::fail(base::Fault::configuration, configuration.origin, ": space.electrons has ",
               electrons.size(), " numbers; expected two, alpha and beta");
  problem.alpha = static_cast<int>(electrons[0]);
  problem.beta = static_cast<int>(electrons[1]);
  return problem;
}

Molecule open_molecule(const Configuration& configuration, const base::Backend& host,
                       const Admission* admission) {
  io::MolecularProblem problem = open_problem(configuration, host);
  const int orbitals = problem.integrals.orbitals();
  ci::Window window = chosen_window(configuration.space, orbitals);
  const ci::WindowElectrons inside = ci::electrons_in(window, problem.alpha, problem.beta);
  ci::Integrals integrals = ci::fold(problem.integrals, window, host);
  ci::Sector sector{.orbitals = integrals.orbitals(),
                    .alpha_electrons = inside.alpha,
                    .beta_electrons = inside.beta,
                    .irreps = integrals.irreps()};
  if (configuration.space.irrep != sparse::kAutomatic)
    sector.irrep = static_cast<int>(configuration.space.irrep) - 1;
  const Surroundings around{window, sector, orbitals};
  if (admission != nullptr) admission->require(least_size(configuration, around));
  ci::Space space = build_space(configuration, around, host);
  if (admission != nullptr) admission->require(space, integrals);
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

namespace {

Molecule open_partitioned(const Configuration& configuration, const base::Backend& host,
                          const Admission* admission) {
  Molecule molecule = open_molecule(configuration, host, admission);
  molecule.partition = std::make_shared<ci::Partition>(chosen_partition(configuration, molecule));
  std::string warning = reference_warning(configuration, molecule);
  if (!warning.empty()) molecule.warnings.push_back(std::move(warning));
  return molecule;
}

}  // namespace

MolecularRows::MolecularRows(const Configuration& configuration, const base::Backend& host,
                             const Admission* admission)
    : molecule_(open_partitioned(configuration, host, admission)),
      rows_(molecule_.space, molecule_.integrals, *molecule_.partition,
            configuration.elements.threshold) {}

namespace {

/// A direct operator with the molecule that it refers to.
class MolecularDirect final : public base::LinearOperator {
 public:
  MolecularDirect(const Configuration& configuration, const base::Backend& host, Watch watch)
      : molecule_(open_molecule(configuration, host)),
        direct_(molecule_.space, molecule_.integrals, configuration.elements.threshold) {
    direct_.watch(std::move(watch));
  }

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
                                                           const base::Backend& backend,
                                                           Watch watch) {
  if (backend.is_host())
    return std::make_unique<MolecularDirect>(configuration, backend, std::move(watch));
  const Molecule molecule = open_molecule(configuration, backend.host());
  return ci::direct_operator_on(backend, molecule.space, molecule.integrals,
                                configuration.elements.threshold);
}

}  // namespace cisolve::app
