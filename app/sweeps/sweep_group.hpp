#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/json/json.hpp"
#include "app/sweeps/sweep_points.hpp"
#include "job/problem/problem_rows.hpp"
#include "job/problem/watched_rows.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/stored/matrix.hpp"

namespace cisolve::app {

/// The backends of a sweep's points, each opened once: points with the same backend share its
/// memory budget.
class BackendPool {
 public:
  const base::Backend& of(const Configuration& configuration);

 private:
  std::map<std::string, base::Backend> opened_;
};

/// The points of a sweep with the same matrix, whose rows are generated once. Points are measured
/// in alternating short bursts of products, first forwards, then backwards, and their matrices are
/// built twice, in either order, so that disturbances of the machine affect all alike. An error at
/// a point is recorded there; the others continue.
class SweepGroup {
 public:
  /// Called with a point and problem() whenever there is a result worth saving.
  using Keep = std::function<void(const SweepPoint& point, const Json& problem)>;

  /// Progress units of a whole point.
  static constexpr Index kUnitsOfPoint = 1000;

  SweepGroup(std::vector<SweepPoint*> points, Index repeat, BackendPool& backends, Keep keep,
             job::Watch watch);

  /// Points measured earlier are skipped, and by solve() finished ones.
  void measure();
  void solve();
  /// Common to all points, once measured: the problem, its space, the shape of the matrix.
  const Json& problem() const { return problem_; }

 private:
  void open_backends();
  void open_rows();
  void keep_rows(const sparse::MatrixShape& shape, Index nonzeros, Index largest);
  void plan_bursts();
  Index held_by(const SweepPoint& point, std::span<const sparse::Column> lengths,
                const base::Backend& backend) const;
  void measure_burst(SweepPoint& point);
  void end_measuring(SweepPoint& point);
  void solve(SweepPoint& point);
  void finish(SweepPoint& point);
  void report_progress(const SweepPoint& point, Index reached);
  job::PreparedProduct build(const SweepPoint& point);
  const job::ProblemRows& rows() const;
  const base::Backend& host() const { return *host_; }

  std::vector<SweepPoint*> points_;
  Index repeat_;
  BackendPool& backends_;
  Keep keep_;
  job::Watch watch_;
  std::map<const SweepPoint*, Index> reported_;  // how much of each point
  std::optional<base::Backend> host_;            // none if no point has a backend
  job::ProblemRows source_;
  std::unique_ptr<sparse::Csr> kept_;  // the rows of the source, if memory allows
  job::ProblemRows kept_rows_;
  std::map<const SweepPoint*, job::PreparedProduct> matrices_;
  Index nonzeros_ = 0;
  bool holds_all_ = false;  // the points' matrices, from one turn to the next
  int bursts_ = 1;
  Json problem_;
};

}  // namespace cisolve::app
