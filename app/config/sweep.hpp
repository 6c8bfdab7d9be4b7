#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/document.hpp"
#include "base/types.hpp"

namespace cisolve::app {

/// One value of a swept key, as it was written, and what tables call it.
struct SweepValue {
  DocumentNode value;
  std::string label;
};

/// A key of the configuration with the values that it takes one after the other.
struct SweepAxis {
  std::string key;
  std::vector<SweepValue> values;
  std::string origin;               // the file, or the option
  std::filesystem::path directory;  // from where paths among the values are seen
};

inline constexpr base::Index kMostSweepPoints = 10'000;

/// Whether a key of the schema may be swept: what the points have in common may not.
bool can_be_swept(std::string_view key);

/// Reads `key: [values]`. A value may be any of the key's own, a range {from, to, step} or
/// {from, to, factor} of numbers, or {value, label}. What a value means is checked when its point
/// is run, so that a bad one spoils that point alone. Throws Fault::configuration for a list that
/// makes no sense.
std::vector<SweepValue> read_sweep_values(const std::string& key, const DocumentNode& node,
                                          const std::string& where);

/// The next combination of values, as an odometer counts; false after the last one.
bool next_choice(const std::vector<SweepAxis>& axes, std::vector<std::size_t>& chosen);

}  // namespace cisolve::app
