#include "job/plan/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "sparse/stored/formats.hpp"

namespace cisolve::job {
namespace {

// Measured with two threads of a host that computes at 2.5 to 3 GHz: seconds of one thread.
constexpr double kHostMove = 0.85e-9;
constexpr double kHostStream = 1e-9;
constexpr double kHostRow = 4e-9;
constexpr double kHostStored = 0.95e-9;
constexpr double kHostStoredRow = 8e-9;
constexpr double kHostCoded = 14e-9;
constexpr double kHostMade = 9e-9;  // an element, beside two walks along its row
constexpr double kHostConnection = 2e-9;
constexpr double kHostPair = 1e-9;
constexpr double kHostLookUp = 4e-9;
constexpr double kHostElement = 1.5e-9;
constexpr int kMemoryThreads = 8;  // as many keep the memory busy

// Measured on an H200, and so much longer with fewer multiprocessors.
constexpr double kDeviceElement = 1.6e-12;
constexpr double kDeviceLargest = 6e-10;
constexpr double kMultiprocessors = 132;
constexpr double kDeviceRow = 1e-9;
constexpr double kDeviceConnection = 1e-11;
constexpr double kDeviceCandidate = 5e-12;
constexpr double kTiledMade = 1.7e-10;
constexpr double kRowsMade = 5e-11;
constexpr double kTableByte = 1.5e-9;  // made by the host

/// With so many vectors at once, in products with one.
double computed_vectors(int vectors) { return 1 + 0.55 * (vectors - 1); }
double stored_vectors(int vectors) { return 1 + 0.2 * (vectors - 1); }

/// One walk along all rows by one thread.
double walk_on_host(const ci::RowWork& work) {
  return kHostConnection * work.connections + kHostPair * work.pairs + kHostLookUp * work.look_ups;
}

double computed_on_host(const Counts& counts, const Resources& resources) {
  const ci::ProductWork& work = *counts.work;
  const double seconds =
      work.by_blocks
          ? resources.host_pace.blocks *
                (kHostMove * work.moves + kHostStream * work.streams + kHostRow * counts.rows)
          : resources.host_pace.rows * (walk_on_host(work.walk) + kHostElement * counts.nonzeros);
  return seconds / resources.threads;
}

double walk_on_device(const ci::RowWork& work, double rows, const sparse::DeviceRates& device) {
  return kMultiprocessors / device.multiprocessors *
         (kDeviceRow * rows + kDeviceConnection * work.connections +
          kDeviceCandidate * work.candidates);
}

double computed_on_device(const ci::ProductWork& work, double rows, const Resources& resources) {
  const sparse::DeviceRates& device = *resources.rates;
  const double slower = kMultiprocessors / device.multiprocessors;
  if (!work.by_blocks) return resources.device_pace.rows * walk_on_device(work.walk, rows, device);
  const double all = kDeviceElement * (work.elements() + work.copies);
  return resources.device_pace.blocks * std::max({slower * all, kDeviceLargest * work.largest,
                                                  work.elements() / device.multiply_adds});
}

bool is_coded(const Plan& plan) { return plan.storage.values == sparse::Values::coded; }

const Pace& pace_of(const Plan& plan, const Resources& resources) {
  return plan.on_device ? resources.device_pace : resources.host_pace;
}

std::optional<double> stored_on_device(const Plan& plan, const sparse::RowProfile& profile,
                                       const sparse::DeviceRates& device) {
  if (plan.storage.format == "auto") return std::nullopt;
  const sparse::Format& format = sparse::format_named(plan.storage.format);
  const bool coded = is_coded(plan) && format.coded;
  const auto seconds = coded ? format.coded->product_seconds : format.product_seconds;
  if (seconds == nullptr) return std::nullopt;
  const double found = seconds(profile, device);
  return std::isfinite(found) ? std::optional(found) : std::nullopt;
}

std::optional<double> stored_on_host(const Plan& plan, const Counts& counts,
                                     const Resources& resources, int vectors) {
  const bool tiles = plan.storage.format == "tiled" && is_coded(plan);
  const double elements = counts.profile->nonzeros();
  const double seconds =
      (tiles ? kHostCoded : kHostStored) * elements + kHostStoredRow * counts.rows;
  return stored_vectors(vectors) * seconds / std::min(resources.threads, kMemoryThreads);
}

double made_on_host(const Counts& counts, const Resources& resources) {
  const double walks = counts.work ? 2 * walk_on_host(counts.work->walk) : 0;
  return (kHostMade * counts.profile->nonzeros() + walks) / resources.threads;
}

double made_on_device(const Plan& plan, const Counts& counts, const Resources& resources) {
  const double walks = counts.work && resources.rates
                           ? 2 * walk_on_device(counts.work->walk, counts.rows, *resources.rates)
                           : 0;
  const double element = plan.storage.format == "tiled" ? kTiledMade : kRowsMade;
  return element * counts.profile->nonzeros() + walks;
}

std::optional<double> product_seconds(const Request& request, const Plan& plan,
                                      const Counts& counts, const Resources& resources) {
  const int vectors = vectors_at_once(request);
  if (plan.computes()) {
    if (!counts.work || (plan.on_device && !resources.rates)) return std::nullopt;
    return computed_vectors(vectors) *
           (plan.on_device ? computed_on_device(*counts.work, counts.rows, resources)
                           : computed_on_host(counts, resources));
  }
  if (!counts.profile || (plan.on_device && !resources.rates)) return std::nullopt;
  const auto found = plan.on_device ? stored_on_device(plan, *counts.profile, *resources.rates)
                                    : stored_on_host(plan, counts, resources, vectors);
  if (!found) return found;
  const Pace& pace = pace_of(plan, resources);
  return *found * (is_coded(plan) ? pace.coded : pace.stored);
}

std::optional<double> making_seconds(const Plan& plan, const Counts& counts,
                                     const Resources& resources) {
  if (plan.computes()) return kTableByte * static_cast<double>(plan.demand.matrix);
  if (!counts.profile) return std::nullopt;
  return pace_of(plan, resources).making * (plan.on_device ? made_on_device(plan, counts, resources)
                                                           : made_on_host(counts, resources));
}

}  // namespace

void predict(const Request& request, const Counts& counts, const Resources& resources, Plan& plan) {
  plan.product_seconds = product_seconds(request, plan, counts, resources);
  plan.making_seconds = making_seconds(plan, counts, resources);
}

}  // namespace cisolve::job
