#include "job/problem/determinant_problem.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/error.hpp"
#include "ci/fock/integrals/found_symmetry.hpp"
#include "ci/fock/integrals/symmetry.hpp"
#include "ci/fock/models/electron_models.hpp"
#include "ci/fock/spaces/spin_completion.hpp"
#include "io/files/sha256.hpp"
#include "io/molecules/trexio.hpp"
#include "job/problem/lattice_problem.hpp"
#include "job/problem/molecular_orbitals.hpp"
#include "job/problem/molecular_space.hpp"
#include "job/problem/operators.hpp"
#include "job/problem/problem_in_memory.hpp"
#include "job/problem/reference_check.hpp"
#include "job/problem/source.hpp"
#include "job/request/with_context.hpp"

namespace cisolve::job {
namespace {

std::optional<int> to_int(const std::optional<Index>& number) {
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

ci::Integrals electrons_of(const Request& request, const LatticeProblem& lattice,
                           const base::Backend& host) {
  return with_context(request.origin + ": problem.lattice.bonds",
                      [&] { return ci::electrons_on(lattice.sites, lattice.terms, host); });
}

// One electron per site unless the request says otherwise.
io::MolecularProblem open_lattice(const Request& request, const base::Backend& host) {
  const LatticeProblem lattice = lattice_problem(request);
  const int electrons = to_int(request.electrons).value_or(lattice.sites);
  const int ms2 = to_int(request.ms2).value_or(electrons % 2);
  if ((electrons + ms2) % 2 != 0 || std::abs(ms2) > electrons)
    base::fail(base::ErrorKind::configuration, request.origin, ": ", electrons,
               " electrons cannot have ms2 = ", ms2,
               "; expected both even or both odd, and ms2 no ", "more than the electrons");
  require_electron_terms(request, lattice);
  return {.integrals = electrons_of(request, lattice, host),
          .alpha = (electrons + ms2) / 2,
          .beta = (electrons - ms2) / 2,
          .irrep = std::nullopt,
          .dialect = std::string(word_of(request.lattice.model)),
          .warnings = {}};
}

// A TREXIO file always gives the number of electrons; the request may repeat it, and choose another
// projection of the spin.
io::MolecularProblem open_trexio(const Request& request, const base::Backend& host) {
  const bool has_repulsion = request.nucleus_repulsion != NucleusRepulsion::none;
  io::MolecularProblem problem =
      io::read_trexio(request.trexio, {.has_repulsion = has_repulsion}, host);
  const int electrons = problem.alpha + problem.beta;
  if (request.electrons && *request.electrons != electrons)
    base::fail(base::ErrorKind::bad_input, request.trexio, ": the file has electrons = ", electrons,
               ", but problem.electrons is ", *request.electrons,
               "; expected the same number, or space.electrons to override the file");
  const int ms2 = to_int(request.ms2).value_or(problem.alpha - problem.beta);
  if (ms2 == problem.alpha - problem.beta) return problem;
  if ((electrons + ms2) % 2 != 0 || std::abs(ms2) > electrons)
    base::fail(base::ErrorKind::configuration, request.origin, ": problem.ms2 is ", ms2, ", but ",
               request.trexio, " has ", electrons,
               " electrons; expected both even or both odd, and ms2 no more than the electrons");
  problem.warnings.push_back(base::concat("problem.ms2 = ", ms2, " overrides ",
                                          problem.alpha - problem.beta, " of the file"));
  problem.alpha = (electrons + ms2) / 2;
  problem.beta = (electrons - ms2) / 2;
  return problem;
}

io::FcidumpOptions fcidump_options(const Request& request) {
  io::FcidumpOptions options{.electrons = to_int(request.electrons),
                             .ms2 = to_int(request.ms2),
                             .numbering = request.orbital_symmetries};
  options.has_one_electron = request.one_electron_integrals != OneElectronIntegrals::none;
  const auto& electrons = request.space.electrons;
  if (electrons.size() == 2)
    options.default_electrons =
        std::array{static_cast<int>(electrons[0]), static_cast<int>(electrons[1])};
  return options;
}

io::MolecularProblem read_source(const Request& request, const base::Backend& host) {
  if (request.source == ProblemSource::lattice) return open_lattice(request, host);
  if (request.source == ProblemSource::trexio) return open_trexio(request, host);
  if (request.source == ProblemSource::integrals) {
    require_given(request);
    return problem_of(*request.integrals, host, request.orbital_symmetries);
  }
  return io::read_fcidump(request.fcidump, fcidump_options(request), host);
}

template <class Problem>
void take_electrons(const Request& request, Problem& problem) {
  const auto& electrons = request.space.electrons;
  if (electrons.empty()) return;
  if (electrons.size() != 2)
    base::fail(base::ErrorKind::configuration, request.origin, ": space.electrons has ",
               electrons.size(), " numbers; expected two, alpha and beta");
  problem.alpha = static_cast<int>(electrons[0]);
  problem.beta = static_cast<int>(electrons[1]);
}

// Without double occupancy, all sites of a lattice must be active.
void require_all_sites(const Request& request, const ci::Window& window, int sites) {
  if (std::ssize(window.active) != sites)
    base::fail(base::ErrorKind::configuration, request.origin, ": space.frozen or space.active ",
               "leaves ", window.active.size(), " of ", sites, " sites; expected all of them");
}

/// Why the file's orbital symmetries were dropped; else empty.
std::string why_off(const io::MolecularProblem& problem) {
  for (const std::string& warning : problem.warnings)
    if (warning.starts_with("symmetry is off")) return base::concat(" (", warning, ")");
  return {};
}

/// Uses the irreps of the integrals if a file names none, or one alone. Named symmetries that the
/// integrals break stay off; a lattice has those of its model.
void find_irreps(const Request& request, io::MolecularProblem& problem) {
  const bool is_named = ci::has_symmetry(problem.integrals.irreps());
  if (request.source == ProblemSource::lattice || is_named || !why_off(problem).empty()) return;
  ci::FoundSymmetry found = ci::find_symmetry(problem.integrals);
  if (!ci::has_symmetry(found.labels)) return;
  problem.irreps = {.numbering = "found from integrals that vanish, from 1",
                    .group = {},
                    .names = {},
                    .orbitals = {},
                    .found = true,
                    .left_out = found.left_out,
                    .neglected = ci::largest_broken_integral(problem.integrals, found.labels).size};
  problem.integrals.set_irreps(std::move(found.labels));
}

/// Why these irreps have no names to request, and the remedy.
std::string why_unnamed(const Request& request, const ci::IrrepNames& irreps) {
  const std::string source = describe_source(request);
  if (irreps.found || irreps.numbering.empty())
    return base::concat("but ", source, " assigns no irreps to its orbitals; expected a number");
  if (irreps.names.empty())
    return base::concat(
        "but ", source,
        " does not name its point group; expected a number, or PNTGRP in the header ",
        "of the FCIDUMP file");
  if (irreps.assumed)
    return base::concat(
        "but ", source, " does not state the numbering of its orbital symmetries, and ",
        irreps.numbering, ", is only assumed; set problem.orbital_symmetries to molpro ",
        "or pyscf, or give a number");
  return {};
}

int label_named(const Request& request, const io::MolecularProblem& problem) {
  const std::string& name = request.space.irrep.name;
  const ci::IrrepNames& irreps = problem.irreps;
  const auto refuse = [&](const auto&... why) {
    base::fail(base::ErrorKind::configuration, request.origin, ": space.irrep is ", name, ", ",
               why...);
  };
  if (const std::string why = why_off(problem); !why.empty())
    refuse("but the orbitals of ", describe_source(request), " have no symmetry", why,
           "; expected 'irrep: any', or a file without ORBSYM, whose irreps are derived from the "
           "integrals");
  if (const std::string why = why_unnamed(request, irreps); !why.empty()) refuse(why);
  const auto found = std::ranges::find(irreps.names, name);
  if (found == irreps.names.end())
    refuse("but the irreps of ", irreps.group, " are ",
           ci::irreps_text(irreps, problem.integrals.irreps()), "; expected one of them");
  return static_cast<int>(found - irreps.names.begin());
}

/// The XOR label of the requested irrep; without symmetry all are of irrep 1.
std::optional<int> chosen_irrep(const Request& request, const io::MolecularProblem& problem) {
  const IrrepChoice& irrep = request.space.irrep;
  if (irrep.is_any()) return std::nullopt;
  const int label =
      irrep.name.empty() ? static_cast<int>(*irrep.number) - 1 : label_named(request, problem);
  const std::vector<int>& labels = problem.integrals.irreps();
  const std::vector<int> irreps = ci::generated_labels(labels);
  const bool is_known = std::ranges::find(irreps, label) != irreps.end();
  if (is_known && why_off(problem).empty()) return label;
  const std::string asked = irrep.name.empty() ? base::concat(*irrep.number) : irrep.name;
  if (irreps.size() == 1)
    base::fail(base::ErrorKind::configuration, request.origin, ": space.irrep is ", asked,
               ", but the orbitals of ", describe_source(request), " have no symmetry",
               why_off(problem), "; expected 'irrep: any', or ",
               why_off(problem).empty()
                   ? "orbitals of a point group"
                   : "a file without ORBSYM, whose irreps are derived from the integrals");
  base::fail(base::ErrorKind::configuration, request.origin, ": space.irrep is ", asked,
             ", but the orbitals of ", describe_source(request), " do not generate this irrep; ",
             "expected one of ", ci::irreps_text(problem.irreps, labels));
}

}  // namespace

io::MolecularProblem open_problem(const Request& request, const base::Backend& host) {
  io::MolecularProblem problem = read_source(request, host);
  take_electrons(request, problem);
  find_irreps(request, problem);
  problem.irreps.orbitals = problem.integrals.irreps();
  return problem;
}

io::FcidumpOutline outline_problem(const Request& request, const base::Backend& host) {
  if (request.source != ProblemSource::fcidump) {
    io::MolecularProblem problem = open_problem(request, host);
    return {problem.integrals.orbitals(), problem.alpha, problem.beta, std::move(problem.dialect)};
  }
  auto outline = io::outline_fcidump(request.fcidump, fcidump_options(request), host);
  take_electrons(request, outline);
  return outline;
}

void require_possible_molecule(const Request& request, const base::Backend& host) {
  const io::MolecularProblem problem = open_problem(request, host);
  const int orbitals = problem.integrals.orbitals();
  const ci::Window window = chosen_window(request, orbitals);
  const ci::WindowElectrons inside =
      chosen_electrons(request, window, orbitals, problem.alpha, problem.beta);
  const ci::Sector sector{.orbitals = static_cast<int>(std::ssize(window.active)),
                          .alpha_electrons = inside.alpha,
                          .beta_electrons = inside.beta};
  require_possible_space(request, {window, sector, orbitals});
}

namespace {

bool has_sites(const Request& request) { return request.source == ProblemSource::lattice; }

template <class Range>
std::string digest_of(const Range& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return io::sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// SHA-256 of all integrals, without the core energy.
std::string digest_of_integrals(const ci::Integrals& v) {
  std::string digests;
  for (const ci::Spin spin : {ci::Spin::alpha, ci::Spin::beta}) {
    std::vector<double> one;
    for (int p = 0; p < v.orbitals(); ++p)
      for (int q = 0; q <= p; ++q) one.push_back(v.one(spin, p, q));
    digests += digest_of(one) + digest_of(v.same_spin(spin).span());
    if (!v.spin_dependent()) break;
    digests += digest_of(v.mixed_spin().span());
  }
  return io::sha256(digests);
}

/// The problem within the window of its active orbitals.
struct ActiveProblem {
  io::MolecularProblem whole;  // the whole problem without its integrals
  int orbitals;                // orbitals of the whole problem
  double core_energy;
  ci::Window window;
  ci::Integrals integrals;
  Index noise;
  ci::Sector sector;
  std::string digest;
  ci::OneElectronOperators operators;
  std::shared_ptr<const ci::MolecularOrbitals> molecular_orbitals;
};

// Integrals of many orbitals are large, so those of all orbitals are not copied.
ci::Integrals take_active(ci::Integrals&& all, const ci::Window& window,
                          const base::Backend& host) {
  ci::Integrals whole = std::move(all);
  const bool is_whole = std::ssize(window.active) == whole.orbitals();
  return is_whole ? std::move(whole) : ci::fold_frozen_core(whole, window, host);
}

ActiveProblem open_active(const Request& request, const base::Backend& host) {
  io::MolecularProblem problem = open_problem(request, host);
  const int orbitals = problem.integrals.orbitals();
  ci::Window window = chosen_window(request, orbitals);
  if (is_single_occupied(request)) require_all_sites(request, window, orbitals);
  const ci::WindowElectrons inside =
      chosen_electrons(request, window, orbitals, problem.alpha, problem.beta);
  const double core_energy = problem.integrals.core_energy();
  const std::optional<int> irrep = chosen_irrep(request, problem);
  const bool is_to_be_known = request.solver.states > 0 && !has_sites(request);
  std::string digest = is_to_be_known ? digest_of_integrals(problem.integrals) : std::string();
  ci::OneElectronOperators operators = open_operators(request, problem.integrals, window);
  auto molecular_orbitals =
      open_molecular_orbitals(request, problem.integrals, host, problem.warnings);
  ci::Integrals integrals = take_active(std::move(problem.integrals), window, host);
  const Index noise =
      integrals.drop_noise() + integrals.drop_forbidden(ci::found_tolerance(integrals));
  ci::Sector sector{.orbitals = integrals.orbitals(),
                    .alpha_electrons = inside.alpha,
                    .beta_electrons = inside.beta,
                    .irreps = integrals.irreps(),
                    .irrep = irrep};
  return {std::move(problem),   orbitals,
          core_energy,          std::move(window),
          std::move(integrals), noise,
          std::move(sector),    std::move(digest),
          std::move(operators), std::move(molecular_orbitals)};
}

}  // namespace

ci::Sector active_sector(const Request& request, const base::Backend& host) {
  return open_active(request, host).sector;
}

DeterminantProblem open_molecule(const Request& request, const base::Backend& host,
                                 FeasibilityCheck* feasibility) {
  auto [problem, orbitals, core_energy, window, integrals, noise, sector, digest, operators,
        molecular_orbitals] = open_active(request, host);
  const OrbitalFrame around{window, sector, orbitals};
  if (feasibility != nullptr) feasibility->require(least_size(request, around));
  ci::Space space = build_space(request, around, host);
  const Index chosen = space.dimension();
  if (request.space.complete == Completion::spin) {
    const auto missing = ci::missing_couplings(space);
    if (!missing.empty()) space = ci::completed(space, missing);
  }
  const Index added = space.dimension() - chosen;
  if (feasibility != nullptr) feasibility->require(space, integrals);
  return {.integrals = std::move(integrals),
          .space = std::move(space),
          .window = std::move(window),
          .dialect = std::move(problem.dialect),
          .orbitals = orbitals,
          .alpha = problem.alpha,
          .beta = problem.beta,
          .core_energy = core_energy,
          .warnings = std::move(problem.warnings),
          .added = added,
          .noise = noise,
          .irreps = std::move(problem.irreps),
          .irrep = sector.irrep,
          .file_irrep = problem.irrep,
          .integrals_digest = std::move(digest),
          .has_sites = has_sites(request),
          .operators = std::move(operators),
          .molecular_orbitals = std::move(molecular_orbitals)};
}

namespace {

DeterminantProblem open_partitioned(const Request& request, const base::Backend& host,
                                    FeasibilityCheck* feasibility) {
  DeterminantProblem molecule = open_molecule(request, host, feasibility);
  molecule.partition = std::make_shared<ci::Partition>(chosen_partition(request, molecule));
  std::string warning = reference_warning(request, molecule);
  if (!warning.empty()) molecule.warnings.push_back(std::move(warning));
  return molecule;
}

}  // namespace

DeterminantRows::DeterminantRows(const Request& request, const base::Backend& host,
                                 FeasibilityCheck* feasibility)
    : molecule_(open_partitioned(request, host, feasibility)),
      rows_(molecule_.space, molecule_.integrals, *molecule_.partition,
            request.elements.threshold) {}

}  // namespace cisolve::job
