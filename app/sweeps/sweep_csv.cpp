#include <algorithm>

#include "app/report/tables.hpp"
#include "app/sweeps/sweep_report.hpp"
#include "base/number.hpp"

namespace cisolve::app {
namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  return line + "\r\n";
}

std::vector<std::string> measured_cells(const SweepPoint& point) {
  const job::MeasuredProduct& product = point.product;
  const job::Times& times = product.times;
  return {product.format,
          has_boundary(product.format) ? std::to_string(product.boundary) : "",
          product.backend,
          std::to_string(point.threads),
          std::to_string(product.vectors),
          std::to_string(product.nonzeros),
          base::shortest(times.median),
          base::shortest(times.spread),
          base::shortest(times.fastest),
          base::shortest(times.cpu),
          base::shortest(product.gflops()),
          base::shortest(product.gbytes()),
          std::to_string(product.memory.by_formula),
          std::to_string(product.memory.held),
          std::to_string(product.memory.padding),
          base::shortest(padding_fraction(product.memory, product.nonzeros)),
          base::shortest(product.build_seconds)};
}

const std::vector<std::string>& measured_names() {
  static const std::vector<std::string> names{
      "format",           "boundary", "backend",   "threads",       "vectors", "nonzeros",
      "median_s",         "spread_s", "fastest_s", "cpu_s",         "gflops",  "gbytes_per_s",
      "bytes_by_formula", "bytes",    "padding",   "padding_share", "build_s"};
  return names;
}

std::size_t most_states(std::span<const SweepPoint> points) {
  std::size_t most = 0;
  for (const SweepPoint& point : points) most = std::max(most, point.energies.size());
  return most;
}

}  // namespace

std::string sweep_csv(const Configuration& configuration, std::span<const SweepPoint> points) {
  const std::size_t states = most_states(points);
  std::vector<std::string> header{"point"};
  for (const SweepAxis& axis : configuration.sweep.axes) header.push_back("set." + axis.key);
  header.insert(header.end(), measured_names().begin(), measured_names().end());
  for (std::size_t j = 0; j < states; ++j) header.push_back("energy_" + std::to_string(j + 1));
  header.insert(header.end(), {"earlier_run", "passed", "reason"});
  std::string text = line_of(header);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SweepPoint& point = points[i];
    std::vector<std::string> cells{std::to_string(i + 1)};
    cells.insert(cells.end(), point.labels.begin(), point.labels.end());
    const std::size_t before = cells.size() + measured_names().size();
    if (point.samples.size() > 0)
      for (std::string& cell : measured_cells(point)) cells.push_back(std::move(cell));
    cells.resize(before);
    for (const double energy : point.energies) cells.push_back(base::shortest(energy));
    cells.resize(before + states);
    cells.emplace_back(point.earlier_run ? "true" : "false");
    cells.emplace_back(point.failed() ? "false" : "true");
    cells.push_back(point.reason);
    text += line_of(cells);
  }
  return text;
}

}  // namespace cisolve::app
