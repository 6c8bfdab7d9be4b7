#include "python/core/full_ci.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "ci/properties/state_sums.hpp"
#include "job/plan/plan.hpp"
#include "job/states/state_analysis.hpp"
#include "job/states/total_spin.hpp"
#include "solver/methods/solve.hpp"

namespace cisolve::python {
namespace {

constexpr double kSmall = 4096;       // determinants; below that threads do not pay
constexpr double kLeastStart = 1e-8;  // least size of a useful start vector

double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return std::round(value);
}

job::Request request_of(const SharedIntegrals& integrals, std::optional<Index> irrep) {
  job::Request request;
  request.origin = "full CI";
  request.source = job::ProblemSource::integrals;
  request.integrals = integrals.values;
  if (irrep) request.space.irrep = *irrep;
  request.analysis.densities = job::Densities::none;
  // The factorised product is always best if all alpha strings meet all beta strings, so no rows
  // are examined.
  request.elements.path = job::ElementPath::factorised;
  return request;
}

base::Backend backend_of(const SharedIntegrals& integrals, const FullCISettings& settings) {
  if (settings.threads < 0 || settings.memory < 0)
    base::fail(base::ErrorKind::usage, settings.threads, " threads and ", settings.memory,
               " bytes; expected no negative number");
  const job::GivenIntegrals& given = *integrals.values;
  const double size = binomial(given.orbitals, given.alpha) * binomial(given.orbitals, given.beta);
  const bool is_small = size <= kSmall && settings.threads == 0;
  const base::Backend::Limits limits{.host_bytes = settings.memory};
  const auto choice = base::BackendChoice::named(settings.backend);
  if (is_small && choice && choice->is_automatic()) return base::Backend::openmp(1, limits);
  return base::Backend::by_name(settings.backend, is_small ? 1 : settings.threads, limits);
}

// Position of a string in ascending order: the k-th electron at orbital o adds binomial(o, k).
Index place_of(std::span<const std::uint8_t> occupied) {
  Index place = 0;
  for (std::size_t k = 0; k < occupied.size(); ++k)
    place += static_cast<Index>(binomial(occupied[k], static_cast<int>(k) + 1));
  return place;
}

std::vector<Index> places_of(const ci::Space& space, Index betas) {
  std::vector<Index> beta_places;
  for (Index b = 0; b < std::ssize(space.strings(ci::Spin::beta)); ++b)
    beta_places.push_back(place_of(space.occupied(ci::Spin::beta, b)));
  std::vector<Index> places;
  places.reserve(space.dimension());
  for (Index a = 0; a < std::ssize(space.strings(ci::Spin::alpha)); ++a) {
    const Index first = place_of(space.occupied(ci::Spin::alpha, a)) * betas;
    for (const ci::StringNumber b : space.betas_of(a)) places.push_back(first + beta_places[b]);
  }
  return places;
}

}  // namespace

FullCI::FullCI(const SharedIntegrals& integrals, std::optional<Index> irrep,
               const FullCISettings& settings)
    : hamiltonian_(request_of(integrals, irrep), backend_of(integrals, settings)),
      alphas_(static_cast<Index>(binomial(integrals.values->orbitals, integrals.values->alpha))),
      betas_(static_cast<Index>(binomial(integrals.values->orbitals, integrals.values->beta))) {
  if (dimension() != size()) places_ = places_of(space(), betas_);
}

std::vector<double> FullCI::gathered(const double* x, int vectors) const {
  std::vector<double> inside(dimension() * vectors);
  auto next = inside.begin();
  for (int j = 0; j < vectors; ++j, x += size())
    for (const Index place : places_) *next++ = x[place];
  return inside;
}

void FullCI::scatter(base::ConstBlock from, double* to) const {
  for (int j = 0; j < from.columns; ++j, to += size()) {
    if (is_whole()) {
      std::copy_n(from.column(j), size(), to);
      continue;
    }
    std::fill_n(to, size(), 0.0);
    for (Index row = 0; row < from.rows; ++row) to[places_[row]] = from(row, j);
  }
}

void FullCI::contract(const double* x, double* y, int vectors) {
  const Index rows = dimension();
  if (is_whole()) return hamiltonian_.apply({x, rows, vectors, rows}, {y, rows, vectors, rows});
  const std::vector<double> inside = gathered(x, vectors);
  std::vector<double> image(inside.size());
  hamiltonian_.apply({inside.data(), rows, vectors, rows}, {image.data(), rows, vectors, rows});
  scatter({image.data(), rows, vectors, rows}, y);
}

void FullCI::diagonal(double* d) {
  const std::vector<double> values = hamiltonian_.diagonal();
  scatter({values.data(), dimension(), 1, dimension()}, d);
}

EvenSpinBasis FullCI::even_spins(const SpinChoice& spins) const {
  const job::GivenIntegrals& given = *hamiltonian_.request().integrals;
  const std::string reason = job::why_no_spin(hamiltonian_.determinant_problem()->integrals);
  if (spins.one || given.alpha != given.beta || !reason.empty())
    base::fail(base::ErrorKind::usage, "even spins are requested, but ",
               spins.one                   ? "one spin as well"
               : given.alpha != given.beta ? "there are not as many alpha as beta electrons"
                                           : reason);
  return {alphas_, places_};
}

solver::Result FullCI::solve_even(const EvenSpinBasis& spins, const solver::Options& options,
                                  const solver::Checkpoint* start, solver::Observer* observer) {
  const base::Backend host = hamiltonian_.backend().host();
  const EvenSpinHamiltonian among_even(hamiltonian_, spins);
  solver::Problem problem{among_even, host};
  problem.model_block = &among_even;
  solver::Result result = solver::solve(problem, options, observer, start);
  base::MultiVector determinants(host, dimension(), result.vectors.columns(), "the states");
  spins.expand(std::as_const(result.vectors).block(), determinants.block());
  result.vectors = std::move(determinants);
  result.layout = base::Layout::whole(dimension());
  return result;
}

FullCI::Found FullCI::solve(const solver::Options& options, const SpinChoice& spins,
                            const double* start, int starts, solver::Observer* observer) {
  job::Request request = hamiltonian_.request();
  if (spins.one) request.space.spin = spins.one;
  std::optional<EvenSpinBasis> even;
  if (spins.even) even.emplace(even_spins(spins));
  const job::DeterminantProblem& molecule = *hamiltonian_.determinant_problem();
  const job::SolverAdapter view(request, &molecule);
  const base::Backend host = hamiltonian_.backend().host();
  std::optional<solver::Checkpoint> begin;
  if (starts > 0) {
    const std::vector<double> inside =
        is_whole() ? std::vector<double>(start, start + size() * starts) : gathered(start, starts);
    const base::ConstBlock given{inside.data(), dimension(), starts, dimension()};
    const Index rows = even ? even->rows() : view.basis() ? view.basis()->functions() : dimension();
    base::MultiVector basis(host, rows, starts);
    if (even)
      even->contract(given, basis.block());
    else if (view.basis() != nullptr)
      view.basis()->contract(given, basis.block());
    else
      basis = base::MultiVector::copy_of(host, given, host);
    double largest = 0;
    for (int j = 0; j < starts; ++j)
      for (Index i = 0; i < rows; ++i) largest = std::max(largest, std::abs(basis(i, j)));
    if (largest > kLeastStart)
      begin.emplace(solver::Checkpoint{std::move(basis), base::Layout::whole(rows)});
  }
  const solver::Checkpoint* from = begin ? &*begin : nullptr;
  Found found{even ? solve_even(*even, options, from, observer)
                   : hamiltonian_.solve(view, options, observer, from),
              {}};
  static_cast<void>(job::rotate_degenerate_states(molecule, request, found.result));
  if (job::why_no_spin(molecule.integrals).empty()) {
    const auto sums = ci::state_sums(molecule.space, host);
    found.s2 = job::spins_of(*sums->spin_squared(), found.result.vectors);
  }
  return found;
}

}  // namespace cisolve::python
