#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/config/document.hpp"
#include "base/types.hpp"

namespace cisolve::app {

using base::Index;

/// Type of a key's value.
struct ValueType {
  enum class Kind {
    whole,
    real,
    truth,
    text,
    path,      // input file, relative to the configuration that names it
    folder,    // output folder, relative to the working directory
    choice,    // "name:N" among them is a name with a whole number, name:3
    bytes,     // a size with its unit, such as 8 GiB
    duration,  // a time with its unit, such as 10 min; held in seconds
    wholes,    // a list of whole numbers
    reals,     // a number, or a list of them
    texts,     // a list of texts
    names,     // one of the choices, or a list of texts
    lines,     // lines of a text file: its path, or a list of lines, each a text or a list of words
    orbitals,  // a count, or a list of their numbers
    irrep,     // a whole number, or one of the choices, in capitals or not
    rule,      // one of the choices; "name: n" takes a whole number, {name: 3}
    section,   // a map whose entries are not validated
    any,
  };
  Kind kind = Kind::any;
  double low = 0;  // least number, itself allowed
  double high = 0;
  std::vector<std::string> choices = {};
  std::string word = {};  // extra keyword such as auto; stored as Automatic

  ValueType or_word(std::string given) const {
    ValueType copy = *this;
    copy.word = std::move(given);
    return copy;
  }
  /// Whether a string value is the path of an input file.
  bool names_file() const { return kind == Kind::path || kind == Kind::lines; }
  ValueType or_automatic() const { return or_word("auto"); }
};

struct Automatic {
  bool operator==(const Automatic&) const = default;
};
using Value = std::variant<Automatic, Index, double, bool, std::string, std::vector<Index>,
                           std::vector<double>, std::vector<std::string>>;

/// The name of a choice that takes a number, "name:N"; none of any other.
std::optional<std::string> numbered_name(std::string_view choice);

/// "a whole number from 1 to 16, or auto"
std::string expectation(const ValueType& type);

/// Reads a scalar or a list. Throws ErrorKind::configuration: what was found and what was expected.
Value read_value(const ValueType& type, const DocumentNode& node, std::string_view key,
                 std::string_view where);

/// A value as a configuration would write it.
std::string written(const ValueType& type, const Value& value);

}  // namespace cisolve::app
