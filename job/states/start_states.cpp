#include "job/states/start_states.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "io/files/mapped_file.hpp"
#include "io/molecules/determinant_list.hpp"
#include "io/results/saved_vectors.hpp"
#include "job/states/carried_states.hpp"
#include "job/states/determinant_places.hpp"

namespace cisolve::job {
namespace {

using base::ErrorKind;
using base::fail;
using base::MultiVector;

constexpr Index kMostDeterminants = 100;  // one vector for each determinant

io::ListSector sector_of(const DeterminantProblem& molecule) {
  const int frozen = static_cast<int>(std::ssize(molecule.window.frozen));
  return {molecule.orbitals, molecule.space.electrons(ci::Spin::alpha) + frozen,
          molecule.space.electrons(ci::Spin::beta) + frozen};
}

bool is_zero(const MultiVector& vectors) {
  const base::ConstBlock all = vectors.block();
  for (int j = 0; j < all.columns; ++j)
    if (std::any_of(all.column(j), all.column(j) + all.rows, [](double v) { return v != 0; }))
      return false;
  return true;
}

/// Clears the rounding noise of a state of another irrep, which gives no direction.
void clear_rounding(MultiVector& vectors) {
  constexpr double kLeft = 1e-8;  // remaining length of a vector whose length was 1
  const base::Block all = vectors.block();
  for (int j = 0; j < all.columns; ++j) {
    const std::span<double> column(all.column(j), static_cast<std::size_t>(all.rows));
    if (std::ranges::all_of(column, [](double v) { return std::abs(v) < kLeft; }))
      std::ranges::fill(column, 0.0);
  }
}

/// Vectors with a note on their origin.
struct ReadVectors {
  MultiVector vectors;
  std::string note = {};
};

enum class Use { start, follow };

/// Saved vectors over the determinants of another space; what this one lacks is left out.
ReadVectors mapped(const Request& request, const std::string& file, const MultiVector& saved,
                   const DeterminantProblem& molecule, Use use, const base::Backend& host) {
  const auto list = io::read_determinants(file, sector_of(molecule), host);
  if (std::ssize(list) != saved.rows())
    fail(ErrorKind::bad_input, file, ": the vectors have ", saved.rows(),
         " elements, but there are ", list.size(), " determinants; expected undamaged results");
  const SavedStates states{file, list, saved};
  CarriedStates carried = use == Use::follow
                              ? carry_states(request, states, molecule, host)
                              : CarriedStates{carry_over_same_orbitals(states, molecule, host)};
  clear_rounding(carried.vectors);
  const std::optional<Index> number = request.solver.follow_state;
  const bool is_one = use == Use::follow && number;
  if (is_zero(carried.vectors))
    fail(ErrorKind::bad_input, file, ": ",
         is_one ? base::concat("state ", *number, " has") : "its states have",
         " no determinant in this space; expected states with the same electrons and irrep");
  return {std::move(carried.vectors), std::move(carried.note)};
}

MultiVector copied(const MultiVector& all, Index first, Index count) {
  return MultiVector::copy_of(
      all.backend(), all.block(static_cast<int>(first), static_cast<int>(count)), all.backend());
}

/// The one that solver.follow_state names, or all.
MultiVector chosen_state(const Request& request, MultiVector all) {
  const std::optional<Index> number = request.solver.follow_state;
  if (!number) return all;
  if (*number > all.columns())
    fail(ErrorKind::configuration, request.origin, ": solver.follow_state is ", *number, ", but ",
         request.solver.follow, " holds ", all.columns(), "; expected 1 to ", all.columns());
  return copied(all, *number - 1, 1);
}

ReadVectors saved_states(const Request& request, const std::string& file,
                         const DeterminantProblem* molecule, Index rows, Use use,
                         const base::Backend& host) {
  MultiVector saved = io::read_saved_vectors(file, host);
  if (use == Use::follow) saved = chosen_state(request, std::move(saved));
  if (molecule != nullptr) return mapped(request, file, saved, *molecule, use, host);
  if (saved.rows() != rows)
    fail(ErrorKind::bad_input, file, ": the vectors have ", saved.rows(),
         " elements, but the matrix has ", rows, " rows; expected as many elements as rows");
  return {std::move(saved)};
}

MultiVector listed_determinants(const Request& request, const std::string& file,
                                const DeterminantProblem* molecule, const base::Backend& host) {
  if (molecule == nullptr)
    fail(ErrorKind::configuration, request.origin, ": ", file,
         " is a text file, but this problem has no ",
         "determinants; expected the results.h5 of another job with the same problem");
  const DeterminantRowMap find(*molecule);
  io::ListSector sector = sector_of(*molecule);
  sector.problem = [&](const ci::Determinant& determinant) {
    return find(determinant)
               ? std::string()
               : base::concat(", ", ci::to_text(determinant, molecule->orbitals),
                              ", is not in this space; expected one with its frozen orbitals, ",
                              "active orbitals, excitations and irrep");
  };
  const auto list = io::read_determinants(file, sector, host);
  if (std::ssize(list) > kMostDeterminants)
    fail(ErrorKind::bad_input, file, ": ", list.size(),
         " determinants are listed, and each is one vector; ", "expected at most ",
         kMostDeterminants, ", or the results.h5 of a job with 'kind: list'");
  MultiVector vectors =
      zero_vectors(host, molecule->space.dimension(), static_cast<int>(std::ssize(list)));
  for (int j = 0; j < vectors.columns(); ++j) vectors(find(list[j])->row, j) = 1;
  return vectors;
}

ReadVectors read_vectors(const Request& request, const std::string& file,
                         const DeterminantProblem* molecule, Index rows, Use use,
                         const base::Backend& host) {
  if (io::is_hdf5(file)) return saved_states(request, file, molecule, rows, use, host);
  MultiVector listed = listed_determinants(request, file, molecule, host);
  return {use == Use::follow ? chosen_state(request, std::move(listed)) : std::move(listed)};
}

/// More start vectors than wanted states would cost products and save none.
MultiVector first_states(const Request& request, const MultiVector& all) {
  return copied(all, 0, std::min<Index>(request.solver.states, all.columns()));
}

// Site states are saved without their sector; rows of two sectors do not correspond.
void require_sensible(const Request& request) {
  const Request::Solver& solver = request.solver;
  const char* key = !solver.follow.empty()       ? "solver.follow"
                    : !solver.start_from.empty() ? "solver.start_from"
                                                 : nullptr;
  if (key == nullptr) return;
  if (is_site_basis(request))
    fail(ErrorKind::configuration, request.origin, ": ", key, " is given, but saved spin states ",
         "do not record their symmetry sector; expected a problem with determinants, or a matrix");
  if (solver.method == solver::Method::lanczos)
    fail(ErrorKind::configuration, request.origin, ": ", key, " is given, but solver.method is ",
         "lanczos, which finds the lowest states from random vectors; expected auto, davidson or ",
         "dense");
}

MultiVector contracted(const std::string& file, const ci::CsfBasis& basis,
                       const MultiVector& vectors) {
  MultiVector functions(vectors.backend(), basis.functions(), vectors.columns(),
                        "vectors of a file");
  basis.contract(vectors.block(), functions.block());
  constexpr double rounding = 1e-10;
  const base::ConstBlock all = std::as_const(functions).block();
  double largest = 0;
  for (int j = 0; j < all.columns; ++j)
    for (Index i = 0; i < all.rows; ++i) largest = std::max(largest, std::abs(all(i, j)));
  if (largest < rounding)
    fail(ErrorKind::bad_input, file, ": its vectors have no component of spin ",
         0.5 * basis.twice_spin(), "; expected vectors with this spin, or another space.spin");
  return functions;
}

}  // namespace

// Other total spins are shifted, possibly to that energy.
void require_sensible_near(const Request& request) {
  const Request::Solver& solver = request.solver;
  if (!solver.near) return;
  if (!solver.follow.empty())
    fail(ErrorKind::configuration, request.origin,
         ": solver.near and solver.follow are both given; ", "expected one of them");
  if (solver.method == solver::Method::lanczos)
    fail(ErrorKind::configuration, request.origin, ": solver.near is given, but solver.method is ",
         "lanczos, which finds the lowest states; expected auto, davidson or dense");
  if (is_site_basis(request) && twice_spin(request))
    fail(ErrorKind::configuration, request.origin,
         ": solver.near and space.spin are both given, but on a lattice of ",
         "spins space.spin shifts states of other spins in energy; expected only one of the keys");
}

StartStates read_start_states(const Request& request, const DeterminantProblem* molecule,
                              Index rows, const base::Backend& host) {
  require_sensible(request);
  require_sensible_near(request);
  const Request::Solver& solver = request.solver;
  const base::Layout layout = base::Layout::whole(rows);
  StartStates given;
  if (!solver.start_from.empty() && solver.method != solver::Method::dense)
    given.start = solver::Checkpoint{
        .basis = first_states(
            request,
            read_vectors(request, solver.start_from, molecule, rows, Use::start, host).vectors),
        .layout = layout};
  if (!solver.follow.empty()) {
    ReadVectors found = read_vectors(request, solver.follow, molecule, rows, Use::follow, host);
    given.target = solver::Target{.vectors = std::move(found.vectors), .layout = layout};
    given.note = std::move(found.note);
  }
  return given;
}

void take_functions(const Request& request, const ci::CsfBasis& basis, StartStates& given) {
  const base::Layout layout = base::Layout::whole(basis.functions());
  if (auto& start = given.start)
    start = solver::Checkpoint{.basis = contracted(request.solver.start_from, basis, start->basis),
                               .layout = layout};
  if (auto& target = given.target)
    target = solver::Target{.vectors = contracted(request.solver.follow, basis, target->vectors),
                            .layout = layout};
}

}  // namespace cisolve::job
