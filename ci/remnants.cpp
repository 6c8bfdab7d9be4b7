#include "ci/remnants.hpp"

#include <tuple>

namespace cisolve::ci {

Remnants::Remnants(const Space& space, Spin spin, int electrons)
    : space_(space), spin_(spin), electrons_(electrons) {
  const Index strings = std::ssize(space.strings(spin));
  const Index n = space.electrons(spin);
  const Index size = strings * (electrons == 1 ? n : n * (n - 1) / 2);
  space.host().host_memory().require(size * Index{sizeof(Entry)}, "the search for connections");
  entries_.reserve(size);
  for (Index s = 0; s < strings; ++s)
    for_each_choice(s, [&](const Moved& taken, std::uint64_t key) {
      entries_.push_back({key, static_cast<Column>(s), taken});
    });
  std::ranges::sort(entries_, [](const Entry& a, const Entry& b) {
    return std::tie(a.key, a.string) < std::tie(b.key, b.string);
  });
}

}  // namespace cisolve::ci
