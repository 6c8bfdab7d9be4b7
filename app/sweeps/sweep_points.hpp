#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config/configuration.hpp"
#include "app/report/exit_code.hpp"
#include "job/plan/product_method.hpp"
#include "job/products/product.hpp"

namespace cisolve::app {

/// One point of a sweep: what it asks for, and what was found.
struct SweepPoint {
  std::vector<std::size_t> chosen;             // the value of each axis
  std::vector<std::string> labels;             // and what it is called
  std::optional<Configuration> configuration;  // none where a value is bad
  job::ProductForm form = {};                  // on a device the format is chosen anew

  job::MeasuredProduct product = {};
  job::Samples samples = {};
  int threads = 0;
  std::vector<double> energies = {};
  bool solved = false;

  bool measured = false;     // its product, in all turns
  bool finished = false;     // nothing is left to be done
  bool earlier_run = false;  // measured before the sweep was interrupted

  ExitCode code = ExitCode::success;
  std::string reason = {};  // why it failed

  bool failed() const { return !reason.empty(); }
  void fail(ExitCode why, std::string text) {
    code = why;
    reason = std::move(text);
  }
  /// Whether what happened says something of the point, and not of its surroundings, such as a
  /// lack of memory, which may be better another time.
  bool has_result() const {
    return !failed() || code == ExitCode::not_converged || code == ExitCode::verification_failed;
  }
};

/// Every combination of the axes' values, the last axis varying fastest.
std::vector<SweepPoint> sweep_points(const Configuration& configuration);

/// The points in groups that share a matrix: all of a group's differ in storage, product, solver
/// and backend alone. Points that failed are left out.
std::vector<std::vector<SweepPoint*>> points_by_matrix(const Configuration& configuration,
                                                       std::vector<SweepPoint>& points);

/// An automatic BOUNDARY beside the best of the points that differ from it in BOUNDARY alone.
struct AutomaticChoice {
  std::size_t point;
  std::size_t best;
  double slower;  // by this share of the best time
  double spread;  // of both measurements together, as a share of the best time
  bool holds() const;
};
std::vector<AutomaticChoice> automatic_choices(const Configuration& configuration,
                                               const std::vector<SweepPoint>& points);

}  // namespace cisolve::app
