#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cisolve::job {

/// Wall-clock time of the phases of a job, in seconds. Phases follow one another without a gap, so
/// that they add up to the total; a phase may recur. The usual phases are always listed, with 0 if
/// they did not occur.
class PhaseTimes {
 public:
  using Entry = std::pair<std::string, double>;

  PhaseTimes();

  /// Adds the time since the end of the previous phase to this one.
  void end(std::string_view phase);
  /// Records the time of one product, which is part of other phases.
  void set_product(double seconds) { product_ = seconds; }

  /// Time of a phase so far; 0 if it did not occur.
  double of(std::string_view phase) const;
  /// The phases that have ended so far, and the product.
  std::vector<Entry> so_far() const;
  /// All of them, the product and the total.
  std::vector<Entry> all() const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double ended_ = 0;
  double product_ = 0;
  std::vector<Entry> phases_;
  std::vector<bool> came_;
};

}  // namespace cisolve::job
