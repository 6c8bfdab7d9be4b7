#include "ci/fock/spaces/singly_occupied.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "ci/fock/strings/string_sets.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kLists = "the lists of singly occupied sites";

std::vector<int> all_orbitals(int count) {
  std::vector<int> all(count);
  for (int p = 0; p < count; ++p) all[p] = p;
  return all;
}

std::vector<String> strings_of(int orbitals, int electrons, const base::Backend& host) {
  return strings_in_shells({{all_orbitals(orbitals), electrons, electrons}}, electrons, host);
}

/// Maps a pattern over the orbitals `empty` to a string over all orbitals.
String placed(const String& pattern, const std::vector<int>& empty) {
  String string;
  pattern.for_each([&](int place) { string = string.with(empty[place]); });
  return string;
}

}  // namespace

void require_singly_occupied(const Sector& sector) {
  const int both = sector.alpha_electrons + sector.beta_electrons;
  if (sector.alpha_electrons < 0 || sector.beta_electrons < 0 || both > sector.orbitals)
    base::fail(base::ErrorKind::configuration, both, " electrons on ", sector.orbitals,
               " sites without double occupation; expected at most one electron per site");
}

Space singly_occupied_space(const Sector& sector, const base::Backend& host) {
  require_singly_occupied(sector);
  Space::Parts parts;
  parts.orbitals = sector.orbitals;
  parts.alphas = strings_of(sector.orbitals, sector.alpha_electrons, host);
  parts.betas = strings_of(sector.orbitals, sector.beta_electrons, host);
  const std::vector<String> patterns =
      strings_of(sector.orbitals - sector.alpha_electrons, sector.beta_electrons, host);
  const auto bytes = static_cast<double>(parts.alphas.size()) *
                     static_cast<double>(patterns.size()) * sizeof(StringNumber);
  const base::Reservation held(host.host_memory(), static_cast<Index>(std::min(bytes, 0x1p62)),
                               kLists);
  for (const String& alpha : parts.alphas) {
    std::vector<int> empty;
    for (int p = 0; p < sector.orbitals; ++p)
      if (!alpha.has(p)) empty.push_back(p);
    std::vector<StringNumber> list;
    for (const String& pattern : patterns) {
      const auto place = std::ranges::lower_bound(parts.betas, placed(pattern, empty));
      list.push_back(static_cast<StringNumber>(place - parts.betas.begin()));
    }
    std::ranges::sort(list);
    parts.list_of.push_back(static_cast<StringNumber>(parts.lists.size()));
    parts.lists.push_back(std::move(list));
  }
  return {std::move(parts), host};
}

}  // namespace cisolve::ci
