#include "ci/spins/least_words.hpp"

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kLeastFound = "states of spins";

/// Calls visit(word, operations) for the words of a part that are the least of their orbits.
template <class Visit>
void visit_least(const SpinWords& words, const SpinOrbits& orbits, Index first, Index last,
                 Visit visit) {
  SpinWord word = words.word(first);
  for (Index i = first; i < last; ++i, word = words.next(word)) {
    int operations = 0;
    if (orbits.visit_stabiliser(word, [&](int) { ++operations; })) visit(word, operations);
  }
}

}  // namespace

LeastWords least_words(const SpinWords& words, const SpinSector& sector, const SpinOrbits& orbits,
                       const base::Backend& backend) {
  if (!backend.is_host()) return cuda::least_words(words, sector, backend);
  const Index parts = parts_of(words);
  base::Array<Index> begins(backend, parts + 1, "parts of the words of spins");
  begins[0] = 0;
  base::for_each_chunk(words.count(), kWordsAtOnce, backend, [&](Index first, Index last) {
    Index count = 0;
    visit_least(words, orbits, first, last, [&](SpinWord, int) { ++count; });
    begins[first / kWordsAtOnce + 1] = count;
  });
  for (Index part = 0; part < parts; ++part) begins[part + 1] += begins[part];
  LeastWords found{{backend, begins[parts], kLeastFound}, {backend, begins[parts], kLeastFound}};
  base::for_each_chunk(words.count(), kWordsAtOnce, backend, [&](Index first, Index last) {
    Index place = begins[first / kWordsAtOnce];
    visit_least(words, orbits, first, last, [&](SpinWord word, int operations) {
      found.words[place] = word;
      found.is_fixed[place++] = operations > 1 ? 1 : 0;
    });
  });
  return found;
}

}  // namespace cisolve::ci
