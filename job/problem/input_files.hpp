#pragma once

#include <string>
#include <vector>

#include "job/request/request.hpp"

namespace cisolve::job {

/// The files that a problem is read from, as they stood when it was opened. It is read twice: what
/// was replaced between the two readings is another problem.
class InputFiles {
 public:
  explicit InputFiles(const Request& request);

  /// Throws ErrorKind::bad_input with the name of a file that is another one now, or gone.
  void require_unchanged() const;

 private:
  struct File {
    std::string path;
    std::string stamp;  // empty where there is none
  };
  std::vector<File> files_;
};

}  // namespace cisolve::job
