#include "app/sweeps/sweep_folder.hpp"

#include <spdlog/spdlog.h>

#include <vector>

#include "app/config/save.hpp"
#include "app/runs/input_identity.hpp"
#include "app/sweeps/sweep_point_file.hpp"
#include "base/error.hpp"
#include "io/files/destination.hpp"
#include "io/files/mapped_file.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;
using base::ErrorKind;
using base::fail;

constexpr std::string_view kPoint = "point-";

bool is_point_name(std::string_view name) {
  if (!name.starts_with(kPoint)) return false;
  name.remove_prefix(kPoint.size());
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

fs::path name_of(const char* file) { return fs::path(file).filename(); }

/// Whether a sweep keeps files of that name.
bool is_name_of_sweep_file(const fs::path& name) {
  return name == name_of(kSweepFiles.mark) || name == name_of(kSweepFiles.configuration) ||
         is_point_name(name.native());
}

/// Whether a file was written by a sweep, judged by its content.
bool was_written_by_sweep(const fs::path& file) {
  if (io::foreign_kind(file)) return false;
  if (file.filename() == name_of(kSweepFiles.mark)) return begins_with(file, kIdentityBegin);
  if (file.filename() == name_of(kSweepFiles.configuration)) return begins_with(file, kKept);
  try {
    return is_whole_point(io::MappedFile(file).text());
  } catch (const base::Error&) {
    return false;
  }
}

}  // namespace

SweepFolder::SweepFolder(const Configuration& configuration, bool force)
    : directory_(configuration.output.directory),
      lock_(created_folder(directory_)),
      points_((directory_ / kSweepFiles.mark).parent_path()),
      resumed_(!force && kSweepFiles.is_unfinished(directory_)),
      overwrites_(force || resumed_),
      place_(resumed_ ? io::FileOwner::program : io::FileOwner::user) {
  if (const auto kind = io::foreign_kind(points_); kind && *kind != "a folder")
    fail(ErrorKind::cannot_write, points_.native(), ": is ", *kind,
         ", but a sweep needs a folder of this name; remove it, or set another ",
         "output.directory");
  const std::string identity = configuration_identity(configuration);
  if (resumed_) require_same(identity);
  for (const std::string& result : {json_path(), csv_path()})
    require_writable(result, overwrites_, place_);
  remove_partial_files(directory_, ".sweep.");
  if (resumed_)
    remove_partial_files(points_);
  else
    begin(configuration, identity, force);
}

void SweepFolder::require_same(const std::string& identity) const {
  if (const auto kind = io::foreign_kind(directory_ / kSweepFiles.mark))
    fail(ErrorKind::bad_input, (directory_ / kSweepFiles.mark).native(), ": is ", *kind,
         "; expected the regular file that an unfinished sweep has left");
  const std::string then(io::MappedFile(directory_ / kSweepFiles.mark).text());
  if (then == identity) return;
  fail(ErrorKind::bad_input, directory_.native(),
       ": the folder holds an unfinished sweep of another input: ", differences(then, identity),
       "; 'ci-solve resume ", directory_.native(),
       "' continues that sweep; --force or another output.directory starts this one");
}

void SweepFolder::begin(const Configuration& configuration, const std::string& identity,
                        bool force) const {
  make_folder(points_);
  remove_partial_files(points_);
  const auto is_in_the_way = [](const fs::path& file) {
    return io::foreign_kind(file) != "a folder";
  };
  force ? remove_files_if(is_in_the_way) : remove_files_if(was_written_by_sweep);
  std::error_code error;
  for (fs::directory_iterator it(points_, error), end; !error && it != end; it.increment(error))
    if (is_name_of_sweep_file(it->path().filename()))
      fail(ErrorKind::cannot_write, it->path().native(),
           ": the file exists and was not written by a sweep; move it away, set another ",
           "output.directory, or allow overwriting (--force)");
  keep_configuration(directory_ / kSweepFiles.configuration,
                     configuration_text(configuration) + axes_text(configuration), false);
  write_text_file(directory_ / kSweepFiles.mark, identity, false,
                  io::FileOwner::program);  // last: it was begun whole
}

fs::path SweepFolder::point_file(Index number) const {
  return points_ / base::concat(kPoint, number);
}

std::optional<Json> SweepFolder::restore(Index number, SweepPoint& point) const {
  const fs::path path = point_file(number);
  if (!resumed_ || !is_taken(path)) return std::nullopt;
  try {
    if (const auto kind = io::foreign_kind(path))
      fail(ErrorKind::bad_input, path.native(), ": is ", *kind, "; expected a regular file");
    return restore_point(io::MappedFile(path).text(), path.string(), point);
  } catch (const base::Error& error) {
    spdlog::warn("{}; this point is measured again", error.what());
    return std::nullopt;
  }
}

void SweepFolder::keep(Index number, const SweepPoint& point, const Json& matrix) const {
  try {
    write_text_file(point_file(number), stored_point(point, matrix), true, io::FileOwner::program);
  } catch (const base::Error& error) {
    spdlog::warn("point {} cannot be saved and would be lost by an interruption: {}", number,
                 error.what());
  }
}

// Removes the identity first: without it the rest is no unfinished sweep.
template <class Condition>
void SweepFolder::remove_files_if(Condition goes) const {
  std::error_code error;
  std::vector<fs::path> kept{directory_ / kSweepFiles.mark};
  for (fs::directory_iterator it(points_, error), end; !error && it != end; it.increment(error))
    if (is_name_of_sweep_file(it->path().filename())) kept.push_back(it->path());
  for (const fs::path& file : kept)
    if (goes(file)) fs::remove(file, error);
}

void SweepFolder::clear() const {
  // Files of earlier versions lack the mark of a kept configuration.
  const auto is_ours = [&](const fs::path& file) {
    return was_written_by_sweep(file) ||
           (resumed_ && file == directory_ / kSweepFiles.configuration && !io::foreign_kind(file));
  };
  remove_files_if(is_ours);
  std::error_code not_empty;
  fs::remove(points_, not_empty);
}

}  // namespace cisolve::app
