#include "job/states/row_sample.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "ci/properties/weights.hpp"
#include "job/request/shortage.hpp"
#include "solver/vectors/kernels.hpp"

namespace cisolve::job {
namespace {

// Seconds per double excitation tried by a second product: on one thread of a 3 GHz host, and on an
// H200.
constexpr double kTriedOnHost = 2e-9;
constexpr double kTriedOnDevice = 6e-11;
// Few rows share the work of an alpha string: a row takes from 5 to 16 times as long.
constexpr double kAlone = 8;
constexpr double kMovedOnHost = 1.2e-8;  // seconds per site state and operation

constexpr Index kHeavy = 2048;  // rows of a sample
constexpr Index kByChance = 16384;
constexpr auto kRandom = "a random vector to verify products";
/// Error of an element of a product, relative to the largest of H.
constexpr double kHonestError = 1e-12;

double second_product_seconds(const DeterminantProblem& molecule, const base::Backend& backend) {
  const ci::Space& space = molecule.space;
  const auto singles = [&](ci::Spin spin) {
    return static_cast<double>(space.electrons(spin)) *
           (molecule.integrals.orbitals() - space.electrons(spin));
  };
  const auto& irreps = molecule.integrals.irreps();
  const auto labels = static_cast<double>(std::set(irreps.begin(), irreps.end()).size());
  const double tried = static_cast<double>(space.dimension()) * singles(ci::Spin::alpha) *
                       singles(ci::Spin::beta) / std::max(labels, 1.0);
  return tried * (backend.is_host() ? kTriedOnHost / backend.threads() : kTriedOnDevice);
}

// Half of the moves apply to a state; all operations of a group are applied to each result.
double second_product_seconds(const SiteProblem& problem) {
  const auto& sector = problem.basis.sector();
  const double operations = sector ? static_cast<double>(sector->operations.size()) : 1;
  const double words = 2 + static_cast<double>(problem.model.moves.size()) / 2;
  return static_cast<double>(problem.basis.dimension()) * words * operations * kMovedOnHost /
         problem.basis.host().threads();
}

/// One vector in host memory; copied only if it is elsewhere.
class HostColumn {
 public:
  HostColumn(const base::MultiVector& vectors, int j, const base::Backend& host)
      : block_(vectors.block(j, 1)) {
    if (vectors.backend().is_host()) return;
    copy_.emplace(base::MultiVector::copy_of(vectors.backend(), block_, host));
    block_ = std::as_const(*copy_).block();
  }
  const double* column() const { return block_.column(0); }
  std::span<const double> values() const {
    return {column(), static_cast<std::size_t>(block_.rows)};
  }

 private:
  base::ConstBlock block_;
  std::optional<base::MultiVector> copy_;
};

}  // namespace

namespace {

/// `whole`: seconds of a second product; `of_rows`: of as many rows of it as a sample has.
bool sample_pays(const Request& request, Index rows, double whole, double of_rows,
                 double solve_seconds) {
  constexpr double kMost = 0.2;
  const VerificationEffort wanted = request.solver.verification;
  const bool is_all = rows <= kHeavy + kByChance;
  const bool is_counted = rows <= solver::VerifyOptions().certify_limit;
  if (wanted == VerificationEffort::whole || is_all || is_counted) return false;
  if (wanted == VerificationEffort::sample) return true;
  return of_rows < whole &&
         whole * static_cast<double>(request.solver.states) > kMost * solve_seconds;
}

double fraction_of(Index rows) {
  return static_cast<double>(kHeavy + kByChance) / static_cast<double>(rows);
}

}  // namespace

bool samples_rows(const Request& request, const Plan& plan, const DeterminantProblem& molecule,
                  const base::Backend& backend, double solve_seconds) {
  if (plan.elements() != ElementPath::factorised) return false;
  const Index rows = molecule.space.dimension();
  const double sample =
      kAlone * second_product_seconds(molecule, molecule.space.host()) * fraction_of(rows);
  return sample_pays(request, rows, second_product_seconds(molecule, backend), sample,
                     solve_seconds);
}

// A host verifies all rows unless that takes long, and longer than the solution.
bool samples_rows(const Request& request, const SiteProblem& problem, const base::Backend& backend,
                  double solve_seconds) {
  constexpr double kLong = 30;
  if (request.elements.threshold > 0 || problem.twice_spin) return false;
  const double whole = second_product_seconds(problem);
  const double all_states = whole * static_cast<double>(request.solver.states);
  if (backend.is_host() && request.solver.verification == VerificationEffort::automatic &&
      all_states < std::max(kLong, solve_seconds))
    return false;
  const Index rows = problem.basis.dimension();
  return sample_pays(request, rows, whole, whole * fraction_of(rows), solve_seconds);
}

RowSample RowSample::of(const base::MultiVector& states, std::uint64_t seed) {
  const base::Backend host = states.backend().host();
  RowSample sample{.rows = {}, .by_chance = kByChance};
  const Index of_each = std::max(Index{1}, kHeavy / std::max(1, states.columns()));
  for (int j = 0; j < states.columns(); ++j) {
    const HostColumn x(states, j, host);
    const auto heavy = ci::dominant_rows(x.values(), of_each, host);
    sample.rows.insert(sample.rows.end(), heavy.begin(), heavy.end());
  }
  base::RandomStream random(seed);
  const auto all = static_cast<double>(states.rows());
  for (Index i = 0; i < kByChance; ++i)
    sample.rows.push_back(static_cast<Index>(random.uniform() * all));
  std::ranges::sort(sample.rows);
  const auto repeats = std::ranges::unique(sample.rows);
  sample.rows.erase(repeats.begin(), repeats.end());
  return sample;
}

double RowSample::detectable_fraction() const {
  constexpr double kMissed = 0.05;
  return 1 - std::pow(kMissed, 1.0 / static_cast<double>(by_chance));
}

namespace {

/// `name` names the vectors of the products.
void compare(std::span<const double> ours, std::span<const double> theirs, const std::string& name,
             solver::Verification& found) {
  double largest = 0;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double difference = std::abs(ours[i] - theirs[i]);
    if (difference > largest || std::isnan(difference)) largest = difference;  // a NaN stays
  }
  double& of_all = found.sample->largest_difference;
  if (!(largest <= of_all)) of_all = largest;
  if (largest <= kHonestError * std::max(1.0, found.scale)) return;
  found.fail({base::concat("the products of ", name, " by the two operators differ by ",
                           base::scientific(largest, 1), " in at least one of ", found.sample->rows,
                           " sampled rows")});
}

std::vector<double> second_of_random(const RowSample& sample, const ci::RowwiseOperator& second,
                                     Index all_rows, const base::Backend& host,
                                     std::uint64_t seed) {
  std::vector<double> values(sample.rows.size());
  if (second.multiply_rows_of_random(sample.rows, base::RandomVector(seed), values)) return values;
  base::MultiVector x(host, all_rows, 1, kRandom);
  base::block_kernels(host).randomise(host, seed, x.block());
  second.multiply_rows(sample.rows, x.block().column(0), values);
  return values;
}

}  // namespace

SecondProducts second_products(const RowSample& sample, const ci::RowwiseOperator& second,
                               const base::MultiVector& states,
                               std::optional<std::uint64_t> random) {
  const base::Backend host = states.backend().host();
  const std::size_t size = sample.rows.size();
  SecondProducts found{{static_cast<int>(size), states.columns()}, {}};
  for (int j = 0; j < states.columns(); ++j) {
    const HostColumn x(states, j, host);
    second.multiply_rows(sample.rows, x.column(), found.of_states.values().subspan(j * size, size));
  }
  if (random)
    found.of_random = if_memory_allows(MemoryOf::any, [&] {
                        return second_of_random(sample, second, states.rows(), host, *random);
                      }).value_or(std::vector<double>());
  return found;
}

std::vector<double> random_products(const std::function<const std::vector<Index>&()>& rows,
                                    const base::LinearOperator& first, const base::Backend& backend,
                                    std::uint64_t seed) {
  auto found = if_memory_allows(MemoryOf::any, [&] {
    base::MultiVector y(backend, first.rows(), 1, kRandom);
    base::MultiVector x(backend, first.rows(), 1, kRandom);
    base::block_kernels(backend).randomise(backend, seed, x.block());
    first.apply(std::as_const(x).block(), y.block());
    const std::vector<Index>& wanted = rows();  // x is kept: freeing it waits for the device
    base::SmallMatrix values(static_cast<int>(wanted.size()), 1);
    solver::kernels(backend).gather(backend, std::as_const(y).block(), wanted, values);
    return std::vector(values.values().begin(), values.values().end());
  });
  return std::move(found).value_or(std::vector<double>());
}

void compare_sample(const RowSample& sample, const std::vector<double>& random,
                    const SecondProducts& second, Index all_rows, solver::Verification& found) {
  const std::size_t size = sample.rows.size();
  found.sample = solver::SampledRows{.rows = std::ssize(sample.rows),
                                     .of_rows = all_rows,
                                     .detectable_fraction = sample.detectable_fraction()};
  for (int j = 0; j < second.of_states.columns(); ++j)
    compare(found.products.values().subspan(j * size, size),
            second.of_states.values().subspan(j * size, size), base::concat("state ", j + 1),
            found);
  if (random.empty() || second.of_random.empty()) return;
  found.sample->has_random = true;
  compare(random, second.of_random, "a random vector", found);
}

}  // namespace cisolve::job
