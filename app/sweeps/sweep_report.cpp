#include "app/sweeps/sweep_report.hpp"

#include <algorithm>
#include <functional>
#include <ostream>

#include "app/config/schema.hpp"
#include "app/report/records.hpp"
#include "app/report/table.hpp"
#include "app/report/tables.hpp"
#include "base/number.hpp"
#include "job/request/elements.hpp"

namespace cisolve::app {
namespace {

// Optional columns: those that the axes do not show already and that some point fills.
struct Columns {
  bool format = true;
  bool boundary = false;
  bool energies = false;
  std::size_t states = 0;
};

bool is_axis(const Configuration& configuration, std::string_view key) {
  return std::ranges::find(configuration.sweep.axes, key, &SweepAxis::key) !=
         configuration.sweep.axes.end();
}

std::string stored_as(const SweepPoint& point) {
  return sparse::display_name(point.product.format, point.form.storage.values);
}

// Whether format and values are as requested. A format without codes is replaced by one that has
// them, and codes by plain values if there are too many values.
bool is_stored_as_named(const SweepPoint& point) {
  if (point.samples.size() == 0) return true;
  const job::Request& wanted = point.configuration->request;
  const bool is_coded = point.form.storage.values == sparse::ValueEncoding::coded;
  return (!job::names_format(wanted) || wanted.storage.format == point.product.format) &&
         is_coded == job::must_code(wanted);
}

Columns columns_of(const Configuration& configuration, std::span<const SweepPoint> points) {
  Columns columns;
  columns.format =
      !is_axis(configuration, "storage.format") || !std::ranges::all_of(points, is_stored_as_named);
  for (const SweepPoint& point : points) {
    if (has_boundary(point.product.format) &&
        (!is_axis(configuration, "storage.boundary") || point.form.storage.boundary < 0))
      columns.boundary = true;
    columns.states = std::max(columns.states, point.energies.size());
  }
  return columns;
}

void add_measured(std::vector<std::string>& row, const SweepPoint& point, const Columns& columns) {
  const job::MeasuredProduct& product = point.product;
  if (columns.format) row.push_back(stored_as(point));
  if (columns.boundary)
    row.push_back(has_boundary(product.format) ? std::to_string(product.boundary) : "");
  const job::Times& times = product.times;
  row.insert(row.end(),
             {base::human_seconds(times.median), base::percent(times.spread / times.median),
              base::brief(product.gflops()), base::brief(product.gbytes()),
              base::mebibytes(product.memory.by_formula), base::mebibytes(product.memory.held),
              base::percent(padding_fraction(product.memory, product.nonzeros))});
}

Json point_record(const Configuration& configuration, const SweepPoint& point, Index number) {
  std::vector<Json::Member> values;
  for (std::size_t i = 0; i < point.labels.size(); ++i)
    values.emplace_back(configuration.sweep.axes[i].key, point.labels[i]);
  std::vector<Json::Member> members{{"number", number},
                                    {"values", Json::object(std::move(values))},
                                    {"earlier_run", point.earlier_run},
                                    {"passed", !point.failed()},
                                    {"reason", point.failed() ? Json(point.reason) : Json()}};
  if (point.samples.size() > 0) {
    job::Request::Product how = point.configuration->request.product;
    how.repeat = point.samples.size();
    members.emplace_back(
        "backend", Json::object({{"name", point.product.backend}, {"threads", point.threads}}));
    members.emplace_back("operator", operator_record(point.product, point.form.storage,
                                                     point.form.method->elements));
    members.emplace_back("padding_share",
                         padding_fraction(point.product.memory, point.product.nonzeros));
    members.emplace_back("product", product_record(point.product, how));
    members.emplace_back("verification", verification_record(point.product.check));
    members.emplace_back("build_s", point.product.build_seconds);
  }
  if (!point.energies.empty()) {
    members.emplace_back("energies", Json::array({point.energies.begin(), point.energies.end()}));
    members.emplace_back("solved", point.solved);
  }
  return Json::object(std::move(members));
}

// "1, 4": numbers of the points that fulfil a condition.
template <class Meant>
std::string numbers_of(std::span<const SweepPoint> points, Meant meant) {
  std::string numbers;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (meant(points[i])) numbers += (numbers.empty() ? "" : ", ") + std::to_string(i + 1);
  return numbers;
}

void write_origins(std::ostream& out, std::span<const SweepPoint> points) {
  const std::string earlier = numbers_of(points, std::mem_fn(&SweepPoint::earlier_run));
  if (!earlier.empty()) out << "measured before the sweep was interrupted: " << earlier << '\n';
}

}  // namespace

std::vector<std::string> failures(std::span<const SweepPoint> points) {
  std::vector<std::string> reasons;
  std::vector<std::string> reported;
  for (const SweepPoint& point : points) {
    if (!point.failed() || std::ranges::find(reasons, point.reason) != reasons.end()) continue;
    const auto alike = [&](const SweepPoint& other) { return other.reason == point.reason; };
    reported.push_back(numbers_of(points, alike) + ": " + point.reason);
    reasons.push_back(point.reason);
  }
  return reported;
}

double padding_fraction(const sparse::MemoryUse& memory, Index nonzeros) {
  const Index stored = nonzeros + memory.padding;
  return stored == 0 ? 0 : static_cast<double>(memory.padding) / static_cast<double>(stored);
}

void write_sweep_table(std::ostream& out, const Configuration& configuration,
                       std::span<const SweepPoint> points) {
  const Columns columns = columns_of(configuration, points);
  std::vector<std::string> header{"point"};
  for (const SweepAxis& axis : configuration.sweep.axes) header.push_back(last_of(axis.key));
  if (columns.format)
    header.emplace_back(is_axis(configuration, "storage.format") ? "stored as" : "format");
  if (columns.boundary) header.emplace_back("BOUNDARY");
  header.insert(header.end(),
                {"median", "spread", "GFLOP/s", "GB/s", "by formula", "held", "padding"});
  for (std::size_t j = 0; j < columns.states; ++j)
    header.push_back("energy " + std::to_string(j + 1));
  header.emplace_back("");
  Table table(header);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SweepPoint& point = points[i];
    std::vector<std::string> row{std::to_string(i + 1)};
    row.insert(row.end(), point.labels.begin(), point.labels.end());
    if (point.samples.size() > 0) add_measured(row, point, columns);
    row.resize(header.size() - 1 - columns.states);
    for (const double energy : point.energies) row.push_back(base::fixed(energy, 10));
    row.resize(header.size() - 1);
    row.emplace_back(point.failed() ? "FAILED" : "ok");
    table.add(std::move(row));
  }
  table.write(out);
  write_origins(out, points);
  for (const std::string& failure : failures(points)) out << "FAILED at " << failure << '\n';
}

void write_automatic_choices(std::ostream& out, std::span<const SweepPoint> points,
                             std::span<const AutomaticChoice> choices) {
  for (const AutomaticChoice& choice : choices) {
    const job::MeasuredProduct& mine = points[choice.point].product;
    const job::MeasuredProduct& best = points[choice.best].product;
    out << "point " << choice.point + 1 << ": boundary auto is " << mine.boundary << ", ";
    if (choice.point == choice.best)
      out << "the fastest boundary\n";
    else
      out << base::percent(choice.slower) << " slower than boundary " << best.boundary << " (point "
          << choice.best + 1 << "); the spread is " << base::percent(choice.spread) << '\n';
  }
  if (!choices.empty())
    out << "rule: " << boundary_reason(points[choices.front().point].form.storage.policy) << '\n';
}

Json axes_record(const Configuration& configuration) {
  std::vector<Json> axes;
  for (const SweepAxis& axis : configuration.sweep.axes) {
    std::vector<Json> values;
    for (const SweepValue& value : axis.values) values.emplace_back(value.label);
    axes.push_back(Json::object({{"key", axis.key}, {"values", Json::array(std::move(values))}}));
  }
  return Json::array(std::move(axes));
}

Json points_record(const Configuration& configuration, std::span<const SweepPoint> points) {
  std::vector<Json> items;
  for (std::size_t i = 0; i < points.size(); ++i)
    items.push_back(point_record(configuration, points[i], static_cast<Index>(i + 1)));
  return Json::array(std::move(items));
}

Json choices_record(std::span<const SweepPoint> points, std::span<const AutomaticChoice> choices) {
  std::vector<Json> items;
  for (const AutomaticChoice& choice : choices)
    items.push_back(
        Json::object({{"point", static_cast<Index>(choice.point + 1)},
                      {"boundary", points[choice.point].product.boundary},
                      {"best_point", static_cast<Index>(choice.best + 1)},
                      {"best_boundary", points[choice.best].product.boundary},
                      {"slower_by", choice.slower},
                      {"spread", choice.spread},
                      {"reason", boundary_reason(points[choice.point].form.storage.policy)},
                      {"holds", choice.holds()}}));
  return Json::array(std::move(items));
}

}  // namespace cisolve::app
