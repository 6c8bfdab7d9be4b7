#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/types.hpp"

namespace cisolve::app {

/// A JSON value to be written: null, truth, number, text, array or object (in the order given).
class Json {
 public:
  using Member = std::pair<std::string, Json>;

  Json() = default;
  Json(bool truth) : value_(truth) {}                    // NOLINT: these are what JSON values are
  Json(int number) : value_(base::Index{number}) {}      // NOLINT
  Json(base::Index number) : value_(number) {}           // NOLINT
  Json(double number) : value_(number) {}                // NOLINT
  Json(const char* text) : value_(std::string(text)) {}  // NOLINT
  Json(std::string text) : value_(std::move(text)) {}    // NOLINT
  Json(std::string_view text) : value_(std::string(text)) {}  // NOLINT

  static Json object(std::vector<Member> members);
  static Json array(std::vector<Json> items);

  /// With two spaces a level; doubles are the shortest text of the same bits, and null where they
  /// are not finite, since JSON has no word for those.
  std::string text() const;

 private:
  void write(std::string& out, int level) const;

  std::variant<std::monostate, bool, base::Index, double, std::string, std::vector<Json>,
               std::vector<Member>>
      value_;
};

}  // namespace cisolve::app
