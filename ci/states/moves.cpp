#include "ci/states/moves.hpp"

#include <algorithm>

#include "base/loops.hpp"
#include "ci/hamiltonian/remnants.hpp"
#include "ci/hamiltonian/slater_condon.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kMovesGrain = 64;

}  // namespace

MoveTable::MoveTable(const Space& space, Spin spin)
    : offsets_(space.host(), 0, "the offsets of moves"), moves_(space.host(), 0, "the moves") {
  const base::Backend& host = space.host();
  const auto strings = space.strings(spin);
  const Remnants one_fewer(space, spin, 1);
  base::Array<Column> counts(host, std::ssize(strings), "the counts of moves");
  base::for_each_chunk(counts.size(), kMovesGrain, host, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      counts[s] = 0;
      one_fewer.for_each_partner(s, [&](Index, const Moved&, const Moved&) { ++counts[s]; });
    }
  });
  offsets_ = sparse::offsets_from(counts.span(), host, "the offsets of moves");
  moves_ = base::Array<Move>(host, offsets_[counts.size()], "the moves of strings");
  base::for_each_chunk(counts.size(), kMovesGrain, host, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      Move* const begin = moves_.data() + offsets_[s];
      Move* next = begin;
      one_fewer.for_each_partner(s, [&](Index target, const Moved& from, const Moved& to) {
        *next++ = {static_cast<StringNumber>(target), from.first, to.first,
                   is_odd(strings[s], from.first, to.first)};
      });
      std::sort(begin, next, [](const Move& a, const Move& b) { return a.target < b.target; });
    }
  });
}

}  // namespace cisolve::ci
