#include "ci/lattice/sectors/least_words.hpp"

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kLeastFound = "states of words";

/// Calls visit(word) for the representatives among words [first, last).
template <class Visit>
void visit_least(const SpinWords& words, const SpinOrbits& orbits, Index first, Index last,
                 Visit visit) {
  SpinWord word = words.word(first);
  for (Index i = first; i < last; ++i, word = words.next(word))
    if (orbits.visit_stabiliser(word, [](int) {})) visit(word);
}

}  // namespace

base::Array<SpinWord> least_words(const SpinWords& words, const SpinSector& sector,
                                  const SpinOrbits& orbits, const base::Backend& backend) {
  if (!backend.is_host()) return cuda::least_words(words, sector, backend);
  const Index parts = parts_of(words);
  base::Array<Index> begins(backend, parts + 1, "parts of all words");
  begins[0] = 0;
  base::for_each_chunk(words.count(), kWordsAtOnce, backend, [&](Index first, Index last) {
    Index count = 0;
    visit_least(words, orbits, first, last, [&](SpinWord) { ++count; });
    begins[first / kWordsAtOnce + 1] = count;
  });
  for (Index part = 0; part < parts; ++part) begins[part + 1] += begins[part];
  base::Array<SpinWord> found(backend, begins[parts], kLeastFound);
  base::for_each_chunk(words.count(), kWordsAtOnce, backend, [&](Index first, Index last) {
    Index place = begins[first / kWordsAtOnce];
    visit_least(words, orbits, first, last, [&](SpinWord word) { found[place++] = word; });
  });
  return found;
}

}  // namespace cisolve::ci
