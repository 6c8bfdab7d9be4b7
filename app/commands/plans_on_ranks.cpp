#include "app/commands/plans_on_ranks.hpp"

#include <ostream>

#include "app/report/table.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "job/plan/gpu_models.hpp"

namespace cisolve::app {
namespace {

constexpr double kGiga = 1e9;
constexpr double kMicro = 1e-6;

job::Network network_of(const PlannedRanks& planned, bool on_devices) {
  const auto ranks = static_cast<int>(planned.count);
  job::Network network =
      on_devices ? job::Network::of_devices(ranks) : job::Network{.ranks = ranks};
  network.on_node = static_cast<int>(planned.on_node);
  if (planned.link) network.link = *planned.link * kGiga;
  if (planned.network) network.network = *planned.network * kGiga;
  if (planned.latency) network.latency = *planned.latency * kMicro;
  return network;
}

const char* origin_of(const std::optional<double>& given) { return given ? "given" : "built in"; }

std::string seconds_or_none(const std::optional<double>& seconds) {
  return seconds ? base::human_seconds(*seconds) : "unknown";
}

std::string bytes_of(double bytes) { return base::human_bytes(job::whole_bytes(bytes)); }

void write_machine(std::ostream& out, const PlansOnRanks& found) {
  const job::Network& network = found.resources.network;
  const PlannedRanks& planned = found.planned;
  out << "ranks      " << network.ranks << ", " << network.on_node << " on a node, "
      << (planned.card.empty() ? "this machine" : planned.card) << ": link "
      << base::brief(network.link / kGiga) << " GB/s (" << origin_of(planned.link) << "), network "
      << base::brief(network.network / kGiga) << " GB/s (" << origin_of(planned.network)
      << "), latency " << base::human_seconds(network.latency) << " (" << origin_of(planned.latency)
      << ")\n";
}

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json plan_record(const job::Plan& plan, const job::RankPortion& portion,
                 const std::string& missing) {
  return Json::object({{"elements", std::string(job::word_of(plan.elements()))},
                       {"format", plan.stores() ? Json(plan.storage.format) : Json()},
                       {"on", plan.on_device ? "device" : "host"},
                       {"matrix_bytes", portion.matrix},
                       {"vectors_bytes", portion.vectors},
                       {"whole_bytes", portion.gathered},
                       {"results_bytes", portion.results},
                       {"limit_bytes", plan.limit},
                       {"sent_bytes", portion.traffic.sent()},
                       {"received_bytes", portion.traffic.received()},
                       {"computed_s", optional_number(portion.computed_seconds)},
                       {"told_s", portion.communication_seconds},
                       {"product_s", optional_number(plan.product_seconds)},
                       {"efficiency", optional_number(portion.efficiency())},
                       {"fits", missing.empty()},
                       {"missing", missing}});
}

std::string missing_of(const PlansOnRanks& found, const job::Plan& plan) {
  return job::missing_memory_text(plan, found.counts, found.resources.host);
}

}  // namespace

job::Resources resources_of(const PlannedRanks& planned, const job::Resources& this_machine,
                            const job::Request& request) {
  job::Resources planned_resources = this_machine;
  planned_resources.host = request.memory.value_or(planned_resources.host);
  if (planned.card.empty())
    return planned_resources.among(network_of(planned, this_machine.device.has_value()));
  const auto card = job::gpu_model_named(planned.card);
  if (!card)
    base::fail(base::ErrorKind::usage, "--card is ", planned.card, "; expected one of ",
               job::gpu_model_names());
  planned_resources.device =
      request.device_memory.value_or(base::default_device_limit(card->bytes));
  planned_resources.rates = card->rates;
  return planned_resources.among(network_of(planned, true));
}

void write_plans_on_ranks(std::ostream& out, const PlansOnRanks& found) {
  write_machine(out, found);
  Table table({"per rank", "matrix", "vectors", "gathered", "available", "sends", "receives",
               "computes", "exchanges", "product", "efficiency"});
  std::string missing;
  for (const job::Plan& plan : found.plans) {
    if (!plan.portion) continue;
    const job::RankPortion& portion = *plan.portion;
    const auto efficiency = portion.efficiency();
    table.add({plan.text(), base::human_bytes(portion.matrix), base::human_bytes(portion.vectors),
               base::human_bytes(portion.gathered), base::human_bytes(plan.limit),
               bytes_of(portion.traffic.sent()), bytes_of(portion.traffic.received()),
               seconds_or_none(portion.computed_seconds),
               base::human_seconds(portion.communication_seconds),
               seconds_or_none(plan.product_seconds),
               efficiency ? base::percent(*efficiency) : "unknown"});
    const std::string lacks = missing_of(found, plan);
    missing += plan.text() + ": " + (lacks.empty() ? "fits" : "DOES NOT FIT; " + lacks) + '\n';
  }
  table.write(out);
  out << missing;
}

Json plans_on_ranks_record(const PlansOnRanks& found) {
  const job::Network& network = found.resources.network;
  std::vector<Json> plans;
  for (const job::Plan& plan : found.plans)
    if (plan.portion) plans.push_back(plan_record(plan, *plan.portion, missing_of(found, plan)));
  return Json::object({{"count", network.ranks},
                       {"on_node", network.on_node},
                       {"card", found.planned.card.empty() ? Json() : Json(found.planned.card)},
                       {"rows", found.counts.rows},
                       {"link_bytes_s", network.link},
                       {"network_bytes_s", network.network},
                       {"latency_s", network.latency},
                       {"plans", Json::array(std::move(plans))}});
}

}  // namespace cisolve::app
