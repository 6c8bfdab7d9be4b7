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

/// A swept key and its values.
struct SweepAxis {
  std::string key;
  std::vector<SweepValue> values;
  std::string origin;               // the file, or the option
  std::filesystem::path directory;  // base of relative paths among the values
};

inline constexpr base::Index kMostSweepPoints = 10'000;

/// Whether a key may be swept; keys common to all points may not.
bool can_be_swept(std::string_view key);

/// Parses `key: [values]`. A value is any of the key's own, a range {from, to, step} or {from, to,
/// factor} of numbers, or {value, label}. Values are validated when their point runs, so that a bad
/// one fails that point alone. Throws ErrorKind::configuration for an invalid list.
std::vector<SweepValue> read_sweep_values(const std::string& key, const DocumentNode& node,
                                          const std::string& where);

/// The next combination of values, as an odometer counts; false after the last one.
bool next_choice(const std::vector<SweepAxis>& axes, std::vector<std::size_t>& chosen);

}  // namespace cisolve::app
