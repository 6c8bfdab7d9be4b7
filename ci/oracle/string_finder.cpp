#include "ci/oracle/string_finder.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::ci {
StringFinder::StringFinder(std::span<const String> strings, const base::Backend& host)
    : keys_(host, kMostOrbitals, "the orbitals' keys"),
      strings_(base::Array<String>::copy_of(strings, host, "the strings")),
      slots_(host, static_cast<Index>(std::bit_ceil(2 * strings.size())),
             "the table of the strings"),
      mask_(slots_.size() - 1) {
  for (Index p = 0; p < keys_.size(); ++p) keys_[p] = base::mix(1, static_cast<std::uint64_t>(p));
  std::ranges::fill(slots_.span(), kNone);
  for (Index i = 0; i < size(); ++i) {
    const std::uint64_t key = key_of(strings_[i]);
    Index slot = static_cast<Index>(key) & mask_;
    while (slots_[slot] != kNone) slot = (slot + 1) & mask_;
    slots_[slot] = (key >> 32 << 32) | static_cast<Slot>(i);
  }
}

}  // namespace cisolve::ci
