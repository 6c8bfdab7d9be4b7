#include "job/plan/plan.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"
#include "job/plan/computing.hpp"
#include "job/plan/mixing.hpp"
#include "job/plan/prediction.hpp"
#include "job/plan/small_jobs.hpp"
#include "job/request/shortage.hpp"
#include "sparse/diagonal/diagonal.hpp"
#include "sparse/stored/formats.hpp"
#include "sparse/stored/plan.hpp"

namespace cisolve::job {
namespace {

struct Choice {
  std::string format;
  std::string reason;
  std::optional<sparse::Values> values = std::nullopt;  // in place of what the request says
};

bool leaves_format(const Request& request) {
  return !must_code(request) && !names_storage(request);
}

bool can_code(const std::string& format) {
  return format != "auto" && sparse::format_named(format).coded.has_value();
}

// Rows of a lattice are short and their values few, even among 256.
std::vector<Choice> coded_choices(const Request& request) {
  std::vector<std::string> formats{"tiled", "sell"};
  if (request.source == ProblemSource::lattice) std::ranges::reverse(formats);
  if (can_code(request.storage.format)) formats = {request.storage.format};
  std::vector<Choice> list;
  for (const std::string& format : formats)
    list.push_back({format, "storage.elements names it", sparse::Values::coded});
  return list;
}

// Whether values of so stored elements are left to the program, and are few.
bool may_store(const Request& request, const sparse::Format& format, sparse::Values values) {
  if (values == sparse::Values::plain) return true;
  if (request.elements.path != ElementPath::automatic && !must_mix(request)) return false;
  return format.name != "tiled" || is_molecular(request);
}

// One that is made to be like CI has none.
bool may_have_diagonals(const Request& request) {
  if (request.source == ProblemSource::generate)
    return request.generate.pattern != sparse::GeneratedPattern::ci;
  return !is_molecular(request);
}

std::vector<Choice> host_choices(const std::optional<sparse::RowProfile>& profile) {
  std::vector<Choice> list{{"hybrid", "the host's products read it in one stream"}};
  if (profile && profile->has_diagonals())
    list.insert(list.begin(), {std::string(sparse::kDiagonal), "its diagonals need no columns"});
  return list;
}

// Whether what a host stores depends on its rows.
bool asks_on_host(const Request& request) {
  return learns_anywhere(request) || may_have_diagonals(request);
}

// None where they were looked at for a device alone.
std::optional<sparse::RowProfile> profile_for_host(const Request& request, const Counts& counts) {
  return asks_on_host(request) ? counts.profile : std::nullopt;
}

// The formats in which a matrix may be stored at one place, the best one first; on a device as long
// as nothing is known of its rows.
std::vector<Choice> choices(const Request& request, bool on_device,
                            const std::optional<sparse::RowProfile>& profile = std::nullopt) {
  if (must_code(request)) return coded_choices(request);
  if (request.storage.format != "auto")
    return {{request.storage.format, "storage.format names it"}};
  if (names_boundary(request)) return {{"hybrid", "it is the format that has a BOUNDARY"}};
  if (!on_device) return host_choices(profile);
  return {{"tiled", "its product reads least"}, {"csr", "it pads nothing"}};
}

// Those that have something to offer for such rows.
std::vector<Choice> choices_by(const Request& request, const sparse::RowProfile& profile,
                               const sparse::DeviceRates& device) {
  std::vector<Choice> list;
  for (const auto& [format, values, seconds] : sparse::rank_formats(profile, device))
    if (may_store(request, *format, values))
      list.push_back({std::string(format->name), "", values});
  return list;
}

sparse::FormatOptions stored_as(const Request& request, const Choice& choice) {
  sparse::FormatOptions storage = request.storage;
  storage.format = choice.format;
  storage.values = choice.values.value_or(storage.values);
  storage.vectors = vectors_at_once(request);
  if (must_mix(request)) storage.share = share_of(request);
  return storage;
}

void add_plans(const Request& request, const Counts& counts, const Resources& resources,
               const std::vector<Choice>& choices, bool on_device, std::vector<Plan>& plans) {
  for (const Choice& choice : choices) {
    const sparse::FormatOptions storage = stored_as(request, choice);
    Plan plan{.elements = storage.values == sparse::Values::coded ? ElementPath::coded
                                                                  : ElementPath::precomputed,
              .storage = storage,
              .on_device = on_device,
              .demand = {least_matrix(storage, counts),
                         least_vectors(request, counts.rows, on_device, resources.host)},
              .limit = on_device ? *resources.device : resources.host,
              .reason = choice.reason};
    predict(request, counts, resources, plan);
    share_out(request, counts, resources, plan);
    plan.solving = solving_by(request, counts, resources, plan);
    plans.push_back(std::move(plan));
  }
}

// What is soonest done first, as it is predicted for all of them.
void add_rated_plans(const Request& request, const Counts& counts, const Resources& resources,
                     std::vector<Plan>& plans) {
  add_plans(request, counts, resources, choices_by(request, *counts.profile, *resources.rates),
            true, plans);
  std::ranges::stable_sort(plans, std::ranges::less{}, &Plan::whole_seconds);
  for (Plan& plan : plans) plan.reason = times_of(plan);
}

// What leaves a search space hardly a direction beside the states takes too long, however quick its
// products are: whatever leaves more comes first.
void put_cramped_last(std::vector<Plan>& plans, std::size_t first) {
  constexpr double kCramped = 10;  // times the products
  std::stable_partition(plans.begin() + static_cast<std::ptrdiff_t>(first), plans.end(),
                        [](const Plan& plan) { return plan.solving.crowding < kCramped; });
}

}  // namespace

int vectors_at_once(const Request& request) {
  constexpr Index kMostAtOnce = 4;
  const Index states = request.solver.states;
  const Index vectors = states > 0 ? states : request.product.vectors;
  return static_cast<int>(std::min(vectors, kMostAtOnce));
}

Resources Resources::of(const base::Backend& backend, const Paces& paces) {
  Resources resources{backend.host().memory().left()};
  const auto pace_of = [&](const std::string& name) {
    const auto known = paces.find(name);
    return known == paces.end() ? Pace{} : known->second;
  };
  resources.threads = backend.host().threads();
  resources.host_pace = pace_of(kHostName);
  if (backend.is_host()) return resources;
  const base::cuda::DeviceInfo device = base::cuda::describe(backend.device());
  resources.device = backend.memory().left();
  resources.rates = sparse::DeviceRates::of(device);
  resources.device_pace = pace_of(device.name);
  return resources;
}

Resources Resources::agreed(const base::Communicator& ranks) const {
  static_assert(std::is_trivially_copyable_v<Resources>);
  Resources all = *this;
  ranks.broadcast(std::as_writable_bytes(std::span(&all, 1)), 0);
  const auto least = [&](Index bytes) {
    return static_cast<Index>(ranks.minimum(static_cast<double>(bytes)));
  };
  all.host = least(host);
  if (all.device) all.device = least(device.value_or(0));
  return all;
}

Resources Resources::among(const Network& ranks) const {
  Resources of_rank = *this;
  of_rank.network = ranks;
  return of_rank;
}

std::optional<double> Plan::whole_seconds() const {
  constexpr double kMovedPerSecond = 50e9;  // between a host and its device
  if (!product_seconds || !making_seconds) return std::nullopt;
  const double moving = solving.moved / kMovedPerSecond;
  return *making_seconds + kProducts * (solving.crowding * *product_seconds + moving);
}

bool Plan::may_be_sooner_with_room_than(const Plan& other) const {
  const auto seconds = [](const Plan& plan) {
    return plan.making_seconds.value_or(0) + kProducts * plan.product_seconds.value_or(0);
  };
  const auto is_known = [](const Plan& plan) {
    return plan.product_seconds && plan.making_seconds;
  };
  return !is_known(*this) || !is_known(other) || seconds(*this) < seconds(other);
}

std::string Plan::text() const {
  return (mixes() ? "partly " : "") +
         (factorises(storage) ? "factorised"
          : computes()        ? "computed"
                              : sparse::told_as(storage.format, storage.values)) +
         (on_device ? " on the device" : " on the host");
}

ElementPath elements_of(const sparse::FormatOptions& storage) {
  if (factorises(storage)) return ElementPath::factorised;
  if (computes(storage)) return ElementPath::on_the_fly;
  if (mixes(storage)) return ElementPath::mixed;
  return storage.values == sparse::Values::coded ? ElementPath::coded : ElementPath::precomputed;
}

std::vector<Plan> rank_plans(const Request& request, const Counts& counts,
                             const Resources& resources) {
  std::vector<Plan> plans;
  const bool computed = must_compute(request) || may_compute(request) || must_mix(request);
  const bool is_storable = counts.rows <= static_cast<double>(base::kLargestDimension);
  const bool stores = !must_compute(request) && (is_storable || !computed);
  if (resources.device) {
    const bool rated = leaves_format(request) && counts.profile && resources.rates;
    if (stores && rated) add_rated_plans(request, counts, resources, plans);
    if (stores && !rated)
      add_plans(request, counts, resources, choices(request, true), true, plans);
    if (computed) add_computed(request, counts, resources, true, 0, plans);
    if (computed && stores && !is_spins(request)) add_mixed(request, counts, resources, 0, plans);
    put_cramped_last(plans, 0);
  }
  if (resources.device && !request.backend.is_automatic()) return plans;
  const std::size_t first = plans.size();
  if (stores)
    add_plans(request, counts, resources,
              choices(request, false, profile_for_host(request, counts)), false, plans);
  if (computed) add_computed(request, counts, resources, false, first, plans);
  if (computed && stores && !is_spins(request)) add_mixed(request, counts, resources, first, plans);
  put_cramped_last(plans, first);
  return plans;
}

bool learns_anywhere(const Request& request) { return may_compute(request) || must_mix(request); }

std::optional<sparse::RowProfile> profile_for(const Request& request, const sparse::RowSource& rows,
                                              const base::Backend& backend) {
  const bool asks = asks_on_host(request) || !backend.is_host() || may_wait_for_a_device(request);
  if (!leaves_format(request) || !asks) return std::nullopt;
  if (rows.shape().rows > base::kLargestDimension) return std::nullopt;
  return if_there_is_room(MemoryOf::any, [&] {  // nothing is known where there is none to look
    return sparse::sample_profile(rows, vectors_at_once(request), backend.host());
  });
}

sparse::FormatOptions chosen_storage(const Request& request, const sparse::RowSource& rows,
                                     const base::Backend& backend) {
  if (must_compute(request)) return possible_storages(request, !backend.is_host()).front();
  Counts counts;
  counts.profile = profile_for(request, rows, backend);
  if (counts.profile) {
    counts.rows = static_cast<double>(counts.profile->rows);
    counts.nonzeros = counts.profile->nonzeros();
  }
  Request storing = request;
  if (!must_code(request) && !must_mix(request)) storing.elements.path = ElementPath::precomputed;
  std::vector<Plan> plans = rank_plans(storing, counts, Resources::of(backend, request.paces));
  std::erase_if(plans, [&](const Plan& plan) { return plan.on_device == backend.is_host(); });
  return plans[first_fitting(plans)].storage;
}

std::vector<sparse::FormatOptions> possible_storages(const Request& request, bool on_device) {
  if (must_compute(request)) return {not_stored(request)};
  std::vector<Choice> list = choices(request, on_device);
  if (!on_device && leaves_format(request) && !is_molecular(request))
    list.push_back({std::string(sparse::kDiagonal), ""});
  if (on_device && leaves_format(request))
    for (const sparse::Format& format : sparse::formats())
      if (format.product_seconds != nullptr &&
          std::ranges::find(list, format.name, &Choice::format) == list.end())
        list.push_back({std::string(format.name), ""});
  std::vector<sparse::FormatOptions> storages;
  for (const Choice& choice : list) storages.push_back(stored_as(request, choice));
  return storages;
}

void count_plans(std::vector<Plan>& plans, const sparse::RowSource& rows,
                 std::span<const sparse::Column> lengths, const base::Backend& backend) {
  for (Plan& plan : plans) {
    if (plan.computes() || plan.mixes()) continue;
    const base::Backend place = plan.on_device ? backend : backend.host();
    const Index all = sparse::plan_format(rows, lengths, plan.storage, place).memory.held;
    plan.demand.matrix = plan.share ? (all + plan.share->ranks - 1) / plan.share->ranks : all;
    if (plan.share) plan.share->matrix = plan.demand.matrix;
  }
}

std::size_t first_fitting(const std::vector<Plan>& plans) {
  const auto found = std::ranges::find_if(plans, &Plan::fits);
  return found == plans.end() ? 0 : static_cast<std::size_t>(found - plans.begin());
}

}  // namespace cisolve::job
