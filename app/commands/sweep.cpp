#include <ostream>

#include <spdlog/spdlog.h>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/config/load.hpp"
#include "app/plot/drawings.hpp"
#include "app/report/progress_bar.hpp"
#include "app/report/shell_word.hpp"
#include "app/runs/folder.hpp"
#include "app/runs/interruption.hpp"
#include "app/sweeps/sweep_folder.hpp"
#include "app/sweeps/sweep_group.hpp"
#include "app/sweeps/sweep_report.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/stopwatch.hpp"

namespace cisolve::app {
namespace {

void require_axes(const Configuration& configuration) {
  if (configuration.sweep.axes.empty())
    base::fail(base::ErrorKind::configuration, configuration.request.origin,
               ": no key is swept; expected ",
               "keys with lists under 'sweep:', such as sweep: {storage.boundary: [0, 100, auto]}");
}

// A failed verification takes precedence; otherwise the first failure counts.
ExitCode code_of(const std::vector<SweepPoint>& points) {
  ExitCode code = ExitCode::success;
  for (const SweepPoint& point : points) {
    if (point.code == ExitCode::verification_failed) return point.code;
    if (code == ExitCode::success) code = point.code;
  }
  return code;
}

// Points of a group that no earlier run has finished.
std::vector<SweepPoint*> unfinished(const std::vector<SweepPoint*>& members,
                                    const SweepFolder& folder, const SweepPoint* first,
                                    Json& matrix) {
  std::vector<SweepPoint*> open;
  for (SweepPoint* point : members) {
    auto kept = folder.restore(point - first + 1, *point);
    if (kept) matrix = std::move(*kept);
    if (!point->finished) open.push_back(point);
  }
  return open;
}

/// The points of one matrix.
struct PointsOfMatrix {
  Index first;
  std::vector<SweepPoint*> open;
  Json matrix;  // record of the matrix in an earlier run
};

std::vector<PointsOfMatrix> restored(const Configuration& configuration,
                                     std::vector<SweepPoint>& points, const SweepFolder& folder) {
  std::vector<PointsOfMatrix> groups;
  for (const auto& members : points_by_matrix(configuration, points)) {
    Json matrix;
    auto open = unfinished(members, folder, points.data(), matrix);
    groups.push_back({members.front() - points.data() + 1, std::move(open), std::move(matrix)});
  }
  return groups;
}

/// Measures and solves the unfinished points; returns one record for each matrix.
std::vector<Json> run_points(const Configuration& configuration, std::vector<SweepPoint>& points,
                             const SweepFolder& folder, bool with_bar) {
  BackendPool backends;
  std::vector<Json> matrices;
  const auto keep = [&](const SweepPoint& point, const Json& problem) {
    folder.keep(&point - points.data() + 1, point, problem);
  };
  auto groups = restored(configuration, points, folder);
  Index open = 0;
  for (const PointsOfMatrix& members : groups) open += std::ssize(members.open);
  ProgressBar bar("measuring", open * SweepGroup::kUnitsOfPoint, with_bar);
  for (PointsOfMatrix& members : groups) {
    if (!members.open.empty()) {
      SweepGroup group(std::move(members.open), configuration.sweep.repeat, backends, keep,
                       bar.watch());
      group.measure();
      group.solve();
      members.matrix = group.problem();
    }
    matrices.push_back(
        Json::object({{"first_point", members.first}, {"matrix", std::move(members.matrix)}}));
  }
  return matrices;
}

}  // namespace

CommandOutcome run_sweep(const Configuration& configuration, const Invocation& call,
                         std::ostream& out) {
  require_axes(configuration);
  const SweepFolder folder(configuration, call.force);
  const Interruption interruption;  // from here on an interrupted sweep can be resumed
  const base::Stopwatch watch;
  std::vector<SweepPoint> points = sweep_points(configuration);
  spdlog::info("{}; after an interruption run: ci-solve resume {}",
               base::counted(std::ssize(points), "point"),
               shell_word(configuration.output.directory));
  // Invalid points are reported before hours are spent on the others.
  for (const std::string& failure : failures(points))
    spdlog::warn("this point will fail: {}", failure);
  std::vector<Json> matrices = run_points(configuration, points, folder, wants_bars(call));

  const auto choices = automatic_choices(configuration, points);
  write_sweep_table(out, configuration, points);
  write_automatic_choices(out, points, choices);
  CommandOutcome outcome{code_of(points),
                         record({{"sweep", axes_record(configuration)},
                                 {"matrices", Json::array(std::move(matrices))},
                                 {"points", points_record(configuration, points)},
                                 {"automatic", choices_record(points, choices)},
                                 {"timings", Json::object({{"total_s", watch.seconds()}})}})};
  if (folder.overwrites()) remove_drawings(configuration.output.directory, call.force);
  write_text_file(folder.json_path(), outcome.record.document(), folder.overwrites(),
                  folder.place());
  write_text_file(folder.csv_path(), sweep_csv(configuration, points), folder.overwrites(),
                  folder.place());
  Interruption::close();
  folder.clear();
  spdlog::info("wrote {} and {}", folder.json_path(), folder.csv_path());
  return outcome;
}

CommandOutcome sweep(const Invocation& call, std::ostream& out) {
  const Configuration configuration =
      with_machine_rates(load_configuration(call.input, call.overrides));
  warn_of_unused_keys(keys_without_effect_on_sweep(configuration), configuration.request.origin);
  return run_sweep(configuration, call, out);
}

}  // namespace cisolve::app
