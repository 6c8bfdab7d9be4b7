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

/// An immutable JSON value; object members keep their order, copies share storage. Accessors return
/// null, nothing or an empty value for an absent member or another type, so that records of other
/// versions can be read.
class Json {
 public:
  using Member = std::pair<std::string, Json>;
  using Tree = nlohmann::basic_json<JsonMembers>;

  Json() = default;
  Json(bool truth);             // NOLINT: these are what JSON values are
  Json(int number);             // NOLINT
  Json(base::Index number);     // NOLINT
  Json(double number);          // NOLINT: null if it is not finite
  Json(const char* text);       // NOLINT
  Json(std::string text);       // NOLINT
  Json(std::string_view text);  // NOLINT

  static Json object(std::vector<Member> members);
  static Json array(std::vector<Json> items);

  /// Indented by two spaces, with a final line break; bytes that are not UTF-8 are replaced.
  std::string document() const;

  Json operator[](std::string_view name) const;
  Json operator[](std::size_t place) const;
  std::vector<Json> items() const;
  std::vector<Member> members() const;
  std::optional<double> number() const;
  std::optional<bool> truth() const;
  /// The string itself; a number as base::shortest writes it; else empty.
  std::string text() const;
  bool is_null() const;
  bool is_object() const;

 private:
  friend Json parse_json(std::string_view text, const std::string& origin);

  explicit Json(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {}
  const Tree& tree() const;
  Json part(const Tree& inside) const;

  std::shared_ptr<const Tree> tree_;  // null pointer: the JSON value null
};

/// Reads one JSON document. Throws ErrorKind::bad_input with origin and line for anything else.
Json parse_json(std::string_view text, const std::string& origin);

}  // namespace cisolve::app
