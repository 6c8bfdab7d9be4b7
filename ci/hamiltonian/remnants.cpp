#include "ci/hamiltonian/remnants.hpp"

#include <tuple>

namespace cisolve::ci {

Remnants::Remnants(const Space& space, Spin spin, int electrons)
    : space_(space),
      spin_(spin),
      electrons_(electrons),
      entries_(space.host(), 0, "the search for connections") {
  const Index strings = std::ssize(space.strings(spin));
  const Index n = space.electrons(spin);
  const Index size = strings * (electrons == 1 ? n : n * (n - 1) / 2);
  entries_ = base::Array<Entry>(space.host(), size, "the search for connections");
  // Two remnants with one key would be a rare accident; other keys then set it right.
  for (std::uint64_t attempt = 0; attempt == 0 || !keys_are_unique(); ++attempt) {
    for (int p = 0; p < kMostOrbitals; ++p) orbital_key_[p] = base::mix(attempt, p);
    fill();
  }
}

void Remnants::fill() {
  Entry* next = entries_.data();
  for (Index s = 0; s < std::ssize(space_.strings(spin_)); ++s)
    for_each_choice(s, [&](const Moved& taken, std::uint64_t key) {
      *next++ = {key, static_cast<Column>(s), taken};
    });
  std::ranges::sort(entries_.span(), [](const Entry& a, const Entry& b) {
    return std::tie(a.key, a.string) < std::tie(b.key, b.string);
  });
}

bool Remnants::keys_are_unique() const {
  const auto strings = space_.strings(spin_);
  const auto remnant = [&](const Entry& entry) {
    return strings[entry.string].without(entry.taken.first).without(entry.taken.second);
  };
  const auto all = entries_.span();
  return std::ranges::adjacent_find(all, [&](const Entry& a, const Entry& b) {
           return a.key == b.key && remnant(a) != remnant(b);
         }) == all.end();
}

}  // namespace cisolve::ci
