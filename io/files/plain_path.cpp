#include "io/files/plain_path.hpp"

#include <string>

#include "base/error.hpp"

namespace cisolve::io {
namespace {

bool is_control_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

// One-line form for messages.
std::string written_out(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_control_character(c))
      result += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    else
      result += c;
  }
  return result;
}

void require_plain(const std::filesystem::path& path, std::string_view name,
                   std::string_view what) {
  const int byte = control_character_in(path.native());
  if (byte >= 0)
    base::fail(base::ErrorKind::configuration, name, ": ", what, " '", written_out(path.native()),
               "' contains a control character (byte ", byte, "); rename the file or the folder");
}

}  // namespace

int control_character_in(std::string_view text) {
  for (const char c : text)
    if (is_control_character(c)) return static_cast<unsigned char>(c);
  return -1;
}

void require_plain_path(const std::filesystem::path& path, std::string_view name) {
  require_plain(path, name, "the path");
  std::error_code unknown;  // a dangling path is reported when it is opened
  const std::filesystem::path place = std::filesystem::weakly_canonical(path, unknown);
  if (!unknown) require_plain(place, name, "the target of the link");
  if (!path.is_absolute())
    require_plain(std::filesystem::current_path(unknown), name, "the working directory");
}

}  // namespace cisolve::io
