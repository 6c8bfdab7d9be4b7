#pragma once

#include <string>
#include <vector>

#include "job/request/request.hpp"

namespace cisolve::job {

/// The files of a problem, as they were when it was opened. It is read twice: a file that was
/// replaced between the two readings is another problem.
class InputFiles {
 public:
  explicit InputFiles(const Request& request);

  /// Throws ErrorKind::bad_input with the name of a file that was changed, replaced or removed.
  void require_unchanged() const;

 private:
  struct File {
    std::string path;
    std::string stamp;  // empty unless it is a regular file
  };
  std::vector<File> files_;
};

}  // namespace cisolve::job
