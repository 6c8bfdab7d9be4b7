#include "app/runs/folder.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/files/output_file.hpp"

namespace cisolve::app {

void make_folder(const std::filesystem::path& path, std::string_view remedy) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    base::fail(base::Fault::cannot_write, "cannot make the folder ", path.native(), ": ",
               error.message(), "; ", remedy);
}

void write_text_file(const std::filesystem::path& path, std::string_view text, bool force) {
  io::OutputFile file(path, force);
  file.append(text);
  file.commit();
}

void remove_partial_files(const std::filesystem::path& folder, std::string_view prefix) {
  std::error_code ignored;
  std::vector<std::filesystem::path> partial;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(".partial")) partial.push_back(entry.path());
  }
  for (const std::filesystem::path& path : partial) std::filesystem::remove(path, ignored);
}

}  // namespace cisolve::app
