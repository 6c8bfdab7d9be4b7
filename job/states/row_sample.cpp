#include "job/states/row_sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/number.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace cisolve::job {
namespace {

// Of moves of two electrons that a second product tries: measured on a thread of a host that
// computes at 3 GHz, and on an H200.
constexpr double kTriedOnHost = 2e-9;
constexpr double kTriedOnDevice = 6e-11;

constexpr Index kHeavy = 32;  // alpha strings of a sample
constexpr Index kByChance = 96;
constexpr double kHonestError = 1e-12;  // of an element of a product, over the largest of H
constexpr auto kWhat = "products that are compared";

double second_product_seconds(const Molecule& molecule, const base::Backend& backend) {
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

/// What the states have beside each alpha string.
std::vector<double> weights_of(const ci::Space& space, base::ConstBlock states) {
  std::vector<double> weights(space.strings(ci::Spin::alpha).size(), 0);
  for (int j = 0; j < states.columns; ++j)
    for (std::size_t a = 0; a < weights.size(); ++a) {
      const auto alpha = static_cast<Index>(a);
      const double* x = states.column(j) + space.first_row(alpha);
      const Index rows = std::ssize(space.betas_of(alpha));
      weights[a] += std::inner_product(x, x + rows, x, 0.0);
    }
  return weights;
}

/// One of some vectors in the memory of the host: a copy only where they lie elsewhere.
class AtHome {
 public:
  AtHome(const base::MultiVector& vectors, int j, const base::Backend& host)
      : block_(vectors.block(j, 1)) {
    if (vectors.backend().is_host()) return;
    copy_.emplace(base::MultiVector::copy_of(vectors.backend(), block_, host));
    block_ = std::as_const(*copy_).block();
  }
  const base::ConstBlock& block() const { return block_; }

 private:
  base::ConstBlock block_;
  std::optional<base::MultiVector> copy_;
};

template <class Visit>
void for_each_row(const RowSample& sample, const ci::Space& space, Visit&& visit) {
  for (const ci::StringNumber alpha : sample.alphas) {
    const Index end = space.first_row(alpha) + std::ssize(space.betas_of(alpha));
    for (Index row = space.first_row(alpha); row < end; ++row) visit(row);
  }
}

/// What rounding is measured by: the largest energy, or element of the diagonal.
double scale_of(const RowSample& sample, const ci::Space& space, const ci::DirectOperator& second,
                base::MultiVector& room, const solver::Verification& found) {
  double scale = 1;
  for (const solver::VerifiedState& state : found.states)
    scale = std::max(scale, std::abs(state.rayleigh_quotient));
  second.diagonal(room.block());
  for_each_row(sample, space, [&](Index row) { scale = std::max(scale, std::abs(room(row, 0))); });
  return scale;
}

}  // namespace

bool samples_rows(const Request& request, const Plan& plan, const Molecule& molecule,
                  const base::Backend& backend, double solve_seconds) {
  constexpr double kMost = 0.2;
  const std::string& wanted = request.solver.verification;
  const Index alphas = std::ssize(molecule.space.strings(ci::Spin::alpha));
  const bool is_all = alphas <= kHeavy + kByChance;
  const bool is_counted = molecule.space.dimension() <= solver::VerifyOptions().certify_limit;
  if (!factorises(plan.storage) || wanted == "whole" || is_all || is_counted) return false;
  if (wanted == "sample") return true;
  const double whole = second_product_seconds(molecule, backend);
  const double sample = second_product_seconds(molecule, molecule.space.host()) *
                        static_cast<double>(kHeavy + kByChance) / static_cast<double>(alphas);
  return sample < whole &&
         whole * static_cast<double>(request.solver.states) > kMost * solve_seconds;
}

RowSample RowSample::of(const ci::Space& space, base::ConstBlock states, std::uint64_t seed) {
  const std::vector<double> weights = weights_of(space, states);
  std::vector<ci::StringNumber> alphas(weights.size());
  std::iota(alphas.begin(), alphas.end(), 0);
  const Index count = std::ssize(alphas);
  const Index heavy = std::min(kHeavy, count);
  std::ranges::partial_sort(alphas, alphas.begin() + heavy, std::ranges::greater{},
                            [&](ci::StringNumber a) { return weights[a]; });
  const Index chosen = std::min(heavy + kByChance, count);
  base::RandomStream random(seed);
  for (Index i = heavy; i < chosen; ++i) {
    const auto left = static_cast<std::uint64_t>(count - i);
    std::swap(alphas[i], alphas[i + static_cast<Index>(random.below(left))]);
  }
  alphas.resize(chosen);
  std::ranges::sort(alphas);
  return {std::move(alphas), chosen == count ? 0 : chosen - heavy};
}

Index RowSample::rows(const ci::Space& space) const {
  Index rows = 0;
  for (const ci::StringNumber alpha : alphas) rows += std::ssize(space.betas_of(alpha));
  return rows;
}

double RowSample::share_seen() const {
  constexpr double kMissed = 0.05;
  return by_chance == 0 ? 0 : 1 - std::pow(kMissed, 1.0 / static_cast<double>(by_chance));
}

void compare_rows(const RowSample& sample, const ci::Space& space,
                  const base::LinearOperator& first, const ci::DirectOperator& second,
                  const base::MultiVector& states, solver::Verification& found) {
  found.sample = solver::SampledRows{
      .rows = sample.rows(space), .of_rows = space.dimension(), .share_seen = sample.share_seen()};
  base::MultiVector theirs(space.host(), states.rows(), 1, kWhat);
  const double allowed = kHonestError * scale_of(sample, space, second, theirs, found);
  for (int j = 0; j < states.columns(); ++j) {
    base::MultiVector there(states.backend(), states.rows(), 1, kWhat);
    first.apply(states.block(j, 1), there.block());
    const AtHome ours(there, 0, space.host());
    const AtHome x(states, j, space.host());
    second.apply_to(sample.alphas, x.block(), theirs.block());
    double largest = 0;
    for_each_row(sample, space, [&](Index row) {
      const double difference = std::abs(ours.block()(row, 0) - theirs(row, 0));
      if (difference > largest || std::isnan(difference)) largest = difference;  // and stays NaN
    });
    double& of_all = found.sample->largest_difference;
    if (!(largest <= of_all)) of_all = largest;
    if (largest <= allowed) continue;
    found.fail(
        {base::concat("the products of state ", j + 1, " differ by ", base::scientific(largest, 1),
                      " in some of ", found.sample->rows, " rows where both were taken")});
  }
}

}  // namespace cisolve::job
