#include "app/runs/folder.hpp"

#include <cerrno>
#include <csignal>
#include <vector>

#include "base/error.hpp"
#include "io/files/output_file.hpp"

namespace cisolve::app {

bool RunFiles::is_unfinished(const std::filesystem::path& directory) const {
  std::error_code missing;
  return std::filesystem::exists(directory / mark, missing);
}

bool RunFiles::has_record(const std::filesystem::path& directory) const {
  std::error_code missing;
  return std::filesystem::exists(directory / record, missing);
}

std::string RunFiles::kept_configuration(const std::filesystem::path& directory) const {
  if (!is_unfinished(directory))
    base::fail(base::Fault::no_input, directory.native(), ": no unfinished ", run, " is here (no ",
               mark, "); expected the output.directory of a ", run, " that was interrupted");
  return (directory / configuration).string();
}

void make_folder(const std::filesystem::path& path, std::string_view remedy) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    base::fail(base::Fault::cannot_write, "cannot make the folder ", path.native(), ": ",
               error.message(), "; ", remedy);
}

void require_writable(const std::filesystem::path& file, bool force) {
  const io::OutputFile proof(file, force);
}

void write_text_file(const std::filesystem::path& path, std::string_view text, bool force) {
  io::OutputFile file(path, force);
  file.append(text);
  file.commit();
}

namespace {

/// A program that runs may be one that is about to finish its results in the same folder.
bool has_ended(int program) { return ::kill(program, 0) != 0 && errno == ESRCH; }

}  // namespace

void remove_partial_files(const std::filesystem::path& folder, std::string_view prefix) {
  std::error_code ignored;
  std::vector<std::filesystem::path> partial;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !std::filesystem::is_regular_file(entry.symlink_status()))
      continue;
    const int writer = io::writer_of(name);
    if (writer > 0 && has_ended(writer)) partial.push_back(entry.path());
  }
  for (const std::filesystem::path& path : partial) std::filesystem::remove(path, ignored);
}

}  // namespace cisolve::app
