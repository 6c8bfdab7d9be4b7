#include "job/plan/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "base/number.hpp"
#include "base/text.hpp"
#include "ci/factorised/product_seconds.hpp"
#include "ci/on_the_fly/product_seconds.hpp"
#include "sparse/stored/formats.hpp"

namespace cisolve::job {
namespace {

constexpr double kTableByte = 1.5e-9;  // seconds to make a byte of a table, by the host

bool is_coded(const Plan& plan) { return plan.storage.values == sparse::Values::coded; }

const Pace& pace_of(const Plan& plan, const Resources& resources) {
  return plan.on_device ? resources.device_pace : resources.host_pace;
}

double computed_seconds(const Plan& plan, const Counts& counts, const Resources& resources,
                        int vectors) {
  const ci::ProductWork& work = *counts.work;
  const Pace& pace = pace_of(plan, resources);
  return (work.by_blocks ? pace.blocks : pace.rows) *
         (plan.on_device
              ? ci::computed_seconds_on_device(work, counts.rows, vectors, *resources.rates)
              : ci::computed_seconds_on_host(work, counts.rows, counts.nonzeros, vectors,
                                             resources.threads));
}

std::optional<double> stored_seconds(const Plan& plan, const sparse::RowProfile& profile,
                                     const Resources& resources) {
  if (plan.storage.format == "auto") return std::nullopt;
  const sparse::Format& format = sparse::format_named(plan.storage.format);
  const Pace& pace = pace_of(plan, resources);
  const double paced = is_coded(plan) ? pace.coded : pace.stored;
  if (!plan.on_device)
    return paced * format.host_seconds(profile, plan.storage.values, resources.threads);
  const bool coded = is_coded(plan) && format.coded;
  const auto seconds = coded ? format.coded->product_seconds : format.product_seconds;
  if (seconds == nullptr) return std::nullopt;
  const double found = seconds(profile, *resources.rates);
  return std::isfinite(found) ? std::optional(paced * found) : std::nullopt;
}

// Rows are counted and filled by a walk each; codes are counted by another one.
double storing_seconds(const Plan& plan, const Counts& counts, const Resources& resources) {
  const sparse::RowProfile& profile = *counts.profile;
  const bool sorts = sparse::format_named(plan.storage.format).sorts_into_tiles;
  if (!plan.on_device) {
    const double walks = counts.work ? ci::walk_seconds_to_store_on_host(counts.work->walk) : 0;
    const bool in_tiles = sorts && sparse::has_tiles_on_host(profile);
    return sparse::storing_seconds_on_host(profile, in_tiles, resources.threads) +
           walks / resources.threads;
  }
  const bool codes = sorts && is_coded(plan);
  const double walk =
      counts.work && resources.rates
          ? ci::walk_seconds_on_device(counts.work->walk, counts.rows, *resources.rates)
          : 0;
  return sparse::storing_seconds_on_device(profile, sorts, codes) + (codes ? 3 : 2) * walk;
}

std::optional<double> product_seconds(const Request& request, const Plan& plan,
                                      const Counts& counts, const Resources& resources) {
  if (plan.on_device && !resources.rates) return std::nullopt;
  const int vectors = vectors_at_once(request);
  if (factorises(plan.storage)) {
    if (!counts.factors) return std::nullopt;
    return vectors * (plan.on_device
                          ? ci::factorised_seconds_on_device(*counts.factors, *resources.rates)
                          : ci::factorised_seconds_on_host(*counts.factors, resources.threads));
  }
  if (plan.computes()) {
    if (!counts.work) return std::nullopt;
    return computed_seconds(plan, counts, resources, vectors);
  }
  if (!counts.profile) return std::nullopt;
  return stored_seconds(plan, *counts.profile, resources);
}

std::optional<double> making_seconds(const Plan& plan, const Counts& counts,
                                     const Resources& resources) {
  if (plan.computes()) return kTableByte * static_cast<double>(plan.demand.matrix);
  if (!counts.profile) return std::nullopt;
  return pace_of(plan, resources).making * storing_seconds(plan, counts, resources);
}

}  // namespace

void predict(const Request& request, const Counts& counts, const Resources& resources, Plan& plan) {
  plan.product_seconds = product_seconds(request, plan, counts, resources);
  plan.making_seconds = making_seconds(plan, counts, resources);
}

bool is_found_among_halves(const Request& request, const Counts& counts, const Plan& plan) {
  const bool flips = factorises(plan.storage) && counts.factors && counts.factors->flips;
  const Request::Solver& solver = request.solver;
  return flips && solver.states == 1 && !solver.near && solver.follow.empty() &&
         (solver.method == solver::Method::automatic || solver.method == solver::Method::davidson);
}

Solving solving_by(const Request& request, const Counts& counts, const Resources& resources,
                   const Plan& plan) {
  if (!plan.fits()) return {};
  const double rows = counts.rows / (plan.share ? plan.share->ranks : 1);
  const Index gathered = plan.share ? plan.share->whole - plan.share->beside : 0;
  const Index bytes = plan.limit - plan.demand.matrix - gathered;
  const Index host = resources.host;
  const Solving whole = solving_within(request, rows, bytes, plan.on_device, host);
  const Index beside = plan.share ? plan.share->beside : whole_bytes(2 * rows * sizeof(double));
  if (!is_found_among_halves(request, counts, plan) || bytes <= beside) return whole;
  const Solving halves = solving_within(request, rows / 2, bytes - beside, plan.on_device, host);
  return halves.crowding <= whole.crowding ? halves : whole;
}

void predict_mixed(const Plan& stored, const Plan& computed, double part, Plan& plan) {
  const auto together = [](std::optional<double> one, double of_one, std::optional<double> other,
                           double of_other) -> std::optional<double> {
    if (!one || !other) return std::nullopt;
    return of_one * *one + of_other * *other;
  };
  plan.product_seconds = together(stored.product_seconds, part, computed.product_seconds, 1 - part);
  // What is computed begins with the same tables, however little of it is left.
  plan.making_seconds = together(stored.making_seconds, part, computed.making_seconds, 1);
}

std::string times_of(const Plan& plan) {
  return base::concat("a product in about ", base::human_seconds(*plan.product_seconds),
                      ", made in about ", base::human_seconds(*plan.making_seconds));
}

}  // namespace cisolve::job
