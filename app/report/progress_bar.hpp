#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "job/problem/watched_rows.hpp"

namespace cisolve::app {

using base::Index;

/// Whether somebody looks on: standard error is a terminal that can rewrite a line.
bool has_terminal();

/// "building hybrid, pass 2  [#####-----]  50 %, 12 s left", in at most `width` characters; the bar
/// is as wide as there is room for it.
std::string progress_line(const std::string& what, Index pass, double share, double seconds_left,
                          std::size_t width);

/// A line on standard error that says how far work over rows has come, rewritten in place by a
/// thread of its own and removed at the end. Work that is soon done shows nothing. The rows may be
/// gone through several times: each pass has a bar of its own, for nobody knows how many there are.
class ProgressBar {
 public:
  ProgressBar(std::string what, Index rows, bool wanted);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  /// Nothing where no bar is wanted. Not to be called when the bar is gone.
  job::Watch watch();

 private:
  void draw_until_stopped();
  void draw(Index pass, double share, double seconds_left) const;

  std::string what_;
  Index rows_;
  std::atomic<Index> done_{0};
  std::mutex guard_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::thread painter_;  // only where a bar is wanted
};

}  // namespace cisolve::app
