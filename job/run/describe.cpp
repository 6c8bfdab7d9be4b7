#include <utility>

#include "base/text.hpp"
#include "job/run/stages.hpp"
#include "job/states/dyson.hpp"
#include "job/states/orbital_entropies.hpp"
#include "job/states/spin_analysis.hpp"
#include "job/states/transition_orbitals.hpp"
#include "job/states/unresolved_multiplets.hpp"

// Description of a job's states, and the end of a job.
namespace cisolve::job {
namespace {

// Requested densities may not fit in memory after all.
void note_fewer_densities(const JobContext& job) {
  const Densities wanted = job.request.analysis.densities;
  const Densities found = job.outcome.analysis->densities;
  if (wanted != Densities::automatic && wanted != found)
    job.note({base::concat("analysis.densities: ", word_of(wanted)), std::string(word_of(found)),
              job.outcome.analysis->note});
}

// Verified states are kept even if memory is short for their description.
template <class Problem>
void describe_states(const JobContext& job, const Problem& problem, StateVectors& vectors) {
  const solver::Result& result = *job.outcome.result;
  vectors.from_host_copy("description", [&](const base::MultiVector& there) {
    const std::string short_of = run_catching_shortage(MemoryOf::host, [&] {
      job.outcome.analysis = analyse(problem, job.request, result, there);
    });
    if (!short_of.empty()) job.note({"a description of the states", "no description", short_of});
  });
}

// Entropies that do not fit in memory are left out, and the states kept.
void describe_entropies(const JobContext& job, const DeterminantProblem& molecule) {
  const std::string short_of = run_catching_shortage(MemoryOf::host, [&] {
    add_entropies(molecule, job.request, *job.outcome.result, *job.outcome.analysis);
  });
  if (!short_of.empty()) job.note({"analysis.entropies: all", "none", short_of});
}

void describe_transitions(const JobContext& job, const DeterminantProblem& molecule) {
  const std::string short_of = run_catching_shortage(MemoryOf::host, [&] {
    add_transition_orbitals(molecule, job.request, *job.outcome.result, *job.outcome.analysis);
  });
  if (!short_of.empty()) job.note({"analysis.orbitals: transition", "none", short_of});
}

// The states are kept even if the other job's results have gone or changed meanwhile.
void describe_ionisation(const JobContext& job, const DeterminantProblem& molecule) {
  try {
    add_dyson_orbitals(molecule, job.request, *job.outcome.result, *job.outcome.analysis);
  } catch (const base::Error& error) {
    job.note({base::concat("analysis.dyson: ", job.request.analysis.dyson), "none", error.what()});
  }
}

}  // namespace

void describe(const JobContext& job, std::unique_ptr<IndependentProblem> second,
              StateVectors& vectors) {
  Outcome& outcome = job.outcome;
  const solver::Result& result = *outcome.result;
  solver::Verification& verification = *outcome.verification;
  vectors.move_to_device_if_it_fits();
  if (const DeterminantProblem* molecule = second->determinants()) {
    describe_states(job, *molecule, vectors);
    if (outcome.analysis) {
      mark_unresolved_multiplets(result, verification.beyond, has_irreps(*molecule),
                                 *outcome.analysis);
      note_fewer_densities(job);
      describe_entropies(job, *molecule);
      describe_transitions(job, *molecule);
      describe_ionisation(job, *molecule);
    }
  }
  if (const SiteProblemRows* spins = second->sites()) describe_states(job, *spins, vectors);
  if (outcome.analysis) verification.fail(outcome.analysis->failures);
  if (!vectors.are_on_host()) vectors.move_to_host();
  outcome.times.end("analysis_s");
  outcome.determinant_problem = second->take_determinants();
}

void settle(const JobContext& job) {
  Outcome& outcome = job.outcome;
  const solver::Result& result = *outcome.result;
  const solver::Verification& verification = *outcome.verification;
  if (!result.converged()) outcome.end = End::not_converged;
  if (!verification.passed) outcome.end = End::verification_failed;
  job.listener.verified(outcome);
}

}  // namespace cisolve::job
