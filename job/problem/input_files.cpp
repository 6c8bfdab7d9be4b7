#include "job/problem/input_files.hpp"

#include <sys/stat.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cisolve::job {
namespace {

/// Differs between two files, and changes when a file is written to.
std::string stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return base::concat(status.st_dev, ' ', status.st_ino, ' ', status.st_size, ' ',
                      status.st_mtim.tv_sec, ' ', status.st_mtim.tv_nsec);
}

}  // namespace

InputFiles::InputFiles(const Request& request) {
  const auto add = [this](bool is_read, const std::string& path) {
    if (is_read && !path.empty()) files_.push_back({path, stamp_of(path)});
  };
  add(request.source == ProblemSource::matrix, request.matrix);
  add(request.source == ProblemSource::fcidump, request.fcidump);
  add(request.source == ProblemSource::trexio, request.trexio);
  add(request.source == ProblemSource::lattice, request.lattice.bonds.file);
  add(has_determinants(request), request.operators.file());
  const Request::Space& space = request.space;
  for (const std::string& list : {space.determinants.file(), space.alpha.file(), space.beta.file()})
    add(has_determinants(request), list);
}

void InputFiles::require_unchanged() const {
  for (const File& file : files_)
    if (stamp_of(file.path) != file.stamp)
      base::fail(base::ErrorKind::bad_input, file.path,
                 ": the file has changed since the job started; ",
                 "it is read again to verify the states, so keep it unchanged until the job ends");
}

}  // namespace cisolve::job
