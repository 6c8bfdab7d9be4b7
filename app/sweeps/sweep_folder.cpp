#include "app/sweeps/sweep_folder.hpp"

#include <spdlog/spdlog.h>

#include "app/config/save.hpp"
#include "app/runs/input_identity.hpp"
#include "app/sweeps/sweep_point_file.hpp"
#include "base/error.hpp"
#include "io/files/mapped_file.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;
using base::fail;
using base::Fault;

}  // namespace

SweepFolder::SweepFolder(const Configuration& configuration, bool force)
    : directory_(configuration.output.directory),
      claim_(made_folder(directory_)),
      points_((directory_ / kSweepFiles.mark).parent_path()),
      resumed_(!force && kSweepFiles.is_unfinished(directory_)),
      overwrites_(force || resumed_) {
  const std::string identity = sweep_identity(configuration);
  if (resumed_) require_same(identity);
  for (const std::string& result : {json_path(), csv_path()}) require_writable(result, overwrites_);
  remove_partial_files(directory_, ".sweep.");
  if (resumed_)
    remove_partial_files(points_);
  else
    begin(configuration, identity);
}

void SweepFolder::require_same(const std::string& identity) const {
  const std::string then(io::MappedFile(directory_ / kSweepFiles.mark).text());
  if (then == identity) return;
  fail(Fault::bad_input, directory_.native(),
       ": holds an unfinished sweep of another input: ", differences(then, identity),
       "; 'ci-solve resume ", directory_.native(),
       "' goes on with it as it was, --force begins anew, and so does another output.directory");
}

void SweepFolder::begin(const Configuration& configuration, const std::string& identity) const {
  clear();
  make_folder(points_);
  write_text_file(directory_ / kSweepFiles.configuration,
                  configuration_text(configuration) + axes_text(configuration), true);
  write_text_file(directory_ / kSweepFiles.mark, identity, true);  // last: it was begun whole
}

fs::path SweepFolder::point_file(Index number) const {
  return points_ / base::concat("point-", number);
}

std::optional<Json> SweepFolder::restore(Index number, SweepPoint& point) const {
  const fs::path path = point_file(number);
  std::error_code missing;
  if (!resumed_ || !fs::exists(path, missing)) return std::nullopt;
  try {
    return restore_point(io::MappedFile(path).text(), path.string(), point);
  } catch (const base::Error& error) {
    spdlog::warn("{}; this point is measured again", error.what());
    return std::nullopt;
  }
}

void SweepFolder::keep(Index number, const SweepPoint& point, const Json& matrix) const {
  try {
    write_text_file(point_file(number), stored_point(point, matrix), true);
  } catch (const base::Error& error) {
    spdlog::warn("point {} would not survive an interruption: {}", number, error.what());
  }
}

// The identity goes first: without it the rest is no unfinished sweep.
void SweepFolder::clear() const {
  std::error_code ignored;
  fs::remove(directory_ / kSweepFiles.mark, ignored);
  fs::remove_all(points_, ignored);
}

}  // namespace cisolve::app
