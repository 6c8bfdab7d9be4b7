#include "job/problem/space_lists.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/loops.hpp"

namespace cisolve::job {
namespace {

using base::ErrorKind;
using base::fail;
using ci::Determinant;

constexpr Index kEntriesOfPart = Index{1} << 17;

/// Throws unless `strings` has complete strings.
void require_whole_strings(const ci::PackedStrings& strings, const std::string& place) {
  if (strings.words < 1 || strings.words > ci::String::kWords)
    fail(ErrorKind::bad_input, place, ": ", strings.words, " words for each string; expected 1 to ",
         ci::String::kWords);
  if (std::ssize(strings.bits) % strings.words != 0)
    fail(ErrorKind::bad_input, place, ": ", strings.bits.size(), " words; expected a multiple of ",
         strings.words);
}

/// The list of determinants at(0), at(1), ... Names the first one with a problem, whatever the
/// number of threads.
template <class At, class ProblemOf>
ci::DeterminantIndex checked_list(Index count, const At& at, const ProblemOf& problem_of,
                                  const std::string& place, const base::Backend& host) {
  if (count == 0)
    fail(ErrorKind::bad_input, place, ": the list is empty; expected at least one entry");
  const Index pieces = (count + kEntriesOfPart - 1) / kEntriesOfPart;
  std::vector<ci::ListChunk> parts(pieces);
  std::vector<Index> wrong(pieces, count);
  base::for_each_chunk(count, kEntriesOfPart, host, [&](Index first, Index last) {
    const Index piece = first / kEntriesOfPart;
    for (Index k = first; k < last; ++k) {
      const Determinant determinant = at(k);
      if (!problem_of(determinant).empty()) {
        wrong[piece] = k;
        return;
      }
      parts[piece].add(determinant);
    }
    parts[piece].reserve_in_budget(host);
  });
  if (const Index k = std::ranges::min(wrong); k < count)
    fail(ErrorKind::bad_input, place, ": index ", k, problem_of(at(k)));
  ci::DeterminantIndex order(std::move(parts), host);
  if (const auto repeat = order.first_repeat())
    fail(ErrorKind::bad_input, place, ": index ", repeat->first, " repeats index ", repeat->second,
         "; expected each entry once");
  return order;
}

}  // namespace

std::string place_of(const GivenDeterminants& list) {
  return list.values() == nullptr ? list.file() : "the given determinants";
}

ci::DeterminantIndex read_determinants(const GivenDeterminants& list, const io::ListSector& sector,
                                       const base::Backend& host) {
  const ci::PackedDeterminants* given = list.values();
  if (given == nullptr) return io::read_determinant_list(list.file(), sector, host);
  const std::string place = place_of(list);
  require_whole_strings(given->alpha, place);
  require_whole_strings(given->beta, place);
  if (given->alpha.size() != given->beta.size())
    fail(ErrorKind::bad_input, place, ": ", given->alpha.size(), " alpha and ", given->beta.size(),
         " beta strings; expected equal numbers");
  return checked_list(
      given->alpha.size(),
      [&](Index k) {
        return Determinant{given->alpha[k], given->beta[k]};
      },
      [&](const Determinant& determinant) { return io::problem_of(determinant, sector); }, place,
      host);
}

std::vector<ci::String> read_strings(const GivenStrings& list, ci::Spin spin,
                                     const io::ListSector& sector, const base::Backend& host) {
  const ci::PackedStrings* given = list.values();
  if (given == nullptr) return io::read_strings(list.file(), sector, host);
  const std::string place =
      spin == ci::Spin::alpha ? "the given alpha strings" : "the given beta strings";
  require_whole_strings(*given, place);
  const ci::DeterminantIndex order = checked_list(
      given->size(),
      [&](Index k) {
        return Determinant{(*given)[k], {}};
      },
      [&](const Determinant& string) { return io::problem_of(string.alpha, sector); }, place, host);
  return order.alphas();
}

}  // namespace cisolve::job
