#include "app/plot/sweep_figures.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "app/config/schema.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

using base::concat;

std::optional<double> as_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Layout of a sweep's figure: one axis is x, the others name the curves.
struct Layout {
  std::string along;         // a key
  bool is_quantity = false;  // whether its values are numbers, not names
  std::vector<std::string> places;
  std::vector<std::string> others;
};

std::vector<std::string> labels_of(const Json& axis) {
  std::vector<std::string> labels;
  for (const Json& label : axis["values"].items()) labels.push_back(label.text());
  return labels;
}

// A seed is a name that happens to be a number.
bool is_quantity(const std::string& key, const std::vector<std::string>& labels) {
  if (last_of(key) == "seed") return false;
  return std::ranges::count_if(labels,
                               [](const auto& label) { return as_number(label).has_value(); }) > 2;
}

// The longest numeric axis is x; without one the first that is not the storage format, so that
// formats are drawn side by side.
Layout layout_of(const Json& record) {
  Layout layout;
  std::size_t longest = 0;
  for (const Json& axis : record["sweep"].items()) {
    const std::string key = axis["key"].text();
    const auto labels = labels_of(axis);
    const bool quantity = is_quantity(key, labels);
    const bool better = quantity && (!layout.is_quantity || labels.size() > longest);
    const bool first =
        layout.along.empty() || (!layout.is_quantity && layout.along == "storage.format");
    if (!better && !(first && !quantity)) continue;
    if (!better && layout.is_quantity) continue;
    layout.along = key;
    layout.is_quantity = quantity;
    layout.places = labels;
    longest = labels.size();
  }
  for (const Json& axis : record["sweep"].items())
    if (axis["key"].text() != layout.along) layout.others.push_back(axis["key"].text());
  return layout;
}

std::string curve_of(const Json& point, const Layout& layout) {
  std::string name;
  for (const std::string& key : layout.others) {
    const std::string value = point["values"][key].text();
    name += concat(name.empty() ? "" : ", ", as_number(value) ? last_of(key) + " " : "", value);
  }
  return name.empty() ? "as set" : name;
}

/// A number of a point, with how far it may be off.
struct Measured {
  double value = kNone;
  double error = 0;
};

struct Quantity {
  std::string name;
  std::string label;
  std::string caption;
  Measured (*of)(const Json& point);
  std::vector<Unit> units;
};

const Quantity kTimes{"times", "time of a product",
                      "Median time of a product; the bars show its spread.",
                      [](const Json& point) {
                        return Measured{number_or_none(point["product"]["median_s"]),
                                        number_or_none(point["product"]["spread_s"])};
                      },
                      time_units()};
const Quantity kRates{"rates",
                      "rate of the product",
                      "Rate of the product: twice its non-zeros, over its time.",
                      [](const Json& point) {
                        return Measured{number_or_none(point["product"]["gflops"]), 0};
                      },
                      {{"GFLOP/s", 1}}};
const Quantity kMemory{"memory", "memory", "Memory that holds the matrix.",
                       [](const Json& point) {
                         return Measured{number_or_none(point["operator"]["bytes"]), 0};
                       },
                       byte_units()};

/// Unit of the largest value.
Unit unit_of(const Json& record, const Quantity& quantity) {
  double largest = 0;
  for (const Json& point : record["points"].items())
    largest = std::max(largest, std::abs(quantity.of(point).value));
  return fitting_unit(quantity.units, largest);
}

bool is_boundary(const Layout& layout) { return layout.along == "storage.boundary"; }

/// Position on x of a point on a numeric axis; an automatic BOUNDARY is drawn at its chosen value.
double place_of(const Json& point, const Layout& layout) {
  const std::string label = point["values"][layout.along].text();
  if (const auto value = as_number(label)) return *value;
  return is_boundary(layout) ? number_or_none(point["operator"]["boundary"]) : kNone;
}

using Curve = std::vector<std::pair<double, Measured>>;

bool has_errors(const Curve& curve) {
  return std::ranges::any_of(curve, [](const auto& point) { return point.second.error > 0; });
}

std::string line_plot(const Layout& layout,
                      const std::vector<std::pair<std::string, Curve>>& curves,
                      const DataBlock& automatic) {
  std::string blocks;
  std::string plot;
  for (std::size_t i = 0; i < std::min(curves.size(), kMostCurves); ++i) {
    DataBlock block(concat("$curve", i));
    Curve sorted = curves[i].second;
    std::ranges::sort(sorted, {}, &Curve::value_type::first);
    for (const auto& [x, measured] : sorted)
      if (std::isfinite(x)) block.add({cell(x), cell(measured.value), cell(measured.error)});
    if (block.empty()) continue;
    blocks += block.text();
    plot +=
        concat(plot.empty() ? "plot " : ", \\\n     ", block.name(),
               has_errors(sorted) ? " using 1:2:3 with yerrorlines" : " with linespoints",
               " lw 2 pt 7 ps 0.6 lc rgb ", colour(i), " title ", gnuplot_text(curves[i].first));
  }
  if (plot.empty()) return {};
  if (!automatic.empty()) {
    blocks += automatic.text();
    plot +=
        ", \\\n     $automatic using 1:2 with points pt 4 ps 1.6 lw 2 lc rgb '#222222' title "
        "'boundary: auto'";
  }
  // Margin beside the first and the last point, which may have bars.
  return blocks + "set autoscale xfix\nset offsets graph 0.03, graph 0.03, 0, 0\nset xlabel " +
         gnuplot_text(is_boundary(layout) ? "BOUNDARY" : last_of(layout.along)) + " noenhanced\n" +
         plot + "\n";
}

std::string bar_plot(const Layout& layout,
                     const std::map<std::string, std::map<std::string, double>>& bars,
                     const std::vector<std::string>& names) {
  DataBlock block("$bars");
  for (const std::string& place : layout.places) {
    std::vector<std::string> cells{gnuplot_text(place)};
    for (const std::string& name : names) {
      const auto found = bars.at(name).find(place);
      cells.push_back(cell(found == bars.at(name).end() ? kNone : found->second));
    }
    block.add(cells);
  }
  std::string plot = "plot ";
  for (std::size_t i = 0; i < std::min(names.size(), kMostCurves); ++i)
    plot += concat(i == 0 ? "" : ", \\\n     ", "$bars using ", i + 2, i == 0 ? ":xtic(1)" : "",
                   " lc rgb ", colour(i), " title ", gnuplot_text(names[i]));
  return block.text() +
         "set style data histograms\nset style histogram clustered gap 1\nset xtics scale 0 "
         "noenhanced\nset xlabel " +
         gnuplot_text(last_of(layout.along)) + " noenhanced\n" + plot + "\n";
}

void add_quantity(const Json& record, const Layout& layout, const Quantity& quantity,
                  std::vector<Figure>& figures) {
  std::vector<std::string> names;
  std::map<std::string, Curve> curves;
  std::map<std::string, std::map<std::string, double>> bars;
  DataBlock automatic("$automatic");
  const Unit unit = unit_of(record, quantity);
  for (const Json& point : record["points"].items()) {
    Measured measured = quantity.of(point);
    if (!std::isfinite(measured.value)) continue;
    measured = {measured.value / unit.size, measured.error / unit.size};
    const std::string name = curve_of(point, layout);
    if (!curves.contains(name)) names.push_back(name);
    const double x = place_of(point, layout);
    const std::string label = point["values"][layout.along].text();
    curves[name].emplace_back(x, measured);
    bars[name][label] = measured.value;
    if (layout.is_quantity && is_boundary(layout) && !as_number(label))
      automatic.add({cell(x), cell(measured.value)});
  }
  if (names.empty()) return;
  std::vector<std::pair<std::string, Curve>> in_order;
  for (const std::string& name : names) in_order.emplace_back(name, curves[name]);
  const std::string body =
      layout.is_quantity ? line_plot(layout, in_order, automatic) : bar_plot(layout, bars, names);
  if (body.empty()) return;
  std::string head =
      concat("set ylabel ", gnuplot_text(concat(quantity.label, " (", unit.name, ')')),
             "\nset yrange [0:*]\n");
  if (names.size() == 1 && automatic.empty()) head += "unset key\n";
  const auto groups = static_cast<int>(layout.places.size() * names.size());
  figures.push_back({quantity.name, quantity.caption, head + body,
                     layout.is_quantity ? 720 : std::clamp(120 + 22 * groups, 640, 1400), 480});
}

// Adds one curve of energies per state; only along numeric axes, such as a bond length.
void add_energies(const Json& record, const Layout& layout, std::vector<Figure>& figures) {
  if (!layout.is_quantity) return;
  std::map<std::string, std::vector<Curve>> curves;
  for (const Json& point : record["points"].items()) {
    const auto& energies = point["energies"].items();
    auto& states = curves[curve_of(point, layout)];
    if (states.size() < energies.size()) states.resize(energies.size());
    for (std::size_t j = 0; j < energies.size(); ++j)
      states[j].emplace_back(place_of(point, layout), Measured{number_or_none(energies[j]), 0});
  }
  std::vector<std::pair<std::string, Curve>> in_order;
  for (const auto& [name, states] : curves)
    for (std::size_t j = 0; j < states.size(); ++j)
      in_order.emplace_back(
          concat("state ", j + 1, curves.size() > 1 ? ", " + name : std::string()), states[j]);
  const std::string body = line_plot(layout, in_order, DataBlock("$none"));
  if (!body.empty())
    figures.push_back({"energies", "Energies of the lowest states along the sweep.",
                       "set ylabel 'energy'\n" + body});
}

}  // namespace

std::vector<Figure> sweep_figures(const Json& record) {
  const Layout layout = layout_of(record);
  std::vector<Figure> figures;
  if (layout.along.empty()) return figures;
  for (const Quantity& quantity : {kTimes, kRates, kMemory})
    add_quantity(record, layout, quantity, figures);
  add_energies(record, layout, figures);
  return figures;
}

}  // namespace cisolve::app
