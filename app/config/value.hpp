#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/config/document.hpp"
#include "base/types.hpp"

namespace cisolve::app {

using base::Index;

/// What a key may hold.
struct ValueType {
  enum class Kind {
    whole,
    real,
    truth,
    text,
    path,    // of a file that is read; as seen from the configuration that names it
    folder,  // that is written to; as seen from where the program runs
    choice,
    bytes,     // a size with its unit, such as 8 GiB
    duration,  // a time with its unit, such as 10 min; held in seconds
    list,      // of scalars
    section,   // a map whose entries this version does not look into
    any,
  };
  Kind kind = Kind::any;
  double low = 0;  // of numbers, both ends included
  double high = 0;
  std::vector<std::string> choices = {};
  bool automatic = false;  // `auto` is a value too

  ValueType or_automatic() const {
    ValueType copy = *this;
    copy.automatic = true;
    return copy;
  }
};

struct Automatic {
  bool operator==(const Automatic&) const = default;
};
using Value = std::variant<Automatic, Index, double, bool, std::string>;

/// "a whole number from 1 to 16, or auto"
std::string expectation(const ValueType& type);

/// Reads a scalar. Throws Fault::configuration: what was found and what was expected.
Value read_value(const ValueType& type, const Node& node, std::string_view key,
                 std::string_view where);

/// A value as a configuration would write it.
std::string written(const ValueType& type, const Value& value);

}  // namespace cisolve::app
