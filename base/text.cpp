#include "base/text.hpp"

#include <array>

namespace cisolve::base {

std::string human_bytes(Index bytes) {
  constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return concat(bytes, " B");
  auto amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 999.5 && unit + 1 < units.size()) {
    amount /= 1024;
    ++unit;
  }
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(3);
  out << amount << ' ' << units[unit];
  return out.str();
}

}  // namespace cisolve::base
