#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "job/problem/watched_rows.hpp"

namespace cisolve::app {

using base::Index;

/// Whether standard error is a terminal that can rewrite a line.
bool has_terminal();

/// "building hybrid, pass 2  [#####-----]  50 %, 12 s left", in at most `width` characters; the bar
/// takes what the text leaves.
std::string progress_line(const std::string& what, Index pass, double fraction, double seconds_left,
                          std::size_t width);

/// Progress of work over rows, rewritten on one line of standard error by a thread and removed at
/// the end. Work of less than half a second shows nothing. Each pass over the rows has its own bar,
/// since their number is not known.
class ProgressBar {
 public:
  ProgressBar(std::string what, Index rows, bool wanted);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  /// Callback that counts finished rows; empty if no bar is shown. Must not be called after
  /// destruction.
  job::Watch watch();

 private:
  void draw_until_stopped();
  void draw(Index pass, double fraction, double seconds_left) const;

  std::string what_;
  Index rows_;
  std::atomic<Index> done_{0};
  std::mutex guard_;
  std::condition_variable changed_;
  bool stopped_ = false;
  std::thread painter_;  // runs if a bar is shown
};

}  // namespace cisolve::app
