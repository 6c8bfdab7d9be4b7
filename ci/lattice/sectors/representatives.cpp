#include "ci/lattice/sectors/representatives.hpp"

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kLeastFound = "orbits of basis states";

/// Calls visit(word) for the representatives among words [first, last).
template <class Visit>
void visit_representatives(const BasisStates& words, const SymmetryOrbits& orbits, Index first,
                           Index last, Visit visit) {
  BasisState word = words.word(first);
  for (Index i = first; i < last; ++i, word = words.next(word))
    if (orbits.visit_stabiliser(word, [](int) {})) visit(word);
}

}  // namespace

base::Array<BasisState> find_representatives(const BasisStates& words, const SymmetrySector& sector,
                                             const SymmetryOrbits& orbits,
                                             const base::Backend& backend) {
  if (!backend.is_host()) return cuda::find_representatives(words, sector, backend);
  const Index parts = parts_of(words);
  base::Array<Index> begins(backend, parts + 1, "parts of all site configurations");
  begins[0] = 0;
  base::for_each_chunk(words.count(), kWordsAtOnce, backend, [&](Index first, Index last) {
    Index count = 0;
    visit_representatives(words, orbits, first, last, [&](BasisState) { ++count; });
    begins[first / kWordsAtOnce + 1] = count;
  });
  for (Index part = 0; part < parts; ++part) begins[part + 1] += begins[part];
  base::Array<BasisState> found(backend, begins[parts], kLeastFound);
  base::for_each_chunk(words.count(), kWordsAtOnce, backend, [&](Index first, Index last) {
    Index place = begins[first / kWordsAtOnce];
    visit_representatives(words, orbits, first, last,
                          [&](BasisState word) { found[place++] = word; });
  });
  return found;
}

}  // namespace cisolve::ci
