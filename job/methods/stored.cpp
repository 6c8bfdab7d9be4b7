#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/ranks/collective_errors.hpp"
#include "base/ranks/distributed_operator.hpp"
#include "base/stopwatch.hpp"
#include "ci/hamiltonian/on_the_fly/product_seconds.hpp"
#include "ci/hamiltonian/rows/chosen_rows.hpp"
#include "job/methods/computed_rows.hpp"
#include "job/methods/stored.hpp"
#include "job/problem/determinant_problem.hpp"
#include "sparse/diagonal/diagonal.hpp"
#include "sparse/distributed/distributed_matrix.hpp"
#include "sparse/distributed/rank_rows.hpp"
#include "sparse/distributed/stored_rows.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/formats.hpp"
#include "sparse/stored/plan.hpp"

// Products with elements that are all stored, as they are or as codes for few values.
namespace cisolve::job {
namespace {

constexpr const char* kNamed = "set by storage.elements";

struct Choice {
  std::string format;
  std::string reason;
  sparse::ValueEncoding values = sparse::ValueEncoding::plain;
};

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
    list.push_back({format, kNamed, sparse::ValueEncoding::coded});
  return list;
}

std::vector<Choice> host_choices(const std::optional<sparse::RowProfile>& profile) {
  std::vector<Choice> list{{"hybrid", "the host's products read it in one stream"}};
  if (profile && profile->has_diagonals())
    list.insert(list.begin(),
                {std::string(sparse::kDiagonal), "full diagonals need no column indices"});
  return list;
}

// Formats for the device or the host, the best one first; for a device as long as nothing is known
// of the rows.
std::vector<Choice> choices(const Request& request, bool on_device,
                            const std::optional<sparse::RowProfile>& profile) {
  const sparse::ValueEncoding given = request.storage.values;
  if (must_code(request)) return coded_choices(request);
  if (request.storage.format != "auto")
    return {{request.storage.format, "set by storage.format", given}};
  if (names_boundary(request)) return {{"hybrid", "only this format has a BOUNDARY", given}};
  if (on_device)
    return {{"tiled", "its product reads the fewest bytes"}, {"csr", "it has no padding"}};
  // A host uses the profile only if requested; other rows were sampled for a device.
  return host_choices(depends_on_rows(request) ? profile : std::nullopt);
}

/// Whether the program may choose these values: codes only if a request leaves elements to it, and
/// in tiles only for molecules, whose elements have few magnitudes.
bool may_store(const Request& request, const sparse::Format& format, sparse::ValueEncoding values) {
  if (values == sparse::ValueEncoding::plain) return true;
  if (request.elements.path != ElementPath::automatic && !must_mix(request)) return false;
  return format.name != "tiled" || has_determinants(request);
}

ProductForm form_of(const Request& request, const Choice& choice) {
  sparse::FormatOptions storage = request.storage;
  storage.format = choice.format;
  storage.values = choice.values;
  storage.vectors = vectors_at_once(request);
  return stored_form(std::move(storage));
}

/// Whether the choice follows from the profile of the rows and the rates of the device.
bool is_rated(const PlanInput& input, bool on_device) {
  return on_device && leaves_format(input.request) && input.counts.profile && input.resources.rates;
}

/// The plans that store these values, if a request leaves elements to be stored so.
std::vector<Plan> offer_stored(const PlanInput& input, bool on_device, ElementPath named,
                               sparse::ValueEncoding values) {
  const ElementPath path = input.request.elements.path;
  if ((path != named && path != ElementPath::automatic) || !is_storable(input)) return {};
  return stored_plans(input, on_device, values);
}

std::vector<Plan> offer_precomputed(const PlanInput& input, bool on_device) {
  return offer_stored(input, on_device, ElementPath::precomputed, sparse::ValueEncoding::plain);
}

std::vector<Plan> offer_coded(const PlanInput& input, bool on_device) {
  return offer_stored(input, on_device, ElementPath::coded, sparse::ValueEncoding::coded);
}

std::optional<double> seconds_of_product(const PlanInput& input, const ProductForm& form,
                                         bool on_device) {
  const auto& [request, counts, resources] = input;
  if (!counts.profile || (on_device && !resources.rates) || form.storage.format == "auto")
    return std::nullopt;
  sparse::RowProfile profile = *counts.profile;
  profile.vectors = input.vectors();
  const sparse::Format& format = sparse::format_named(form.storage.format);
  const MachineFactors& factors = resources.factors(on_device);
  const double factor = form.is_coded() ? factors.coded : factors.stored;
  if (!on_device)
    return factor * format.host_seconds(profile, form.storage.values, resources.threads);
  const bool coded = form.is_coded() && format.coded;
  const auto seconds = coded ? format.coded->product_seconds : format.product_seconds;
  if (seconds == nullptr) return std::nullopt;
  const double found = seconds(profile, *resources.rates);
  return std::isfinite(found) ? std::optional(factor * found) : std::nullopt;
}

// One walk counts the rows, one fills them, and another one counts codes.
std::optional<double> seconds_of_storing(const PlanInput& input, const ProductForm& form,
                                         bool on_device) {
  const auto& [request, counts, resources] = input;
  if (!counts.profile) return std::nullopt;
  const sparse::RowProfile& profile = *counts.profile;
  const double factors = resources.factors(on_device).making;
  const bool sorts =
      form.storage.format != "auto" && sparse::format_named(form.storage.format).sorts_into_tiles;
  if (!on_device) {
    const double walks = counts.work ? ci::walk_seconds_to_store_on_host(counts.work->walk) : 0;
    const bool in_tiles = sorts && sparse::has_tiles_on_host(profile);
    return factors * (sparse::storing_seconds_on_host(profile, in_tiles, resources.threads) +
                      walks / resources.threads);
  }
  const bool codes = sorts && form.is_coded();
  const double walk =
      counts.work && resources.rates
          ? ci::walk_seconds_on_device(counts.work->walk, counts.rows, *resources.rates)
          : 0;
  return factors *
         (sparse::storing_seconds_on_device(profile, sorts, codes) + (codes ? 3 : 2) * walk);
}

/// Each rank builds and holds its own part.
ProductCost stored_cost(const PlanInput& input, const ProductForm& form, bool on_device) {
  const int ranks = input.ranks();
  ProductCost found;
  found.bytes = (least_matrix_bytes(form.storage, input.counts) + ranks - 1) / ranks;
  found.product_seconds = seconds_of_product(input, form, on_device);
  found.setup_seconds = seconds_of_storing(input, form, on_device);
  if (found.setup_seconds) *found.setup_seconds /= ranks;
  return found;
}

/// A host fetches the rows of x that its elements need; a device gathers whole vectors.
RankVectors stored_vectors(const EvenPortion& portion) {
  const PlanInput& input = portion.input;
  const double all = input.counts.rows;
  const double own = portion.rows();
  if (portion.on_device) return gathered_vectors(portion);
  // Upper bound: every element needs a different row, as long as there are any.
  const double fetched = std::min(all - own, std::max(input.counts.nonzeros, all) / input.ranks());
  constexpr int kOfFetching = 3;  // send buffer, receive buffer, destination
  return {.traffic = traffic_of_fetch(fetched, fetched, input.vectors()),
          .numbers = own + kOfFetching * fetched,
          .pieces = static_cast<double>(input.ranks())};
}

PreparedProduct build_stored(const BuildInput& input) {
  const base::Stopwatch stopwatch;
  input.computed = {};
  auto matrix = sparse::build_matrix(WatchedRows(*input.rows, input.watch), input.form.storage,
                                     input.backend);
  MeasuredProduct description = describe_matrix(*matrix, stopwatch.seconds());
  return {std::move(matrix), RowsIn::stored_order, std::move(description)};
}

/// The rows of a partition in canonical order; null if that is theirs.
std::unique_ptr<sparse::RowSource> in_canonical_order(const ProblemRows& rows) {
  const DeterminantRows* molecular = rows.determinants();
  if (molecular == nullptr || molecular->determinant_problem().partition->is_canonical())
    return nullptr;
  return std::make_unique<ci::ChosenRows>(molecular->hamiltonian());
}

MeasuredProduct describe(const sparse::DistributedMatrix& matrix,
                         const sparse::FormatOptions& storage, double seconds) {
  MeasuredProduct found;
  found.format = storage.format;
  if (matrix.own() != nullptr) found = describe_matrix(*matrix.own(), seconds);
  found.memory.held = matrix.description().bytes_held;
  return found;
}

/// Consecutive determinant rows in canonical order, which a device fills itself.
ci::ChosenRows neighbours_of(const ci::HamiltonianRows& h, Index first, Index count) {
  std::vector<base::Column> rows(count);
  std::iota(rows.begin(), rows.end(), static_cast<base::Column>(first));
  return ci::ChosenRows(h, rows);
}

std::unique_ptr<sparse::StoredRows> store_rows(const ProblemRows& rows, Index first, Index count,
                                               const sparse::FormatOptions& storage,
                                               const base::Backend& device) {
  const base::Backend host = device.host();
  if (const DeterminantRows* molecular = rows.determinants()) {
    const ci::HamiltonianRows& h = molecular->hamiltonian();
    const base::Array<double> all = h.diagonal().all();
    return std::make_unique<sparse::StoredRows>(
        neighbours_of(h, first, count), first,
        base::Array<double>::copy_of(all.span().subspan(first, count), host, "a diagonal"), storage,
        device);
  }
  const sparse::ConsecutiveRows mine(*rows, first, count);
  const auto lengths = sparse::row_lengths(mine, host);
  return std::make_unique<sparse::StoredRows>(
      mine, first, sparse::diagonal_of(mine, lengths.span(), first, host), storage, device);
}

/// Gathering whole vectors is faster for devices than packing the rows that others need.
DistributedProduct build_distributed_on_devices(const base::Communicator& ranks,
                                                const ProblemRows& rows,
                                                const sparse::FormatOptions& storage,
                                                const base::Backend& device, const Watch& watch) {
  const base::Stopwatch stopwatch;
  const auto ordered = in_canonical_order(rows);
  const WatchedRows all(ordered ? *ordered : *rows, watch);
  const base::Layout layout = sparse::distribute_rows(ranks, all, device.host());
  ranks.device_channel(device);  // collective, before any rank may fail
  std::unique_ptr<sparse::StoredRows> mine;
  base::run_collectively(ranks, [&] {
    mine = store_rows(rows, layout.first_of(ranks.rank()), layout.count(ranks.rank()), storage,
                      device);
  });
  MeasuredProduct description;
  description.format = storage.format;
  if (mine->matrix() != nullptr)
    description = describe_matrix(*mine->matrix(), stopwatch.seconds());
  std::unique_ptr<base::LinearOperator> product;
  base::run_collectively(ranks, [&] {
    product = base::make_distributed_operator(ranks, layout, std::move(mine), device);
  });
  return {{std::move(product), RowsIn::canonical_order, std::move(description)}, layout};
}

DistributedProduct distribute_rows(const base::Communicator& ranks, const ProblemRows& rows,
                                   const sparse::FormatOptions& storage,
                                   const base::Backend& backend, const Watch& watch) {
  if (!backend.is_host()) return build_distributed_on_devices(ranks, rows, storage, backend, watch);
  const base::Stopwatch stopwatch;
  const auto ordered = in_canonical_order(rows);
  const WatchedRows all(ordered ? *ordered : *rows, watch);
  base::Layout layout = sparse::distribute_rows(ranks, all, backend.host());
  auto matrix = std::make_unique<sparse::DistributedMatrix>(ranks, all, layout, storage, backend);
  MeasuredProduct description = describe(*matrix, storage, stopwatch.seconds());
  return {{std::move(matrix), RowsIn::canonical_order, std::move(description)}, std::move(layout)};
}

DistributedProduct build_distributed_stored(const base::Communicator& ranks,
                                            const BuildInput& input) {
  input.computed = {};
  return distribute_rows(ranks, input.rows, input.form.storage, input.backend, input.watch);
}

}  // namespace

const ProductMethod kPrecomputed{.elements = ElementPath::precomputed,
                                 .text = "",
                                 .stores = true,
                                 .computes = false,
                                 .offer = offer_precomputed,
                                 .forms = possible_stored_forms,
                                 .cost = stored_cost,
                                 .rank_vectors = stored_vectors,
                                 .build = build_stored,
                                 .build_distributed = build_distributed_stored};

const ProductMethod kCoded{.elements = ElementPath::coded,
                           .text = "",
                           .stores = true,
                           .computes = false,
                           .offer = offer_coded,
                           .forms = possible_stored_forms,
                           .cost = stored_cost,
                           .rank_vectors = stored_vectors,
                           .build = build_stored,
                           .build_distributed = build_distributed_stored};

ProductForm stored_form(sparse::FormatOptions storage) {
  const bool coded = storage.values == sparse::ValueEncoding::coded;
  return {coded ? &kCoded : &kPrecomputed, std::move(storage)};
}

bool is_storable(const PlanInput& input) {
  return input.counts.rows <= static_cast<double>(base::kLargestDimension) ||
         !(may_compute(input.request) || must_mix(input.request));
}

std::vector<Plan> stored_plans(const PlanInput& input, bool on_device,
                               std::optional<sparse::ValueEncoding> only) {
  const auto& [request, counts, resources] = input;
  std::vector<Plan> plans;
  if (!is_rated(input, on_device)) {
    for (const Choice& choice : choices(request, on_device, counts.profile))
      if (!only || *only == choice.values)
        plans.push_back(plan_of(input, form_of(request, choice), on_device, choice.reason));
    return plans;
  }
  for (const auto& [format, values, seconds] :
       sparse::rank_formats(*counts.profile, *resources.rates)) {
    if (!may_store(request, *format, values) || (only && *only != values)) continue;
    plans.push_back(
        plan_of(input, form_of(request, {std::string(format->name), "", values}), on_device));
    plans.back().reason = times_of(plans.back());
  }
  std::ranges::stable_sort(plans, std::ranges::less{}, &Plan::whole_seconds);
  return plans;
}

std::vector<ProductForm> possible_stored_forms(const Request& request, bool on_device) {
  std::vector<Choice> list = choices(request, on_device, std::nullopt);
  if (!on_device && leaves_format(request) && !has_determinants(request))
    list.push_back({std::string(sparse::kDiagonal), ""});
  if (on_device && leaves_format(request))
    for (const sparse::Format& format : sparse::formats())
      if (format.product_seconds != nullptr &&
          std::ranges::find(list, format.name, &Choice::format) == list.end())
        list.push_back({std::string(format.name), ""});
  std::vector<ProductForm> forms;
  for (const Choice& choice : list) forms.push_back(form_of(request, choice));
  return forms;
}

}  // namespace cisolve::job
