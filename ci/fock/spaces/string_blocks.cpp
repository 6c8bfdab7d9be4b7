#include "ci/fock/spaces/string_blocks.hpp"

#include <algorithm>

namespace cisolve::ci {

std::optional<std::vector<Index>> lists_of_betas(const Space& space) {
  constexpr Index none = -1;
  std::vector<Index> lists(space.strings(Spin::beta).size(), none);
  for (Index list = 0; list < space.lists(); ++list)
    for (const StringNumber beta : space.list(list)) {
      if (lists[beta] != none) return std::nullopt;
      lists[beta] = list;
    }
  if (std::ranges::find(lists, none) != lists.end()) return std::nullopt;
  return lists;
}

}  // namespace cisolve::ci
