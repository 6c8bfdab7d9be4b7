#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/stopwatch.hpp"

namespace cisolve::job {

/// Where the time of a job goes. Phases follow one another without a gap, so that they add up to
/// the total; a phase may come again. The usual ones are always there, with 0 where they did not
/// come.
class PhaseTimes {
 public:
  using Entry = std::pair<std::string, double>;

  PhaseTimes();

  /// What has passed since the last phase ended counts for this one.
  void end(std::string_view phase);
  /// What one product took; it is part of other phases.
  void set_product(double seconds) { product_ = seconds; }

  /// What a phase took so far.
  double of(std::string_view phase) const;
  /// The phases that have ended so far, and the product.
  std::vector<Entry> so_far() const;
  /// All of them, the product and the total.
  std::vector<Entry> all() const;

 private:
  base::Stopwatch watch_;
  double ended_ = 0;
  double product_ = 0;
  std::vector<Entry> phases_;
  std::vector<bool> came_;
};

}  // namespace cisolve::job
