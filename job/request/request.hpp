#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/backend_choice.hpp"
#include "ci/fock/integrals/one_electron_operator.hpp"
#include "ci/fock/strings/packed_strings.hpp"
#include "job/request/choices.hpp"
#include "job/request/file_or_values.hpp"
#include "job/request/given_integrals.hpp"
#include "job/request/machine_factors.hpp"
#include "sparse/generate/generator.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::ci {
struct MolecularOrbitals;
}

namespace cisolve::job {

using base::Index;

/// Source of a problem: a file, a rule, or, for users of the library, memory.
enum class ProblemSource { matrix, generate, fcidump, trexio, lattice, integrals, rows };

/// A number of orbitals, or a list of orbital numbers (from 1); neither: the default.
struct OrbitalSet {
  std::optional<Index> count = {};
  std::vector<Index> numbers = {};
  bool is_automatic() const { return !count && numbers.empty(); }
  bool operator==(const OrbitalSet&) const = default;
};

/// An irrep by its number, from 1, or by its name; neither: any.
struct IrrepChoice {
  std::optional<Index> number = {};
  std::string name = {};

  IrrepChoice() = default;
  IrrepChoice(Index given) : number(given) {}  // NOLINT(google-explicit-constructor)
  bool is_any() const { return !number && name.empty(); }
  bool operator==(const IrrepChoice&) const = default;
};

struct PartitionRule {
  PartitionBy by = PartitionBy::automatic;
  Index number = 0;  // set if takes_number(by)
};

/// The name that asks for populations of atoms.
inline constexpr std::string_view kPopulations = "populations";

/// Operators by name whose values are computed for states and transitions, and kPopulations;
/// neither: all operators that the problem brings.
struct PropertyChoice {
  bool none = false;
  std::vector<std::string> names = {};
  bool is_automatic() const { return !none && names.empty(); }
  bool has_populations() const { return std::ranges::count(names, kPopulations) > 0; }
};

/// Terms of a model: a file, or the lines of one.
struct TermLines {
  std::string file = {};
  std::vector<std::string> lines = {};
  bool empty() const { return file.empty() && lines.empty(); }
};

/// The problem and how to solve it: a job is a function of this alone. The initial values are the
/// defaults of the reference page. An empty optional stands for `auto`; options of sparse use
/// sparse::kAutomatic instead.
struct Request {
  std::string origin = "the request";  // the file that it came from, or the command line

  ProblemSource source = ProblemSource::generate;
  std::string matrix;  // the path of a matrix file
  std::optional<Index> reference_columns;
  sparse::GeneratorOptions generate{.rows = 4096,
                                    .reference_per_row = sparse::kAutomatic,
                                    .density = 0.01,
                                    .spread = sparse::kAutomatic};

  std::string fcidump;  // the path of an integral file
  OneElectronIntegrals one_electron_integrals = OneElectronIntegrals::required;
  std::string trexio;  // the path of an integral file
  NucleusRepulsion nucleus_repulsion = NucleusRepulsion::required;
  std::shared_ptr<const GivenIntegrals> integrals;
  std::shared_ptr<const sparse::RowSource> rows;
  struct Lattice {
    LatticeModel model = LatticeModel::hubbard;
    std::optional<ci::LatticeType> shape =
        ci::LatticeType::square;  // none: a graph, which has the bonds alone
    Index columns = 8;
    Index rows = 1;
    Index layers = 1;
    bool periodic_columns = false;
    bool periodic_rows = false;
    bool periodic_layers = false;
    double t = 1;
    double t2 = 0;
    double u = 4;
    double v = 0;
    double j = 1;
    std::optional<double> jz = {};  // none: equal to j
    double j2 = 0;
    double h = 0;
    double hx = 0;
    TermLines bonds = {};  // besides those of the shape
  } lattice;
  std::optional<Index> electrons;  // if the problem does not say
  std::optional<Index> ms2;
  std::optional<ci::IrrepNumbering> orbital_symmetries;  // none: auto
  FileOrValues<ci::OneElectronOperators> operators;      // over all orbitals of the problem
  std::shared_ptr<const ci::MolecularOrbitals> molecular_orbitals;  // all of the problem, if known

  struct Space {
    SpaceKind kind = SpaceKind::fci;
    Index level = 2;
    std::vector<Index> electrons;  // alpha, beta; empty: as the problem says
    OrbitalSet frozen{.count = 0};
    OrbitalSet active;
    IrrepChoice irrep;
    std::optional<double> spin;  // none: any
    Completion complete = Completion::none;
    std::string reference;  // empty: the lowest orbitals filled
    std::vector<std::string> references;
    OrbitalSet ras1{.count = 0};
    OrbitalSet ras2;
    Index holes = 2;
    Index particles = 2;
    /// Determinants over all orbitals, like strings.
    FileOrValues<ci::PackedDeterminants> determinants;
    FileOrValues<ci::PackedStrings> alpha;
    FileOrValues<ci::PackedStrings> beta;
    PartitionRule partition;
    ci::WantedSymmetry symmetry;  // symmetry of states on a lattice
  } space;

  /// How a space of kind selected grows. Energies in Hartree.
  struct Selection {
    std::vector<double> epsilon;  // thresholds of heat-bath selection, falling; empty: auto
    std::optional<Index> size;    // instead: determinants, the best by their perturbation
    PerturbationKind perturbation = PerturbationKind::automatic;
    std::optional<double> perturbation_epsilon;  // terms below are left out; none: auto
    bool extrapolate = true;
  } selection;

  sparse::FormatOptions storage{.format = "auto"};
  bool tries_boundaries = false;  // point of a sweep of BOUNDARY, which may include auto

  struct Elements {
    ElementPath path = ElementPath::automatic;
    std::optional<double> share = {};  // stored fraction of mixed elements
    double threshold = 0;              // smaller ones are left out
  } elements;

  struct Solver {
    solver::Method method = solver::Method::automatic;
    Index states = 1;  // 0: no solution, only the report on the product
    double tolerance = 1e-8;
    Index max_iterations = 10000;
    std::optional<solver::BasisStorage> basis = {};  // memory of the search space; none: auto
    solver::SearchEffort search = solver::SearchEffort::automatic;
    Index seed = 1;
    solver::StartKind start = solver::StartKind::automatic;
    std::string start_from;      // files; empty: none
    std::optional<double> near;  // none: the lowest states
    std::string follow;
    std::optional<Index> follow_state = {};  // none: every state in the file
    std::string follow_overlap;              // a file; empty: none
    std::optional<Index> model_size = {};
    VerificationEffort verification = VerificationEffort::automatic;
  } solver;

  struct Analysis {
    Densities densities = Densities::automatic;
    Index determinants = 5;  // listed for each state
    Correlations correlations = Correlations::automatic;
    PropertyChoice properties;
    Entropies entropies = Entropies::none;
    AnalysedOrbitals orbitals = AnalysedOrbitals::none;
    std::string dyson;  // the results.h5 of another job; empty: none
  } analysis;

  base::BackendChoice backend;
  int device = 0;  // used if the choice leaves the number open
  std::optional<Index> threads;
  std::optional<Index> memory;
  std::optional<Index> device_memory;
  MachineFactorsByName machine_factors = {};  // factors measured on this machine, if any

  struct Product {
    bool wanted = false;  // the report on the matrix and its product
    Index vectors = 1;
    Index repeat = 20;
    Index seed = 1;
  } product;
};

/// The backend that a request names, with its memory budgets; never another one.
base::Backend open_backend(const Request& request);
/// The backend `name` with the same budgets.
base::Backend open_backend(const Request& request, std::string_view name);

/// Whether the matrix is made of determinants and integrals.
bool has_determinants(const Request& request);

/// Whether the basis is one of site states: localised spins, or lattice electrons with a lattice
/// symmetry, whose basis states are numbered by orbits.
bool is_site_basis(const Request& request);

/// Whether its energies are in Hartree, as those of integrals; lattices and matrices have units of
/// their own.
bool is_in_hartree(const Request& request);

/// Whether its electrons never share a site.
bool is_single_occupied(const Request& request);

/// 2 S of the requested total spin S; none if any spin is allowed. Throws ErrorKind::configuration
/// unless 2 S is an integer.
std::optional<int> twice_spin(const Request& request);

/// Whether the request leaves the backend open, so that a small problem may be solved on the host.
/// False if a device budget is given or the product is to be measured.
bool may_do_without_device(const Request& request);

/// Whether the host may be preferred to a device that this build could use.
bool may_wait_for_a_device(const Request& request);

}  // namespace cisolve::job
