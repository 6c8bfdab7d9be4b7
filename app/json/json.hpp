#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace cisolve::app {

template <class Name, class Value, class Less, class Allocator>
struct JsonMembers;

/// A JSON value, written or read: null, truth, number, text, array or object (in the order given).
/// Copies share it; it never changes. What is absent, or of another kind than was hoped for, is
/// null, nothing or empty: a record of another version may say more or less than this one knows.
class Json {
 public:
  using Member = std::pair<std::string, Json>;
  using Tree = nlohmann::basic_json<JsonMembers>;

  Json() = default;
  Json(bool truth);             // NOLINT: these are what JSON values are
  Json(int number);             // NOLINT
  Json(base::Index number);     // NOLINT
  Json(double number);          // NOLINT: null where it is not finite, JSON has no word for it
  Json(const char* text);       // NOLINT
  Json(std::string text);       // NOLINT
  Json(std::string_view text);  // NOLINT

  static Json object(std::vector<Member> members);
  static Json array(std::vector<Json> items);

  /// With two spaces a level and a line break at its end; a byte that is no UTF-8 is replaced.
  std::string document() const;

  Json operator[](std::string_view name) const;
  Json operator[](std::size_t place) const;
  std::vector<Json> items() const;
  std::vector<Member> members() const;
  std::optional<double> number() const;
  std::optional<bool> truth() const;
  /// Of a text itself; of a number as base::shortest writes it; else empty.
  std::string text() const;
  bool is_null() const;
  bool is_object() const;

 private:
  friend Json parse_json(std::string_view text, const std::string& origin);

  explicit Json(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {}
  const Tree& tree() const;
  Json part(const Tree& inside) const;

  std::shared_ptr<const Tree> tree_;  // none for null
};

/// Reads one JSON document. Throws Fault::bad_input with origin and line for anything else.
Json parse_json(std::string_view text, const std::string& origin);

}  // namespace cisolve::app
