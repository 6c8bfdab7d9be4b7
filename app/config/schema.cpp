#include "app/config/schema.hpp"

#include "app/config/schema_rows.hpp"

namespace cisolve::app {
namespace {

using namespace schema_rows;

// clang-format off
std::vector<Key> storage_keys() {
  return {
    key("storage.format", format_choice(), [](C& c) -> auto& { return c.request.storage.format; },
        "how the matrix is stored")
      .applies_if(kStored),
    key("storage.boundary", whole(0, base::kLargestDimension).or_automatic(), [](C& c) -> auto& { return c.request.storage.boundary; },
        "BOUNDARY of the hybrid format, at which its ELLPACK part ends and its CSR part begins")
      .applies_if(kBoundary),
    key("storage.policy", choice<sparse::BoundaryPolicy>(), [](C& c) -> auto& { return c.request.storage.policy; },
        "elements of a row that the hybrid format stores as ELLPACK, the others as CSR. count: the first BOUNDARY non-zeros; column: those in columns below BOUNDARY")
      .applies_if(kPolicy),
    key("storage.slice_height", whole(1, 1024), [](C& c) -> auto& { return c.request.storage.slice_height; },
        "rows per slice of the sell formats")
      .applies_if(kSliceHeight),
    key("storage.block_size", whole(1, sparse::kLargestCsbBlock).or_automatic(), [](C& c) -> auto& { return c.request.storage.block_size; },
        "rows and columns of a block (csb), or columns of a tile, an even number (tiled)")
      .applies_if(kBlockSize),
    key("storage.elements", choice<job::ElementPath>(), [](C& c) -> auto& { return c.request.elements.path; },
        "source of the matrix elements. precomputed: stored; coded: stored as indices into a table of their distinct values; on-the-fly: computed from determinants and integrals in each product; mixed: stored for the rows that are most expensive to compute, computed for the others; factorised: sigma vectors from string matrices, without elements (full CI, one irrep of it, products of string lists); auto: the fastest that fits"),
    key("storage.share", real(0, 1).or_automatic(), [](C& c) -> auto& { return c.request.elements.share; },
        "largest fraction of the elements that mixed stores; auto: as many as memory allows")
      .applies_if(kMixed),
    key("storage.threshold", real(0, kUnbounded), [](C& c) -> auto& { return c.request.elements.threshold; },
        "off-diagonal elements of at most this absolute value are set to zero"),
  };
}

std::vector<Key> selection_keys() {
  return {
    key("selection.epsilon", ValueType{Kind::reals, 1e-12, 1}.or_automatic(), [](C& c) -> auto& { return c.request.selection.epsilon; },
        "threshold of heat-bath selection in Hartree: all determinants a with |H_ai c_i| >= epsilon, for a determinant i of the space and any state, are added. A list: a descending schedule; a number: used last, after rounds with 10, 5 and 2 times it; auto: from 1e-3 downwards until the perturbation of all states is below 1e-3 Hartree or memory is exhausted")
      .applies_if(kSelected).never_in_sweeps(kSingleJob),
    key("selection.size", whole(1, 1e9).or_word("none"), [](C& c) -> auto& { return c.request.selection.size; },
        "largest number of determinants, instead of a threshold: those that contribute most to the perturbation are kept, whole configurations with space.complete spin")
      .applies_if(kSelected).never_in_sweeps(kSingleJob),
    key("selection.perturbation.kind", choice<job::PerturbationKind>(), [](C& c) -> auto& { return c.request.selection.perturbation; },
        "Epstein-Nesbet second-order perturbation by the determinants outside of a selected space; auto: deterministic, a sum over all of them")
      .applies_if(kSelected).never_in_sweeps(kSingleJob),
    key("selection.perturbation.epsilon", real(1e-15, 1).or_automatic(), [](C& c) -> auto& { return c.request.selection.perturbation_epsilon; },
        "terms |H_ai c_i| below this are left out of the perturbation, in Hartree; auto: a thousandth of selection.epsilon, or 1e-7 with selection.size")
      .applies_if(kPerturbed).never_in_sweeps(kSingleJob),
    key("selection.extrapolate", of(Kind::truth), [](C& c) -> auto& { return c.request.selection.extrapolate; },
        "extrapolate the energies of all rounds to zero perturbation")
      .applies_if(kPerturbed).never_in_sweeps(kSingleJob),
  };
}

std::vector<Key> solver_keys() {
  return {
    key("solver.method", choice<solver::Method>(), [](C& c) -> auto& { return c.request.solver.method; },
        "eigensolver; auto: dense for small matrices, lanczos for several states if no row dominates, else davidson")
      .applies_if(kStates),
    key("solver.states", whole(0, 1000), [](C& c) -> auto& { return c.request.solver.states; },
        "number of states, the lowest unless solver.near or solver.follow is given; 0: only the matrix and its product are reported"),
    key("solver.tolerance", real(1e-15, 1), [](C& c) -> auto& { return c.request.solver.tolerance; },
        "residual norm at which a state is converged; combining degenerate states by symmetry afterwards may double it")
      .applies_if(kStates),
    key("solver.max_iterations", whole(1, 1e9), [](C& c) -> auto& { return c.request.solver.max_iterations; },
        "largest number of iterations of a run, each with a block of products (davidson) or one product (lanczos); "
        "a resumed job counts from 0")
      .applies_if(kStates, kIterative),
    key("solver.basis", choice_or<solver::BasisStorage>("auto"), [](C& c) -> auto& { return c.request.solver.basis; },
        "storage of the search space. full: on the device that multiplies; staged: in host memory, with panels on the device; for a single state, all vectors of the search space but the state itself are then in single precision; auto: staged if the device lacks memory for the states and two more vectors")
      .applies_if(kStates, kSearchSpace, kDevice),
    key("solver.search", choice<solver::SearchEffort>(), [](C& c) -> auto& { return c.request.solver.search; },
        "search for missed states. auto: at most as many further products as the solution took, a third of that with more than 6.7e7 rows, twice that with solver.near, but this limit is never below 40, or 120 with up to 1e6 rows; none: no search; full: until it is decided whether any was missed")
      .applies_if(kStates, kIterative, kNotFollowed),
    key("solver.seed", count(), [](C& c) -> auto& { return c.request.solver.seed; },
        "seed of random start vectors")
      .applies_if(kStates, kIterative),
    key("solver.start", choice<solver::StartKind>(), [](C& c) -> auto& { return c.request.solver.start; },
        "start vectors: the lowest states of a small model space, or random vectors")
      .applies_if(kStates, kIterative),
    key("solver.start_from", path().or_word("none"), [](C& c) -> auto& { return c.request.solver.start_from; },
        "file with start vectors: results.h5 of another job with the same orbitals and some common determinants, or a text list of determinants")
      .applies_if(kStates, kIterative),
    key("solver.near", real(-1e100, 1e100).or_word("none"), [](C& c) -> auto& { return c.request.solver.near; },
        "compute the states nearest to this energy, on both sides, instead of the lowest")
      .applies_if(kStates),
    key("solver.follow", path().or_word("none"), [](C& c) -> auto& { return c.request.solver.follow; },
        "compute the states that overlap most with the vectors of a file, as for solver.start_from, instead of the lowest")
      .applies_if(kStates),
    key("solver.follow_state", whole(1, 1000).or_word("all"), [](C& c) -> auto& { return c.request.solver.follow_state; },
        "number of the state or determinant in the file that is followed; all: by the weight of a state in the span of all vectors of the file")
      .applies_if(kFollowed),
    key("solver.follow_overlap", path().or_word("none"), [](C& c) -> auto& { return c.request.solver.follow_overlap; },
        "matrix (.mtx, .h5 or .npz) of the overlaps of all orbitals of the followed job (rows) with those of this one (columns), in the order of their problems; none: orbitals are matched by their integrals, and the job is refused if they do not match")
      .applies_if(kFollowed, kDeterminants),
    key("solver.model_size", whole(0, 4000).or_automatic(), [](C& c) -> auto& { return c.request.solver.model_size; },
        "number of lowest determinants in the model space, whose exact block gives start vectors and a preconditioner. 0: none; auto: 400, or 128 on a device for up to 500,000 rows")
      .applies_if(kStates, kIterative, kModelSpace),
    key("solver.verification", choice<job::VerificationEffort>(), [](C& c) -> auto& { return c.request.solver.verification; },
        "rows of the products that are recomputed independently. whole: every row; sample: a seeded sample, possible with factorised products and lattice states; auto: a sample if all rows would take more than a fifth of the solution time (for lattice states on a host: more than the solution time and more than 30 s)")
      .applies_if(kStates, kDescribed),
  };
}

std::vector<Key> analysis_keys() {
  return {
    key("analysis.densities", choice<job::Densities>(), [](C& c) -> auto& { return c.request.analysis.densities; },
        "density matrices of each state. one: for natural occupations; two: also to recompute its energy, refused before the solution if known not to fit; auto: two, unless that would take longer than the solution or more than half of the memory")
      .applies_if(kDeterminants, kStates).never_in_sweeps(kSingleJob),
    key("analysis.determinants", whole(0, 1000), [](C& c) -> auto& { return c.request.analysis.determinants; },
        "number of dominant determinants, or orbits of spin configurations, that are printed for each state")
      .applies_if(kStates).never_in_sweeps(kSingleJob),
    key("analysis.correlations", choice<job::Correlations>(), [](C& c) -> auto& { return c.request.analysis.correlations; },
        "correlations between lattice sites, and structure factors; auto: unless they would take long; for determinants they need analysis.densities two")
      .applies_if(kLattice, kStates).never_in_sweeps(kSingleJob),
    key("analysis.properties", names_or_none().or_automatic(), [](C& c) -> auto& { return c.request.analysis.properties; },
        "operators whose expectation values, and transition moments from the first state, are computed, such as [dipole]; the name populations stands for Mulliken and Loewdin populations of atoms, which need basis functions; auto: all operators that the problem brings, unless they would take more than a tenth of the solution")
      .applies_if(kIntegrals, kStates).never_in_sweeps(kSingleJob),
    key("analysis.entropies", choice<job::Entropies>(), [](C& c) -> auto& { return c.request.analysis.entropies; },
        "entropies of single orbitals and mutual information of all pairs of orbitals of each state; all: about n (n - 1) / 2 passes over each vector for n active orbitals")
      .applies_if(kDeterminants, kStates).never_in_sweeps(kSingleJob),
    key("analysis.orbitals", choice<job::AnalysedOrbitals>(), [](C& c) -> auto& { return c.request.analysis.orbitals; },
        "orbitals that are computed besides natural ones. transition: natural transition orbitals from the first state to each other one")
      .applies_if(kDeterminants, kSeveralStates).never_in_sweeps(kSingleJob),
    key("analysis.dyson", path().or_word("none"), [](C& c) -> auto& { return c.request.analysis.dyson; },
        "results.h5 of a job with the same integrals and one electron fewer or more: Dyson orbitals and ionisation energies between its states and those of this job")
      .applies_if(kDeterminants, kStates).never_in_sweeps(kSingleJob),
  };
}

std::vector<Key> product_keys() {
  return {
    key("product.vectors", whole(1, 16), [](C& c) -> auto& { return c.request.product.vectors; },
        "vectors in each timed product (states: 0, matrix product) and in matrix apply"),
    key("product.repeat", whole(1, 1'000'000), [](C& c) -> auto& { return c.request.product.repeat; },
        "number of timed products (states: 0, matrix product); the median is reported")
      .never_in_sweeps(kRepeatOfJob),
    key("product.seed", count(), [](C& c) -> auto& { return c.request.product.seed; },
        "seed of the random vectors in timed products (states: 0, matrix product) and in matrix apply"),
  };
}

std::vector<Key> machine_keys() {
  return {
    key("backend", backend_choice(), [](C& c) -> auto& { return c.request.backend; },
        "backend that runs the job. auto: the best available, but the host for jobs predicted to finish before a GPU is initialised; cuda: the first GPU; cuda:1: the second, and so on"),
    key("threads", whole(1, 4096).or_automatic(), [](C& c) -> auto& { return c.request.threads; },
        "threads of the openmp backend, at most max(16 per processor, 64); auto: as OpenMP chooses, for example by OMP_NUM_THREADS")
      .applies_if(kThreads),
    key("memory", of(Kind::bytes).or_automatic(), [](C& c) -> auto& { return c.request.memory; },
        "limit of host memory; auto: the free memory, less a reserve"),
    key("device_memory", of(Kind::bytes).or_automatic(), [](C& c) -> auto& { return c.request.device_memory; },
        "limit of device memory; auto: the free memory, less a reserve")
      .applies_if(kDevice),
    key("rates", choice<Rates>(), [](C& c) -> auto& { return c.rates; },
        "speeds of the machine (of memory, arithmetic and links), from which the times of plans are predicted; auto: those measured by `ci-solve devices --calibrate` on this machine, if any, else the built-in ones"),
  };
}

std::vector<Key> output_keys() {
  return {
    key("output.directory", of(Kind::folder), [](C& c) -> auto& { return c.output.directory; },
        "folder for run.json, results.h5 and the checkpoints; created if missing"),
    key("output.vectors", of(Kind::truth).or_automatic(), [](C& c) -> auto& { return c.output.vectors; },
        "save eigenvectors and determinants in results.h5; auto: up to 1 GiB, or up to half of the free disk space if that is less")
      .applies_if(kStates).never_in_sweeps(kSingleJob),
    key("output.history", of(Kind::truth), [](C& c) -> auto& { return c.output.history; },
        "write the iterations as history.csv, too")
      .applies_if(kStates).never_in_sweeps(kSingleJob),
    key("output.trexio", of(Kind::truth), [](C& c) -> auto& { return c.output.trexio; },
        "write the determinants and their coefficients as states.trexio.h5, too")
      .applies_if(kStates).never_in_sweeps(kSingleJob),
    key("output.molden", of(Kind::truth), [](C& c) -> auto& { return c.output.molden; },
        "write the orbitals of the problem as orbitals.molden, and the natural orbitals of each state as natural-1.molden and so on, transition orbitals as transition-2.molden and so on and Dyson orbitals as dyson.molden where they are computed; needs basis functions, see problem.operators")
      .applies_if(kIntegrals, kStates).never_in_sweeps(kSingleJob),
    key("output.cube", of(Kind::texts).or_word("none"), [](C& c) -> auto& { return c.output.cube; },
        "cube files to write. density, spin_density and natural_5, natural orbital 5: of each state, as density-1.cube and so on; orbital_5, or beta_orbital_5 if the integrals depend on spin: of the problem; needs basis functions, see problem.operators")
      .applies_if(kIntegrals, kStates).never_in_sweeps(kSingleJob),
    key("output.cube_spacing", real(0.01, 10), [](C& c) -> auto& { return c.output.cube_spacing; },
        "distance of neighbouring points of cube files in bohr")
      .applies_if(kCube).never_in_sweeps(kSingleJob),
    key("output.cube_margin", real(0, 100), [](C& c) -> auto& { return c.output.cube_margin; },
        "least distance between the nuclei and the sides of cube files in bohr")
      .applies_if(kCube).never_in_sweeps(kSingleJob),
    key("output.natural_fcidump", natural_rule(), [](C& c) -> auto& { return c.output.natural_fcidump; },
        "write the integrals over the natural orbitals of a state, or of the mean density of all states, as natural.fcidump, and the operators beside them as natural.operators.h5")
      .applies_if(kDeterminants, kStates).never_in_sweeps(kSingleJob),
    key("output.units", choice<EnergyUnit>(), [](C& c) -> auto& { return c.output.units; },
        "unit of excitation energies, relative to the first state, in the tables of several states; nm: wavelengths of transitions from it instead; total energies are in Hartree, and run.json has excitations in eV")
      .applies_if(kSeveralStates, kInHartree).never_in_sweeps(kSingleJob),
    key("output.checkpoint", ValueType{Kind::duration, 0, kUnbounded}.or_word("off"), [](C& c) -> auto& { return c.output.checkpoint; },
        "time between checkpoints, from which a job can be resumed; 0 s: every iteration")
      .applies_if(kStates, kIterative).never_in_sweeps(kNoCheckpoints),
    key("sweep.repeat", whole(1, 1'000'000), [](C& c) -> auto& { return c.sweep.repeat; },
        "number of timed products of each point; the section also holds the swept keys with their lists")
      .applies_if(kSwept),
  };
}
// clang-format on

std::vector<Key> make_schema() {
  std::vector<Key> keys;
  for (auto* section : {problem_keys, space_keys, selection_keys, storage_keys, solver_keys,
                        analysis_keys, product_keys, machine_keys, output_keys})
    for (Key& key : section()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

std::string Key::fallback() const { return is_later() ? "" : written(type, get(Configuration{})); }

const std::vector<Key>& schema() {
  static const std::vector<Key> keys = make_schema();
  return keys;
}

}  // namespace cisolve::app
