#include "ci/properties/excitation_rows.hpp"

#include <algorithm>

#include "ci/properties/single_excitations.hpp"

namespace cisolve::ci {

ExcitationRows::ExcitationRows(int orbitals)
    : orbitals_(orbitals), places_(pairs()), columns_(pairs(), -1) {
  for (int most = orbitals - 1; most >= 0; --most)
    for (int least = most; least >= 0; --least) {
      columns_[Index{most} * orbitals + least] = std::ssize(lower_);
      lower_.push_back(std::ssize(pairs_));
      pairs_.push_back({most, least});
      if (most != least) pairs_.push_back({least, most});
    }
  for (Index place = 0; place < pairs(); ++place)
    places_[Index{pairs_[place].to} * orbitals + pairs_[place].from] = place;
}

Index ExcitationRows::rows_of_column(Index column) const {
  const Index next = column + 1 < std::ssize(lower_) ? lower_[column + 1] : pairs();
  return row_of(next, 0);
}

std::vector<StringNumber> sources_of(const Space& space, Spin spin, const ExcitationRows& rows) {
  const Index strings = std::ssize(space.strings(spin));
  space.host().host_memory().require(
      strings * rows.pairs() * static_cast<Index>(sizeof(StringNumber)),
      "the table of excitations");
  std::vector<StringNumber> sources(static_cast<std::size_t>(strings * rows.pairs()), 0);
  const SingleExcitations moves(space, spin);
  for (Index s = 0; s < strings; ++s) {
    StringNumber* const here = sources.data() + s * rows.pairs();
    for (const int p : space.occupied(spin, s))
      here[rows.place(p, p)] = static_cast<StringNumber>(s + 1);
    for (const SingleExcitation& move : moves.of(s)) {
      const StringNumber number = move.target + 1;
      here[rows.place(move.from, move.to)] = move.odd ? -number : number;
    }
  }
  return sources;
}

}  // namespace cisolve::ci
