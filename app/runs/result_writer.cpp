#include "app/runs/result_writer.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "app/config/save.hpp"
#include "app/runs/input_identity.hpp"
#include "app/runs/orbital_files.hpp"
#include "app/runs/result_files.hpp"
#include "base/budget.hpp"
#include "base/stopwatch.hpp"
#include "ci/fock/integrals/same_orbitals.hpp"
#include "io/files/output_file.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/request/shortage.hpp"
#include "job/states/orbital_match.hpp"

namespace cisolve::app {
namespace {

io::StoredSpace stored_space(const job::DeterminantProblem& molecule) {
  return {molecule.space, molecule.window, molecule.orbitals,
          ci::have_same_orbitals(molecule.integrals)};
}

io::StoredOrbitals stored_orbitals(const job::DeterminantProblem& molecule) {
  const ci::Integrals& integrals = molecule.integrals;
  const bool have_integrals = !molecule.has_sites && !integrals.spin_dependent() &&
                              integrals.orbitals() <= job::kMostMatched;
  return {molecule.integrals_digest, molecule.has_sites, have_integrals ? &integrals : nullptr};
}

}  // namespace

KeptVectors ResultWriter::expected(Index rows, const job::DeterminantProblem* molecule) const {
  if (configuration_.request.solver.states == 0) return {};  // a job without states has no results
  const Index states = std::min(configuration_.request.solver.states, rows);
  const double all = static_cast<double>(states) * static_cast<double>(rows) * sizeof(double);
  auto bytes = static_cast<Index>(std::min(all, 0x1p60));
  if (molecule != nullptr) bytes += io::bytes_of(stored_space(*molecule));
  return kept_of(bytes);
}

KeptVectors ResultWriter::kept_of(Index bytes) const {
  return kept_vectors(configuration_.output.vectors, bytes,
                      io::free_bytes(configuration_.output.directory));
}

void ResultWriter::begin(const job::LentStates& states) {
  if (states.determinant_problem != nullptr) {
    space_.emplace(stored_space(*states.determinant_problem));
    orbitals_ = stored_orbitals(*states.determinant_problem);
  }
  vectors_ = {states.vectors, states.layout, space_ ? &*space_ : nullptr,
              space_ ? &orbitals_ : nullptr};
  if (!kept_) kept_ = kept_of(io::bytes_of(vectors_));
  const auto work = [this] { return write_vectors(); };
  const auto when = base::address_space_limit() ? std::launch::deferred : std::launch::async;
  try {
    pending_ = std::async(when, work);
  } catch (const std::system_error&) {  // no further thread can be started
    pending_ = std::async(std::launch::deferred, work);
  }
}

ResultWriter::PendingFiles ResultWriter::write_vectors() const {
  const base::Stopwatch watch;
  PendingFiles pending{.results = {results_path(configuration_),
                                   kept_->kept ? vectors_ : io::StoredVectors(), overwrites_}};
  try {
    if (configuration_.output.trexio)
      pending.trexio.emplace(trexio_path(configuration_), *space_, *vectors_.values, overwrites_);
  } catch (...) {
    pending.trexio_failure = std::current_exception();
  }
  pending.input = input_identity(configuration_);
  pending.seconds = watch.seconds();
  return pending;
}

void ResultWriter::finish(const job::Outcome& found, std::string started) {
  if (!pending_.valid())
    begin({found.result->vectors.block(), found.result->layout, found.determinant_problem.get()});
  const base::Stopwatch watch;
  reserve_.release();
  PendingFiles pending = pending_.get();
  overlapped_ = std::max(0.0, pending.seconds - watch.seconds());
  io::StoredResults results = stored_results(*found.result, *found.verification);
  results.provenance = {.configuration = configuration_text(configuration_),
                        .input = std::move(pending.input),
                        .backend = std::string(found.backend->name()),
                        .device = found.backend->description(),
                        .threads = found.backend->threads(),
                        .started = std::move(started),
                        .finished = utc_time(),
                        .seconds = found.times.so_far()};
  if (found.analysis && found.analysis->densities != job::Densities::none)
    results.densities = &found.analysis->kept;
  if (found.analysis && found.analysis->properties)
    results.properties = stored_properties(*found.analysis->properties);
  if (found.analysis && found.analysis->entropies) results.entropies = &*found.analysis->entropies;
  results.basis = stored_basis(found);
  if (found.analysis && found.analysis->transition_orbitals)
    results.transition_orbitals = &*found.analysis->transition_orbitals;
  if (found.analysis && found.analysis->dyson) results.dyson = &*found.analysis->dyson;
  pending.results.commit(results);
  if (configuration_.output.history) {
    io::OutputFile file(history_path(configuration_), overwrites_);
    file.append(history_as_csv(found.result->history));
    file.commit();
  }
  if (pending.trexio_failure) std::rethrow_exception(pending.trexio_failure);
  if (pending.trexio) pending.trexio->commit();
  // The record of the states is written even if memory is short for pictures of them.
  std::string left_out;
  const std::string short_of = job::run_catching_shortage(job::MemoryOf::any, [&] {
    left_out = write_orbital_files(configuration_, found, overwrites_);
  });
  left_out_ =
      short_of.empty() ? left_out : "files of orbitals and densities were left out: " + short_of;
}

}  // namespace cisolve::app
