#include "app/json/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::app {

/// Members in their order; of equal names the first is found. The library's own map searches for
/// each name before it adds it, which is quadratic.
template <class Name, class Value, class Less, class Allocator>
struct JsonMembers : nlohmann::ordered_map<Name, Value, Less, Allocator> {
  using nlohmann::ordered_map<Name, Value, Less, Allocator>::ordered_map;
  Value& operator[](const Name& name) { return this->emplace_back(name, Value()).second; }
};

namespace {

using Tree = Json::Tree;

constexpr std::size_t kMostBrackets = 64;

[[noreturn]] void refuse(std::string_view text, std::size_t at, const std::string& origin,
                         std::string_view why) {
  const auto line = std::ranges::count(text.substr(0, at), '\n');
  const bool says_what_was_expected = why.find("expected ") != std::string_view::npos;
  base::fail(base::ErrorKind::bad_input, origin, ':', line + 1, ": this is no JSON: ", why,
             says_what_was_expected ? "" : "; expected a whole record, as the program writes it");
}

// Limits the depth, since trees are copied and written recursively.
void require_shallow(std::string_view text, const std::string& origin) {
  std::size_t open = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\') ++i;
    if (quoted) continue;
    if (text[i] == '[' || text[i] == '{') ++open;
    if ((text[i] == ']' || text[i] == '}') && open > 0) --open;
    if (open > kMostBrackets) refuse(text, i, origin, "expected fewer levels of brackets");
  }
}

// Extracts the reason from "[...] parse error at ...: syntax error while ... - unexpected ']';
// expected ...; last read: ...".
std::string_view complaint(std::string_view said) {
  const std::size_t begin = said.find(" - ");
  if (begin != std::string_view::npos) said.remove_prefix(begin + 3);
  return said.substr(0, said.find("; last read: "));
}

}  // namespace

Json::Json(bool truth) : tree_(std::make_shared<Tree>(truth)) {}
Json::Json(int number) : tree_(std::make_shared<Tree>(number)) {}
Json::Json(base::Index number) : tree_(std::make_shared<Tree>(number)) {}
Json::Json(double number) : tree_(std::make_shared<Tree>(number)) {}
Json::Json(const char* text) : tree_(std::make_shared<Tree>(text)) {}
Json::Json(std::string text) : tree_(std::make_shared<Tree>(std::move(text))) {}
Json::Json(std::string_view text) : tree_(std::make_shared<Tree>(text)) {}

Json Json::object(std::vector<Member> members) {
  Tree::object_t all;
  all.reserve(members.size());
  for (auto& [name, value] : members)  // releases each copied value
    all.emplace_back(std::move(name), std::exchange(value, {}).tree());
  return Json(std::make_shared<Tree>(std::move(all)));
}

Json Json::array(std::vector<Json> items) {
  Tree::array_t all;
  all.reserve(items.size());
  for (Json& item : items) all.push_back(std::exchange(item, {}).tree());
  return Json(std::make_shared<Tree>(std::move(all)));
}

const Tree& Json::tree() const {
  static const Tree null;
  return tree_ != nullptr ? *tree_ : null;
}

Json Json::part(const Tree& inside) const {
  return Json(std::shared_ptr<const Tree>(tree_, &inside));
}

std::string Json::document() const {
  return tree().dump(2, ' ', false, Tree::error_handler_t::replace) + '\n';
}

Json Json::operator[](std::string_view name) const {
  if (!is_object()) return {};
  const auto found = tree().find(name);
  return found == tree().end() ? Json() : part(*found);
}

Json Json::operator[](std::size_t place) const {
  return tree().is_array() && place < tree().size() ? part(tree()[place]) : Json();
}

std::vector<Json> Json::items() const {
  std::vector<Json> all;
  if (!tree().is_array()) return all;
  all.reserve(tree().size());
  for (const Tree& item : tree()) all.push_back(part(item));
  return all;
}

std::vector<Json::Member> Json::members() const {
  std::vector<Member> all;
  if (!is_object()) return all;
  for (const auto& [name, value] : tree().items()) all.emplace_back(name, part(value));
  return all;
}

std::optional<double> Json::number() const {
  return tree().is_number() ? std::optional(tree().get<double>()) : std::nullopt;
}

std::optional<bool> Json::truth() const {
  return tree().is_boolean() ? std::optional(tree().get<bool>()) : std::nullopt;
}

std::string Json::text() const {
  if (const auto value = number()) return base::shortest(*value);
  return tree().is_string() ? tree().get<std::string>() : "";
}

bool Json::is_null() const { return tree().is_null(); }
bool Json::is_object() const { return tree().is_object(); }

Json parse_json(std::string_view text, const std::string& origin) {
  require_shallow(text, origin);
  // The library takes a NUL for the end of the text.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    refuse(text, nul, origin, "it holds a NUL");
  std::istringstream stream{std::string(text)};
  try {
    return Json(std::make_shared<Tree>(Tree::parse(stream)));
  } catch (const Tree::parse_error& error) {
    refuse(text, error.byte - 1, origin, complaint(error.what()));
  } catch (const Tree::out_of_range&) {
    // By then the character after the number has been read, too.
    stream.clear();
    refuse(text, static_cast<std::size_t>(stream.tellg()) - 1, origin,
           "expected numbers below 1.8e308");
  }
}

}  // namespace cisolve::app
