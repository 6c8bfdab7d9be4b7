#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config/configuration.hpp"
#include "app/report/exit_code.hpp"
#include "job/plan/product_method.hpp"
#include "job/products/product.hpp"

namespace cisolve::app {

/// One point of a sweep: its configuration and its results.
struct SweepPoint {
  std::vector<std::size_t> chosen;             // the value of each axis
  std::vector<std::string> labels;             // what tables call these values
  std::optional<Configuration> configuration;  // none if a value is invalid
  job::ProductForm form = {};  // how its product is computed; on a device the format is chosen anew

  job::MeasuredProduct product = {};
  job::Samples samples = {};
  int threads = 0;
  std::vector<double> energies = {};
  bool solved = false;

  bool measured = false;     // whether its product was timed in every round
  bool finished = false;     // nothing is left to be done
  bool earlier_run = false;  // measured before the sweep was interrupted

  ExitCode code = ExitCode::success;
  std::string reason = {};  // why it failed

  bool failed() const { return !reason.empty(); }
  void fail(ExitCode why, std::string text) {
    code = why;
    reason = std::move(text);
  }
  /// Whether the result depends on the point alone, unlike a lack of memory, which may be over the
  /// next time.
  bool has_result() const {
    return !failed() || code == ExitCode::not_converged || code == ExitCode::verification_failed;
  }
};

/// Every combination of the axes' values, the last axis varying fastest.
std::vector<SweepPoint> sweep_points(const Configuration& configuration);

/// Groups of points with the same matrix, which differ only in storage, product, solver and
/// backend. Failed points are left out.
std::vector<std::vector<SweepPoint*>> points_by_matrix(const Configuration& configuration,
                                                       std::vector<SweepPoint>& points);

/// Compares an automatic BOUNDARY with the best point that differs only in BOUNDARY.
struct AutomaticChoice {
  std::size_t point;
  std::size_t best;
  double slower;  // relative to the best time
  double spread;  // spread of both measurements, relative to the best time
  bool holds() const;
};
std::vector<AutomaticChoice> automatic_choices(const Configuration& configuration,
                                               const std::vector<SweepPoint>& points);

}  // namespace cisolve::app
