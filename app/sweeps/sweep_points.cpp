#include "app/sweeps/sweep_points.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "app/config/load.hpp"
#include "app/report/tables.hpp"
#include "base/error.hpp"
#include "job/ranking/rank_plans.hpp"

namespace cisolve::app {
namespace {

constexpr std::string_view kBoundary = "storage.boundary";

// Keys not listed change the matrix; so does `memory`, which the generated rows share.
bool leaves_matrix(std::string_view key) {
  constexpr std::array storage{"storage.format",       "storage.boundary",   "storage.policy",
                               "storage.slice_height", "storage.block_size", "storage.elements"};
  constexpr std::array machine{"backend", "threads", "device_memory"};
  return key.starts_with("solver.") || key.starts_with("product.") ||
         std::ranges::find(storage, key) != storage.end() ||
         std::ranges::find(machine, key) != machine.end();
}

SweepPoint make_point(const Configuration& configuration, const std::vector<std::size_t>& chosen) {
  SweepPoint point{.chosen = chosen, .labels = {}, .configuration = std::nullopt};
  for (std::size_t i = 0; i < chosen.size(); ++i)
    point.labels.push_back(configuration.sweep.axes[i].values[chosen[i]].label);
  try {
    point.configuration = at_sweep_point(configuration, chosen);
    point.form = job::possible_forms(point.configuration->request, false).front();
  } catch (const base::Error& error) {
    point.fail(exit_code(error.kind()), error.what());
  }
  return point;
}

// Indices of the values on the axes that `counts` selects.
template <class MatrixEstimate>
std::vector<std::size_t> part_of(const SweepPoint& point, const std::vector<SweepAxis>& axes,
                                 MatrixEstimate counts) {
  std::vector<std::size_t> part;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (counts(axes[i].key)) part.push_back(point.chosen[i]);
  return part;
}

}  // namespace

std::vector<SweepPoint> sweep_points(const Configuration& configuration) {
  const std::vector<SweepAxis>& axes = configuration.sweep.axes;
  std::vector<std::size_t> chosen(axes.size(), 0);
  std::vector<SweepPoint> points;
  do points.push_back(make_point(configuration, chosen));
  while (next_choice(axes, chosen));
  return points;
}

std::vector<std::vector<SweepPoint*>> points_by_matrix(const Configuration& configuration,
                                                       std::vector<SweepPoint>& points) {
  std::vector<std::vector<SweepPoint*>> groups;
  std::map<std::vector<std::size_t>, std::size_t> known;
  for (SweepPoint& point : points) {
    if (point.failed()) continue;
    const auto matrix = part_of(point, configuration.sweep.axes,
                                [](std::string_view key) { return !leaves_matrix(key); });
    const auto [place, is_new] = known.try_emplace(matrix, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&point);
  }
  return groups;
}

bool AutomaticChoice::holds() const {
  constexpr double close_enough = 0.03;
  return slower <= std::max(close_enough, spread);
}

std::vector<AutomaticChoice> automatic_choices(const Configuration& configuration,
                                               const std::vector<SweepPoint>& points) {
  const std::vector<SweepAxis>& axes = configuration.sweep.axes;
  const auto others = [&](const SweepPoint& point) {
    return part_of(point, axes, [](std::string_view key) { return key != kBoundary; });
  };
  const auto counts = [](const SweepPoint& point) {
    return point.samples.size() > 0 && has_boundary(point.form.storage.format);
  };
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> rivals;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (counts(points[i])) rivals[others(points[i])].push_back(i);
  std::vector<AutomaticChoice> choices;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!counts(points[i]) || points[i].form.storage.boundary != sparse::kAutomatic) continue;
    const auto& all = rivals[others(points[i])];
    if (all.size() < 2) continue;
    const auto median = [&](std::size_t p) { return points[p].product.times.median; };
    const std::size_t best = *std::ranges::min_element(all, {}, median);
    const job::Times& mine = points[i].product.times;
    const job::Times& least = points[best].product.times;
    choices.push_back(
        {i, best, mine.median / least.median - 1, (mine.spread + least.spread) / least.median});
  }
  return choices;
}

}  // namespace cisolve::app
