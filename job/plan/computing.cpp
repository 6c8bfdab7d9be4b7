#include "job/plan/computing.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::job {
namespace {

constexpr double kProducts = 40;  // of a solution, to weigh them against what is built once

/// Of all products and what is made before them.
double whole(double made_once, double product) { return made_once + kProducts * product; }

// Measured with two threads of a host that computes at 2.5 to 3 GHz: seconds of one thread.
constexpr double kHostMove = 0.85e-9;
constexpr double kHostStream = 1e-9;
constexpr double kHostRow = 4e-9;
constexpr double kHostStored = 1.2e-9;
constexpr double kHostBuilt = 16e-9;
constexpr int kMemoryThreads = 8;  // as many keep the memory busy

double on_host(const ci::ProductWork& work, double rows, int threads) {
  return (kHostMove * work.moves + kHostStream * work.streams + kHostRow * rows) / threads;
}

// Measured on an H200, and so much longer with fewer multiprocessors.
constexpr double kDeviceElement = 1.6e-12;
constexpr double kDeviceLargest = 6e-10;
constexpr double kMultiprocessors = 132;
constexpr double kTiledBuilt = 1.7e-10;
constexpr double kRowsBuilt = 5e-11;
constexpr double kTableByte = 1.5e-9;  // made by the host

double on_device(const ci::ProductWork& work, const sparse::DeviceRates& device) {
  const double all = kDeviceElement * (work.elements() + work.copies);
  const double slower = kMultiprocessors / device.multiprocessors;
  return std::max(
      {slower * all, kDeviceLargest * work.largest, work.elements() / device.multiply_adds});
}

/// With so many vectors at once, in products with one.
double of_vectors(int vectors) { return 1 + 0.55 * (vectors - 1); }

std::optional<double> predicted(const Request& request, const Counts& counts,
                                const Resources& resources, bool is_device) {
  if (!counts.work || !counts.work->by_blocks) return std::nullopt;
  const double width = of_vectors(vectors_at_once(request));
  if (!is_device) return width * on_host(*counts.work, counts.rows, resources.threads);
  if (!resources.rates) return std::nullopt;
  return width * on_device(*counts.work, *resources.rates);
}

/// What storing takes in place of it; none where nothing is known of that.
std::optional<double> stored_whole(const Plan& stored, const Counts& counts,
                                   const Resources& resources) {
  if (!counts.profile) return std::nullopt;
  const double elements = counts.profile->nonzeros();
  if (stored.on_device) {
    if (!stored.product_seconds) return std::nullopt;
    const double built = stored.storage.format == "tiled" ? kTiledBuilt : kRowsBuilt;
    return whole(built * elements, *stored.product_seconds);
  }
  const int threads = resources.threads;
  return whole(kHostBuilt * elements / threads,
               kHostStored * elements / std::min(threads, kMemoryThreads));
}

bool pays(const Plan& computed, const Plan& stored, const Counts& counts,
          const Resources& resources) {
  const auto other = stored_whole(stored, counts, resources);
  if (!computed.product_seconds || !other) return false;
  const double tables = kTableByte * static_cast<double>(computed.demand.matrix);
  return whole(tables, *computed.product_seconds) < *other;
}

}  // namespace

bool must_compute(const Request& request) { return request.elements.path == kOnTheFly; }

bool names_boundary(const Request& request) {
  return request.tries_boundaries || request.storage.boundary != sparse::kAutomatic;
}

bool names_storage(const Request& request) {
  return request.storage.format != "auto" || names_boundary(request);
}

bool must_code(const Request& request) { return request.elements.path == kCoded; }

bool may_compute(const Request& request) {
  if (!is_molecular(request)) return false;
  return must_compute(request) || (request.elements.path == "auto" && !names_storage(request));
}

sparse::FormatOptions not_stored(const Request& request) {
  if (!is_molecular(request))
    base::fail(
        base::Fault::configuration, request.origin, ": storage.elements is ", request.elements.path,
        ", but this problem has no determinants to compute elements from; expected fcidump, ",
        "trexio or lattice under 'problem:', or elements: precomputed");
  sparse::FormatOptions storage = request.storage;
  storage.format = kNotStored;
  storage.vectors = vectors_at_once(request);
  return storage;
}

void add_computed(const Request& request, const Counts& counts, const Resources& resources,
                  bool on_device, std::size_t first, std::vector<Plan>& plans) {
  Plan computed{
      .elements = kOnTheFly,
      .storage = not_stored(request),
      .on_device = on_device,
      .demand = {counts.work ? counts.work->bytes : 0, least_vectors(request, counts.rows)},
      .limit = on_device ? *resources.device : resources.host,
      .product_seconds = predicted(request, counts, resources, on_device),
      .reason = {}};
  const auto place = plans.begin() + static_cast<std::ptrdiff_t>(first);
  if (must_compute(request)) {
    computed.reason = "storage.elements names it";
    plans.insert(place, std::move(computed));
  } else if (place != plans.end() && pays(computed, *place, counts, resources)) {
    computed.reason =
        base::concat("a product in about ", base::human_seconds(*computed.product_seconds),
                     ", and nothing to build");
    plans.insert(place, std::move(computed));
  } else {
    computed.reason = "nothing of it is held";
    plans.push_back(std::move(computed));
  }
}

}  // namespace cisolve::job
