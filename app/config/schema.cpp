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
      .counts(kStored),
    key("storage.boundary", whole(0, base::kLargestDimension).or_automatic(), [](C& c) -> auto& { return c.request.storage.boundary; },
        "BOUNDARY of the hybrid format: where its ELLPACK part ends and its CSR part begins")
      .counts(kBoundary),
    key("storage.policy", choice<sparse::BoundaryPolicy>(), [](C& c) -> auto& { return c.request.storage.policy; },
        "whether BOUNDARY counts the non-zeros of a row or is a column number")
      .counts(kPolicy),
    key("storage.slice_height", whole(1, 1024), [](C& c) -> auto& { return c.request.storage.slice_height; },
        "rows of a slice of the sell formats")
      .counts(kSliceHeight),
    key("storage.block_size", whole(1, sparse::kLargestCsbBlock).or_automatic(), [](C& c) -> auto& { return c.request.storage.block_size; },
        "rows and columns of a block of the csb format; columns of a tile of the tiled one, an even number")
      .counts(kBlockSize),
    key("storage.elements", choice<job::ElementPath>(), [](C& c) -> auto& { return c.request.elements.path; },
        "where matrix elements come from in each product: precomputed ones are stored, coded ones likewise as numbers of the few values that they have, on-the-fly ones are computed from determinants and integrals, and mixed are stored for the rows that cost most to compute, computed for the others; factorised ones are not made at all, for string matrices are multiplied in their place (full CI, one irrep, products of lists); auto takes what is done sooner, and what fits"),
    key("storage.share", real(0, 1).or_automatic(), [](C& c) -> auto& { return c.request.elements.share; },
        "of all elements, how many mixed ones store at most; auto is as many as there is memory for")
      .counts(kMixed),
    key("storage.threshold", real(0, kUnbounded), [](C& c) -> auto& { return c.request.elements.threshold; },
        "elements of at most this size are left out of the matrix, but for the diagonal"),
  };
}

std::vector<Key> selection_keys() {
  return {
    key("selection.epsilon", ValueType{Kind::reals, 1e-12, 1}.or_automatic(), [](C& c) -> auto& { return c.request.selection.epsilon; },
        "thresholds of a selected space in Hartree: it grows by all determinants a with |H_ai c_i| of at least epsilon for a determinant i of it and any of the states; a list is a falling schedule, a single one is reached by way of 10, 5 and 2 times as much; auto begins with 1e-3 and goes down until the perturbation of all states is below 1e-3 Hartree, or memory is short")
      .counts(kSelected).beyond_sweeps(kSingleJob),
    key("selection.size", whole(1, 1e9).or_word("none"), [](C& c) -> auto& { return c.request.selection.size; },
        "in place of a threshold, how many determinants the space has at most: those with the largest share of the perturbation, whole configurations with space.complete spin")
      .counts(kSelected).beyond_sweeps(kSingleJob),
    key("selection.perturbation.kind", choice<job::PerturbationKind>(), [](C& c) -> auto& { return c.request.selection.perturbation; },
        "the second-order perturbation (Epstein-Nesbet) by all determinants outside of a selected space; auto is deterministic: a sum over all of them")
      .counts(kSelected).beyond_sweeps(kSingleJob),
    key("selection.perturbation.epsilon", real(1e-15, 1).or_automatic(), [](C& c) -> auto& { return c.request.selection.perturbation_epsilon; },
        "terms |H_ai c_i| below this are left out of the perturbation, in Hartree; auto is a thousandth of the threshold of the space, or 1e-7 where its size is given")
      .counts(kPerturbed).beyond_sweeps(kSingleJob),
    key("selection.extrapolate", of(Kind::truth), [](C& c) -> auto& { return c.request.selection.extrapolate; },
        "whether energies are extrapolated to a vanishing perturbation, by fits to those of all rounds")
      .counts(kPerturbed).beyond_sweeps(kSingleJob),
  };
}

std::vector<Key> solver_keys() {
  return {
    key("solver.method", choice<solver::Method>(), [](C& c) -> auto& { return c.request.solver.method; },
        "the eigensolver; auto is dense for small matrices, lanczos for two states or more where no row dominates")
      .counts(kStates),
    key("solver.states", whole(0, 1000), [](C& c) -> auto& { return c.request.solver.states; },
        "how many states, the lowest unless solver.near or solver.follow says which; 0 reports on the matrix and its product alone"),
    key("solver.tolerance", real(1e-15, 1), [](C& c) -> auto& { return c.request.solver.tolerance; },
        "the residual norm at which a state has converged; states of one energy that symmetries tell apart are combined then, to up to twice that")
      .counts(kStates),
    key("solver.max_iterations", whole(1, 1e9), [](C& c) -> auto& { return c.request.solver.max_iterations; },
        "the most iterations of a run, each a block of products or, of Lanczos, one; a job that was resumed counts "
        "anew")
      .counts(kStates, kIterative),
    key("solver.basis", choice_or<solver::Keeping>("auto"), [](C& c) -> auto& { return c.request.solver.basis; },
        "vectors of the search space: full, where they are multiplied, or staged, in the memory of the host, with panels of them on the device, directions beside a single state in single precision; auto stages them where the device has no room for two directions beside the states")
      .counts(kStates, kSearchSpace, kDevice),
    key("solver.search", choice<solver::SearchEffort>(), [](C& c) -> auto& { return c.request.solver.search; },
        "products that look for states that were missed: at most as many as the solution took, a third of these above 67 million rows, or 40, of up to a million rows 120 where that is more, none, or as many as it takes to be sure; near an energy twice as many as it took")
      .counts(kStates, kIterative, kNotFollowed),
    key("solver.seed", count(), [](C& c) -> auto& { return c.request.solver.seed; },
        "the seed of random start vectors")
      .counts(kStates, kIterative),
    key("solver.start", choice<solver::StartKind>(), [](C& c) -> auto& { return c.request.solver.start; },
        "start vectors: the lowest states of a small model space, or random ones")
      .counts(kStates, kIterative),
    key("solver.start_from", path().or_word("none"), [](C& c) -> auto& { return c.request.solver.start_from; },
        "start vectors from a file: results.h5 of another job, over any space of the same orbitals that shares determinants, or a text list of determinants")
      .counts(kStates, kIterative),
    key("solver.near", real(-1e100, 1e100).or_word("none"), [](C& c) -> auto& { return c.request.solver.near; },
        "in place of the lowest states those nearest to this energy, on both sides of it; a step of the search for missed ones takes two products")
      .counts(kStates),
    key("solver.follow", path().or_word("none"), [](C& c) -> auto& { return c.request.solver.follow; },
        "in place of the lowest states those that overlap most with the vectors of a file: results.h5 of another job, as for solver.start_from, or a text list of determinants")
      .counts(kStates),
    key("solver.follow_state", whole(1, 1000).or_word("all"), [](C& c) -> auto& { return c.request.solver.follow_state; },
        "which of the file's states, or determinants, is followed; all are followed together, by the weight in what they span")
      .counts(kFollowed),
    key("solver.follow_overlap", path().or_word("none"), [](C& c) -> auto& { return c.request.solver.follow_overlap; },
        "overlaps of the orbitals of the followed job (rows) with those of this one (columns), all of them in the order of their problems, as a matrix in .mtx, .h5 or .npz; without it orbitals of other integrals are found among these by their integrals, or refused")
      .counts(kFollowed, kDeterminants),
    key("solver.model_size", whole(0, 4000).or_automatic(), [](C& c) -> auto& { return c.request.solver.model_size; },
        "how many of the lowest determinants form the model space, whose exact block gives start vectors and a preconditioner; 0 is none, auto 400, or 128 of up to half a million numbers on a device, which multiplies so soon that more would take longer than they spare")
      .counts(kStates, kIterative, kModelSpace),
    key("solver.verification", choice<job::VerificationEffort>(), [](C& c) -> auto& { return c.request.solver.verification; },
        "how much of the states' products is taken a second time, by a path that shares nothing with the first: all rows, or where string matrices multiply or spins are solved a seeded sample of them; auto samples where all would take more than a fifth of the solution, states of lattices on a host where all would take longer than the solution and than half a minute")
      .counts(kStates, kDescribed),
  };
}

std::vector<Key> analysis_keys() {
  return {
    key("analysis.densities", choice<job::Densities>(), [](C& c) -> auto& { return c.request.analysis.densities; },
        "density matrices of each state, for natural occupations (one) and to recompute its energy (two); auto is two unless that would cost more than the solution and than milliseconds, or half of the memory, and where memory ends all the same fewer are told; two is refused before the solution where it is known not to fit")
      .counts(kDeterminants, kStates).beyond_sweeps(kSingleJob),
    key("analysis.determinants", whole(0, 1000), [](C& c) -> auto& { return c.request.analysis.determinants; },
        "how many of its dominant determinants are told of each state; of spins, orbits")
      .counts(kStates).beyond_sweeps(kSingleJob),
    key("analysis.correlations", choice<job::Correlations>(), [](C& c) -> auto& { return c.request.analysis.correlations; },
        "correlations between the sites of a lattice, and its structure factors; auto leaves out those that would take long, those of electrons are told with densities two")
      .counts(kLattice, kStates).beyond_sweeps(kSingleJob),
  };
}

std::vector<Key> product_keys() {
  return {
    key("product.vectors", whole(1, 16), [](C& c) -> auto& { return c.request.product.vectors; },
        "vectors that one product multiplies at once"),
    key("product.repeat", whole(1, 1'000'000), [](C& c) -> auto& { return c.request.product.repeat; },
        "how many times the product is timed; the median counts")
      .beyond_sweeps(kRepeatOfJob),
    key("product.seed", count(), [](C& c) -> auto& { return c.request.product.seed; },
        "the seed of the random vectors"),
  };
}

std::vector<Key> machine_keys() {
  return {
    key("backend", backend_choice(), [](C& c) -> auto& { return c.request.backend; },
        "where it runs; auto takes the best that is there and says which, but the host for states alone that are predicted to be found before a device would have started; cuda is the first device, cuda:1 the next"),
    key("threads", whole(1, 4096).or_automatic(), [](C& c) -> auto& { return c.request.threads; },
        "threads of the openmp backend, at most 16 for each processor of the machine, or 64 where that is more; auto is what OpenMP offers, such as OMP_NUM_THREADS, within that")
      .counts(kThreads),
    key("memory", of(Kind::bytes).or_automatic(), [](C& c) -> auto& { return c.request.memory; },
        "the most host memory to hold; auto is what is free, less a reserve"),
    key("device_memory", of(Kind::bytes).or_automatic(), [](C& c) -> auto& { return c.request.device_memory; },
        "the most device memory to hold; likewise")
      .counts(kDevice),
    key("rates", choice<Rates>(), [](C& c) -> auto& { return c.rates; },
        "what plans are ranked by: auto takes the rates that `ci-solve devices --calibrate` has measured on this machine, where it has, and else those that are built in"),
  };
}

std::vector<Key> output_keys() {
  return {
    key("output.directory", of(Kind::folder), [](C& c) -> auto& { return c.output.directory; },
        "the folder that receives run.json, results.h5 and the checkpoints; made when it is not there"),
    key("output.vectors", of(Kind::truth).or_automatic(), [](C& c) -> auto& { return c.output.vectors; },
        "save the eigenvectors and the determinants in results.h5; auto does up to 1 GiB, or half of what is free there, and tells what it leaves out")
      .counts(kStates).beyond_sweeps(kSingleJob),
    key("output.history", of(Kind::truth), [](C& c) -> auto& { return c.output.history; },
        "write the iterations as history.csv, too")
      .counts(kStates).beyond_sweeps(kSingleJob),
    key("output.trexio", of(Kind::truth), [](C& c) -> auto& { return c.output.trexio; },
        "write the determinants and their coefficients as states.trexio.h5, too")
      .counts(kStates).beyond_sweeps(kSingleJob),
    key("output.checkpoint", ValueType{Kind::duration, 0, kUnbounded}.or_word("off"), [](C& c) -> auto& { return c.output.checkpoint; },
        "how often the state of the run is saved, so that it can be resumed; 0 s is each iteration")
      .counts(kStates, kIterative).beyond_sweeps(kNoCheckpoints),
    key("sweep.repeat", whole(1, 1'000'000), [](C& c) -> auto& { return c.sweep.repeat; },
        "how many times the product of each point is timed; beside it stand the swept keys with their lists")
      .counts(kSwept),
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
