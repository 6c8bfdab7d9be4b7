#include <filesystem>
#include <ostream>

#include <spdlog/spdlog.h>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/config/load.hpp"
#include "app/job/stopwatch.hpp"
#include "app/job/sweep_group.hpp"
#include "app/report/number.hpp"
#include "app/report/sweep_report.hpp"
#include "base/error.hpp"

namespace cisolve::app {
namespace {

/// The files that a sweep leaves in the output folder.
struct SweepFiles {
  std::string json;
  std::string csv;
};

// Made and proven writable before the work begins.
SweepFiles prepare_files(const Configuration& configuration, bool force) {
  const std::filesystem::path folder = configuration.output.directory;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    base::fail(base::Fault::cannot_write, "cannot make the folder ", folder.native(), ": ",
               error.message(), "; choose another output.directory");
  SweepFiles files{(folder / "sweep.json").string(), (folder / "sweep.csv").string()};
  require_writable(files.json, force);
  require_writable(files.csv, force);
  return files;
}

void require_axes(const Configuration& configuration) {
  if (configuration.sweep.axes.empty())
    base::fail(base::Fault::configuration, configuration.origin, ": nothing is swept; expected ",
               "keys with lists under 'sweep:', such as sweep: {storage.boundary: [0, 100, auto]}");
}

// A wrong result is worse news than one that is missing; else what failed first counts.
ExitCode code_of(const std::vector<SweepPoint>& points) {
  ExitCode code = ExitCode::success;
  for (const SweepPoint& point : points) {
    if (point.code == ExitCode::verification_failed) return point.code;
    if (code == ExitCode::success) code = point.code;
  }
  return code;
}

}  // namespace

Outcome sweep(const Invocation& call, std::ostream& out) {
  const Configuration configuration = load_configuration(call.input, call.overrides);
  require_axes(configuration);
  const SweepFiles files = prepare_files(configuration, call.force);
  const Stopwatch watch;
  std::vector<SweepPoint> points = sweep_points(configuration);
  spdlog::info("{} points", points.size());
  BackendPool backends;
  std::vector<Json> matrices;
  for (auto& members : points_by_matrix(configuration, points)) {
    const std::size_t first = members.front() - points.data();
    SweepGroup group(std::move(members), configuration.sweep.repeat, backends);
    group.measure();
    group.solve();
    matrices.push_back(Json::object(
        {{"first_point", static_cast<Index>(first + 1)}, {"matrix", group.problem()}}));
  }

  const auto choices = automatic_choices(configuration, points);
  write_sweep_table(out, configuration, points);
  write_automatic_choices(out, points, choices);
  Outcome outcome{code_of(points),
                  record({{"sweep", axes_record(configuration)},
                          {"matrices", Json::array(std::move(matrices))},
                          {"points", points_record(configuration, points)},
                          {"automatic", choices_record(points, choices)},
                          {"timings", Json::object({{"total_s", watch.seconds()}})}})};
  write_text_file(files.json, outcome.record.text(), call.force);
  write_text_file(files.csv, sweep_csv(configuration, points), call.force);
  spdlog::info("wrote {} and {}", files.json, files.csv);
  return outcome;
}

}  // namespace cisolve::app
