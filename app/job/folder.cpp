#include "app/job/folder.hpp"

#include "base/error.hpp"

namespace cisolve::app {

void make_folder(const std::filesystem::path& path, std::string_view remedy) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    base::fail(base::Fault::cannot_write, "cannot make the folder ", path.native(), ": ",
               error.message(), "; ", remedy);
}

}  // namespace cisolve::app
