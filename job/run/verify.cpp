#include <algorithm>
#include <utility>

#include "base/ranks/collective_errors.hpp"
#include "ci/lattice/spins/site_model_rows.hpp"
#include "job/products/remote_rows.hpp"
#include "job/run/orbits_on_host.hpp"
#include "job/run/stages.hpp"
#include "job/states/eigenstates.hpp"
#include "job/states/row_sample.hpp"
#include "job/states/spin_analysis.hpp"

// Verification of a job's states against a second reading of its problem, by one rank or all.
namespace cisolve::job {
namespace {

/// Ranks share the work of solution and verification, or of verification alone.
double seconds_solved_by_one(const JobContext& job) {
  return job.outcome.times.of("solve_s") * job.ranks.size();
}

/// Verifies the states by the second reading; owns neither. Uses the operator of the solution to
/// compare a sample of rows, and releases it if no sample is taken.
class Verifier {
 public:
  Verifier(const JobContext& job, SolvedOperator& solved, const IndependentProblem& second,
           StateVectors& vectors, const base::Backend& host, const Watch& report_rows)
      : job_(job),
        solved_(solved),
        second_(second),
        vectors_(vectors),
        host_(host),
        report_rows_(report_rows) {}

  // A sample needs the memory of an operator, and vectors on the host; if that is short, all rows
  // are verified on the backend of the states.
  solver::Verification run() const {
    auto found = job_.with_memory_or(
        MemoryOf::any, "verification of a sample of rows", "verification of all rows",
        [&] { return in_sample(); }, [] { return std::optional<solver::Verification>(); });
    if (found) return *std::move(found);
    const bool was_shared = solved_.is_shared();
    solved_.release();
    // The device may have lacked memory for them besides the products.
    if (was_shared) vectors_.move_to_device_if_it_fits();
    return in_all_rows();
  }

 private:
  const solver::Result& result() const { return *job_.outcome.result; }

  std::unique_ptr<ci::RowwiseOperator> read_again(const Watch& report_rows) const;
  std::optional<solver::Verification> in_sample_where_vectors_lie() const;
  std::optional<solver::Verification> in_sample() const;
  solver::Verification in_all_rows() const;

  const JobContext& job_;
  SolvedOperator& solved_;
  const IndependentProblem& second_;
  StateVectors& vectors_;
  const base::Backend& host_;
  const Watch& report_rows_;
};

/// The operator of the second reading; all ranks compute its rows if their memory suffices.
std::unique_ptr<ci::RowwiseOperator> Verifier::read_again(const Watch& report_rows) const {
  // Reading vectors on rank 0's device is faster than sending them to the hosts of all.
  const auto alone = [&]() -> std::unique_ptr<ci::RowwiseOperator> {
    return second_.oracle(report_rows);
  };
  if (job_.ranks.size() == 1 || !vectors_.are_on_host()) return alone();
  const Watch report_rows_of_all = [&](Index rows) {
    report_rows(rows * job_.ranks.size());
  };  // as if all reported
  const auto by_all = [&]() -> std::unique_ptr<ci::RowwiseOperator> {
    std::unique_ptr<ci::RowwiseOperator> found;
    broadcast_request(job_.ranks, {WorkerCommand::distribute_second_reading});
    base::run_collectively(job_.ranks, [&] {
      auto own = second_.oracle(report_rows ? report_rows_of_all : Watch());
      found = std::make_unique<RemoteRows>(job_.ranks, std::move(own), host_);
    });
    return found;
  };
  return job_.with_memory_or(MemoryOf::any, "verification by all ranks", "verification by rank 0",
                             by_all, alone);
}

// Compares with the string matrices of the solution, or with elements of site states computed anew,
// whatever the solution used.
std::optional<solver::Verification> Verifier::in_sample_where_vectors_lie() const {
  const base::Backend& backend = vectors_.backend();
  const base::LinearOperator* first = solved_.on_whole_vectors(backend);
  std::unique_ptr<base::LinearOperator> anew;
  if (first == nullptr) {
    const SiteProblemRows* spins = second_.sites();
    const double seconds = seconds_solved_by_one(job_);
    if (spins == nullptr || !samples_rows(job_.request, spins->problem(), backend, seconds))
      return std::nullopt;
    anew = ci::site_product(spins->model_rows(), backend);
    first = anew.get();
  }
  // A rank 0 with the states on its host reads rows alone: others may lack memory for them.
  const auto again = [&] {
    return solved_.has_served_on_host() ? std::unique_ptr<ci::RowwiseOperator>(second_.oracle({}))
                                        : read_again({});
  };
  auto found = verify_sample(job_.request, second_, again, result(), vectors_.on_host(), *first);
  if (report_rows_) report_rows_(vectors_.vectors().rows());
  return found;
}

// The devices of all ranks multiply even if that of rank 0 cannot hold whole images.
std::optional<solver::Verification> Verifier::in_sample() const {
  const auto verify_in_place = [&] { return in_sample_where_vectors_lie(); };
  if (!solved_.is_shared() || vectors_.are_on_host()) return verify_in_place();
  return job_.with_memory_or(MemoryOf::device, "verification vectors on the device",
                             "verification vectors on the host", verify_in_place, [&] {
                               vectors_.move_to_host();
                               return verify_in_place();
                             });
}

solver::Verification Verifier::in_all_rows() const {
  const base::Backend& backend = vectors_.backend();
  const auto alone = [&] {
    return verify_again(job_.request, second_, second_.matrix(backend, report_rows_), result());
  };
  if (job_.ranks.size() == 1 || !backend.is_host() || !second_.is_oracle(backend)) return alone();
  const auto by_all = [&] {
    return verify_again(job_.request, second_, {read_again(report_rows_), host_}, result());
  };
  return job_.with_memory_or(MemoryOf::any, "verification by all ranks", "verification by rank 0",
                             by_all, alone);
}

/// Whether the operator of the solution is kept to compare a sample of rows.
bool compares_a_sample(const JobContext& job, const SolvedJob& solved,
                       const StateVectors& vectors) {
  const SolvedOperator& matrix = *solved.matrix;
  const DeterminantProblem* molecule = matrix.determinant_problem();
  return molecule != nullptr && (matrix.is_shared() || matrix.multiplies_on(vectors.backend())) &&
         samples_rows(job.request, solved.plan, *molecule, matrix.backend(),
                      seconds_solved_by_one(job));
}

/// Bytes of a matrix that is read and stored again to verify the states.
Index bytes_read_again(const JobContext& job, const DeterminantProblem* molecule) {
  constexpr Index kElement = 24;
  const bool reads_again = molecule == nullptr && !is_site_basis(job.request);
  return reads_again ? kElement * job.outcome.product.nonzeros : 0;
}

/// Rotates degenerate states until their spins and irreps are pure; returns which were rotated.
std::vector<bool> clean_up(const JobContext& job, const IndependentProblem& second,
                           StateVectors& vectors) {
  solver::Result& result = *job.outcome.result;
  const DeterminantProblem* molecule = second.determinants();
  const SiteProblemRows* spins = second.sites();
  std::vector<bool> rotated(result.states.size(), false);
  if (molecule == nullptr && spins == nullptr) return rotated;
  const bool at_once = vectors.on_device_or_host("clean-up of spins", [&] {
    rotated = spins != nullptr ? rotate_degenerate_states(*spins, job.request, result)
                               : rotate_degenerate_states(*molecule, job.request, result);
  });
  // After a second clean-up it is not known which states the first one has rotated.
  if (!at_once) rotated.assign(rotated.size(), true);
  return rotated;
}

}  // namespace

std::unique_ptr<IndependentProblem> verify(const JobContext& job, SolvedJob solved,
                                           StateVectors& vectors) {
  SolvedOperator& matrix = *solved.matrix;
  if (!compares_a_sample(job, solved, vectors)) matrix.release();
  // Device memory may have been short for states of one spin besides the matrix; states of many
  // ranks were gathered on the host.
  if (!matrix.is_shared()) vectors.move_to_device_if_it_fits();
  if (vectors.are_on_host()) broadcast_request(job.ranks, {WorkerCommand::read_again});
  solved.inputs.require_unchanged();
  auto second = solved.second.finish(job.request, matrix.backend());
  if (const auto orbits = orbits_on_host(second->sites())) job.note(*orbits);
  // Operators for the total spin of site states exist on the host only.
  const bool is_one_spin = second->sites() != nullptr && second->sites()->problem().twice_spin;
  if (is_one_spin && !vectors.are_on_host()) vectors.move_to_host();
  const std::vector<bool> rotated = clean_up(job, *second, vectors);
  const DeterminantProblem* molecule = second->determinants();
  vectors.will_be_released();
  // Vectors that are lent are written at once; no other process may read HDF5 files meanwhile.
  const bool may_lend = molecule != nullptr ? job.request.analysis.dyson.empty()
                                            : !reads_by_forks(job.request, false);
  if (may_lend)
    vectors.lend(molecule, bytes_read_again(job, molecule), std::move(solved.host_state_buffer));
  solved.host_state_buffer.release();

  solver::Result& result = *job.outcome.result;
  vectors.on_device_or_host("verification", [&] {
    job.listener.watch("verifying", vectors.vectors().rows(), [&](const Watch& report_rows) {
      job.outcome.verification =
          Verifier(job, matrix, *second, vectors, solved.host, report_rows).run();
    });
  });
  matrix.release();
  solved.inputs.require_unchanged();  // read until now
  if (result.chosen && std::ranges::count(rotated, true) > 0) result.chosen->weights.clear();
  take_verified(*job.outcome.verification, rotated, result);
  job.outcome.times.end("verify_s");
  return second;
}

void work_for_first_rank(const JobContext& job, SolvedJob solved) {
  const base::Backend& host = solved.host;
  std::unique_ptr<const IndependentProblem> second;
  const auto read = [&] { second = std::make_unique<const IndependentProblem>(job.request, host); };
  std::optional<RemoteRows> rows;
  run_worker_loop(job.ranks, [&](const WorkerRequest& asked) {
    switch (asked.command) {
      case WorkerCommand::product:
      case WorkerCommand::diagonal:
      case WorkerCommand::project_symmetry: return solved.matrix->execute(asked);
      case WorkerCommand::release_operators: return solved.matrix->release();
      case WorkerCommand::read_again: {
        run_catching_shortage(MemoryOf::any, read);  // read again when needed
        return;
      }
      case WorkerCommand::distribute_second_reading:
        return base::run_collectively(job.ranks, [&] {
          if (!second) read();
          rows.emplace(job.ranks, second->oracle(), host);
        });
      case WorkerCommand::rows:
      case WorkerCommand::some_rows: return rows->execute(asked);
      case WorkerCommand::end: return;
    }
  });
}

}  // namespace cisolve::job
