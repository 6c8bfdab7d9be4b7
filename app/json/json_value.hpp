#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/json/json.hpp"

namespace cisolve::app {

/// A JSON value that was read. What is absent, or of another kind than was hoped for, is null,
/// nothing or empty: a record of another version may say more or less than this one knows.
class JsonValue {
 public:
  using Member = std::pair<std::string, JsonValue>;
  using Storage = std::variant<std::monostate, bool, double, std::string, std::vector<JsonValue>,
                               std::vector<Member>>;

  JsonValue() = default;
  explicit JsonValue(Storage storage) : storage_(std::move(storage)) {}

  const JsonValue& operator[](std::string_view key) const;
  const std::vector<JsonValue>& items() const;
  const std::vector<Member>& members() const;
  std::optional<double> number() const;
  std::optional<bool> truth() const;
  /// Of a text itself; of a number as it would be written; else empty.
  std::string text() const;
  bool is_null() const { return std::holds_alternative<std::monostate>(storage_); }
  /// To be written again; a whole number stays one.
  Json json() const;
  bool is_object() const { return std::holds_alternative<std::vector<Member>>(storage_); }

 private:
  Storage storage_;
};

/// Reads one JSON document. Throws Fault::bad_input with origin and line for anything else.
JsonValue parse_json(std::string_view text, const std::string& origin);

}  // namespace cisolve::app
