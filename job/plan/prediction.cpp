#include "job/plan/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "base/number.hpp"
#include "base/text.hpp"
#include "sparse/stored/formats.hpp"
#include "sparse/tiled/tiled.hpp"

namespace cisolve::job {
namespace {

// Measured with two threads of a host that computes at 2.5 to 3 GHz: seconds of one thread.
constexpr double kHostMove = 0.9e-9;
constexpr double kHostStream = 0.95e-9;
constexpr double kHostRow = 4e-9;
constexpr double kHostMultiplication = 2.2e-11;
constexpr double kHostFactorMove = 8e-10;
constexpr double kHostStrip = 3.4e-11;  // of an element of one
constexpr double kHostConnection = 1e-9;
constexpr double kHostPair = 0.6e-9;
constexpr double kHostLookUp = 2.8e-9;
constexpr double kHostTogether = 4e-9;
constexpr double kHostImage = 3e-9;
constexpr double kHostElement = 1.5e-9;
constexpr double kHostStored = 0.7e-9;
constexpr double kHostStoredRow = 7.5e-9;
constexpr double kHostByte = 1.05e-9;  // that is looked up among a lattice's values
constexpr double kHostTiles = 9.6e-9;
constexpr double kHostMade = 8e-9;
constexpr double kHostTilesMade = 250e-9;
constexpr double kHostWalks = 1.3;  // to count rows and to fill them, in walks of a product
constexpr double kHostWalksTogether = 2.2;
constexpr double kHostCached = 64e6;  // bytes that are read again more quickly
constexpr int kMemoryThreads = 8;     // as many keep the memory busy

// Measured on an H200, and so much longer with fewer multiprocessors.
constexpr double kMultiprocessors = 132;
constexpr double kDeviceMove = 1.4e-12;
constexpr double kDeviceStream = 4e-12;
constexpr double kDeviceLargest = 7e-10;
constexpr double kDeviceRow = 1.75e-9;
constexpr double kDeviceCandidate = 8.5e-12;
constexpr double kDeviceSearched = 16e-12;  // of which the place in a list is to be looked up
constexpr double kDeviceImage = 1.8e-12;
constexpr double kRowsMade = 2e-11;
constexpr double kTiledMade = 1.2e-10;
constexpr double kCodedMade = 8e-11;
constexpr double kMadeOnce = 0.01;
constexpr double kCodedOnce = 0.1;
constexpr double kDeviceFactorsOnce = 1.5e-4;
constexpr double kTiledMultiplication = 8.3e-14;
constexpr double kDeviceMultiplication = 1.6e-14;
constexpr double kDeviceFactorMove = 3.7e-12;
constexpr double kDeviceChunk = 2.8e-9;
constexpr double kLongList = 40'000;  // of which the cache does not hold the rows that are added to
constexpr double kBeyondCache = 1.2;
constexpr double kTableByte = 1.5e-9;  // made by the host

/// What each vector beyond the first takes, of that.
double with_further(int vectors, double share) { return 1 + share * (vectors - 1); }

/// One walk along all rows by one thread.
double walk_on_host(const ci::RowWork& work) {
  if (work.together > 0) return kHostTogether * work.together;
  return kHostConnection * work.connections + kHostPair * work.pairs + kHostLookUp * work.look_ups +
         kHostImage * work.images;
}

/// What is walked to make rows.
double making_walks(const ci::RowWork& work) {
  return (work.together > 0 ? kHostWalksTogether : kHostWalks) * walk_on_host(work);
}

double computed_on_host(const Counts& counts, const Resources& resources, int vectors) {
  const ci::ProductWork& work = *counts.work;
  if (!work.by_blocks)
    return resources.host_pace.rows / resources.threads * with_further(vectors, 0.015) *
           (walk_on_host(work.walk) + kHostElement * counts.nonzeros);
  return resources.host_pace.blocks / resources.threads *
         (with_further(vectors, 0.47) * kHostMove * work.moves +
          with_further(vectors, 0.3) * (kHostStream * work.streams + kHostRow * counts.rows));
}

double walk_on_device(const ci::RowWork& work, double rows, const sparse::DeviceRates& device) {
  const double candidate = work.has_all_betas ? kDeviceCandidate : kDeviceSearched;
  return kMultiprocessors / device.multiprocessors *
         (kDeviceRow * rows + candidate * work.candidates + kDeviceImage * work.images);
}

double computed_on_device(const Counts& counts, const Resources& resources, int vectors) {
  const sparse::DeviceRates& device = *resources.rates;
  const ci::ProductWork& work = *counts.work;
  if (!work.by_blocks)
    return resources.device_pace.rows * with_further(vectors, 0.05) *
           walk_on_device(work.walk, counts.rows, device);
  const double all = with_further(vectors, 0.33) * kDeviceMove * (work.moves + work.copies) +
                     with_further(vectors, 0.73) * kDeviceStream * work.streams;
  const double longest = with_further(vectors, 0.37) * kDeviceLargest * work.largest;
  const double added = vectors * work.elements() / device.multiply_adds;
  return resources.device_pace.blocks *
         std::max({kMultiprocessors / device.multiprocessors * all, longest, added});
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

bool has_tiles(const Plan& plan, const sparse::RowProfile& profile) {
  return plan.storage.format == "tiled" &&
         sparse::may_have_tiles({profile.rows, profile.columns, 0, false},
                                static_cast<Index>(profile.nonzeros()));
}

double stored_on_host(const Plan& plan, const Counts& counts, const Resources& resources,
                      int vectors) {
  const sparse::RowProfile& profile = *counts.profile;
  const double elements = profile.nonzeros();
  const double threads = std::min(resources.threads, kMemoryThreads);
  if (has_tiles(plan, profile)) return kHostTiles * elements / threads;
  const bool is_cached = (sizeof(double) + sizeof(base::Column)) * elements < kHostCached;
  const double cached = !is_cached ? 1.0 : vectors == 1 ? 0.6 : 0.85;
  const double codes = is_coded(plan) && plan.storage.format == "sell" ? kHostByte : 0;
  const double stored = kHostStored * elements + kHostStoredRow * counts.rows;
  return (cached * with_further(vectors, 0.13 + profile.scatter) * stored + codes * elements) /
         threads;
}

double made_on_host(const Plan& plan, const Counts& counts, const Resources& resources) {
  const double walks = counts.work ? making_walks(counts.work->walk) : 0;
  const double tiles = has_tiles(plan, *counts.profile) ? kHostTilesMade : 0;
  return ((kHostMade + tiles) * counts.profile->nonzeros() + walks) / resources.threads;
}

// Rows are counted and filled by a walk each; codes are counted by another one.
double made_on_device(const Plan& plan, const Counts& counts, const Resources& resources) {
  const bool tiles = plan.storage.format == "tiled";
  const bool codes = tiles && is_coded(plan);
  const double walk = counts.work && resources.rates
                          ? walk_on_device(counts.work->walk, counts.rows, *resources.rates)
                          : 0;
  const double element = (tiles ? kTiledMade : kRowsMade) + (codes ? kCodedMade : 0);
  return kMadeOnce + (codes ? kCodedOnce : 0) + (codes ? 3 : 2) * walk +
         element * counts.profile->nonzeros();
}

// Of an even or odd vector, where there are such: those of a solution are.
double factorised_on_host(const ci::FactorWork& work, const Resources& resources) {
  constexpr double of_half = 0.55;
  const double whole = kHostMultiplication * work.multiplications + kHostFactorMove * work.moves +
                       kHostStrip * work.strips;
  return (work.flips ? of_half : 1) * whole / resources.threads;
}

double factorised_on_device(const ci::FactorWork& work, const Resources& resources) {
  const sparse::DeviceRates& device = *resources.rates;
  // One spin from one side, and three of four couplings.
  const double alone = (work.flips ? 0.5 : 1) * work.tiles;
  const double both = work.flips ? 0.75 : 1;
  const double beyond = static_cast<double>(work.longest) > kLongList ? kBeyondCache : 1;
  const double couplings = beyond * both *
                           (kDeviceMultiplication * work.multiplications +
                            kDeviceFactorMove * work.moves + kDeviceChunk * work.chunks);
  const double slower = kMultiprocessors / device.multiprocessors;
  return kDeviceFactorsOnce +
         std::max(slower * (kTiledMultiplication * alone + couplings),
                  (alone + both * work.multiplications) / device.multiply_adds);
}

std::optional<double> product_seconds(const Request& request, const Plan& plan,
                                      const Counts& counts, const Resources& resources) {
  const int vectors = vectors_at_once(request);
  if (factorises(plan.storage)) {
    if (!counts.factors || (plan.on_device && !resources.rates)) return std::nullopt;
    return vectors * (plan.on_device ? factorised_on_device(*counts.factors, resources)
                                     : factorised_on_host(*counts.factors, resources));
  }
  if (plan.computes()) {
    if (!counts.work || (plan.on_device && !resources.rates)) return std::nullopt;
    return plan.on_device ? computed_on_device(counts, resources, vectors)
                          : computed_on_host(counts, resources, vectors);
  }
  if (!counts.profile || (plan.on_device && !resources.rates)) return std::nullopt;
  const auto found = plan.on_device
                         ? stored_on_device(plan, *counts.profile, *resources.rates)
                         : std::optional(stored_on_host(plan, counts, resources, vectors));
  if (!found) return found;
  const Pace& pace = pace_of(plan, resources);
  return *found * (is_coded(plan) ? pace.coded : pace.stored);
}

std::optional<double> making_seconds(const Plan& plan, const Counts& counts,
                                     const Resources& resources) {
  if (plan.computes()) return kTableByte * static_cast<double>(plan.demand.matrix);
  if (!counts.profile) return std::nullopt;
  return pace_of(plan, resources).making * (plan.on_device ? made_on_device(plan, counts, resources)
                                                           : made_on_host(plan, counts, resources));
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
