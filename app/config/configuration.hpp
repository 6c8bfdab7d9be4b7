#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/config/sweep.hpp"
#include "job/request/request.hpp"

namespace cisolve::app {

using base::Index;

/// One job, complete and checked: what is to be solved, and where its results go.
struct Configuration : job::Request {
  /// Where the keys were given a value, and not the word auto or the like: "job.yaml:7: ".
  std::map<std::string, std::string> given;

  std::string rates = "auto";

  struct Output {
    std::string directory = "out";
    double checkpoint = 600;      // seconds; negative: none
    std::optional<bool> vectors;  // none: up to a size (kept_vectors.hpp)
    bool history = false;         // as a table of its own
    bool trexio = false;
  } output;

  struct Sweep {
    Index repeat = 20;
    std::vector<SweepAxis> axes;  // in the order of the file; the last one varies fastest
  } sweep;
};

}  // namespace cisolve::app
