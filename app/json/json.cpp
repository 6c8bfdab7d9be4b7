#include "app/json/json.hpp"

#include <array>
#include <cmath>
#include <type_traits>

#include "base/number.hpp"

namespace cisolve::app {
namespace {

void write_escaped(std::string& out, const std::string& text) {
  constexpr std::array hex{'0', '1', '2', '3', '4', '5', '6', '7',
                           '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20) {
      out += {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
    } else {
      out += c;
    }
  }
  out += '"';
}

void write_line_break(std::string& out, int level) {
  out += '\n';
  out.append(2 * static_cast<std::size_t>(level), ' ');
}

// "[a, b]" or "{...}" with one item a line.
template <class Items, class WriteItem>
void write_items(std::string& out, char open, char close, const Items& items, int level,
                 WriteItem write_item) {
  out += open;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    write_line_break(out, level + 1);
    write_item(item);
  }
  if (!first) write_line_break(out, level);
  out += close;
}

}  // namespace

Json Json::object(std::vector<Member> members) {
  Json json;
  json.value_ = std::move(members);
  return json;
}

Json Json::array(std::vector<Json> items) {
  Json json;
  json.value_ = std::move(items);
  return json;
}

std::string Json::text() const {
  std::string out;
  write(out, 0);
  out += '\n';
  return out;
}

void Json::write(std::string& out, int level) const {
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          out += "null";
        } else if constexpr (std::is_same_v<T, bool>) {
          out += value ? "true" : "false";
        } else if constexpr (std::is_same_v<T, base::Index>) {
          out += std::to_string(value);
        } else if constexpr (std::is_same_v<T, double>) {
          out += std::isfinite(value) ? base::shortest(value) : "null";
        } else if constexpr (std::is_same_v<T, std::string>) {
          write_escaped(out, value);
        } else if constexpr (std::is_same_v<T, std::vector<Json>>) {
          write_items(out, '[', ']', value, level,
                      [&](const Json& item) { item.write(out, level + 1); });
        } else {
          write_items(out, '{', '}', value, level, [&](const Member& member) {
            write_escaped(out, member.first);
            out += ": ";
            member.second.write(out, level + 1);
          });
        }
      },
      value_);
}

}  // namespace cisolve::app
