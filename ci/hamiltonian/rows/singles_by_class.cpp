#include "ci/hamiltonian/rows/singles_by_class.hpp"

#include <algorithm>
#include <map>

#include "base/loops.hpp"
#include "ci/fock/integrals/integrals.hpp"

namespace cisolve::ci {
namespace {

using PairSet = std::vector<std::uint64_t>;

constexpr Index kMostClasses = 64;
constexpr Index kListsGrain = 64;

bool has(const PairSet& set, Index pair) { return (set[pair / 64] >> pair % 64 & 1U) != 0; }

/// All pairs of different orbitals: a single excitation moves an electron.
PairSet moving_pairs(const VariableOrbitals& variable, Index words) {
  PairSet moving(words);
  const Index orbitals = std::ssize(variable.orbitals());
  for (Index i = 0; i < orbitals; ++i)
    for (Index j = 0; j < i; ++j) {
      const Index pair = pair_index(i, j);
      moving[pair / 64] |= std::uint64_t{1} << pair % 64;
    }
  return moving;
}

struct Classes {
  std::vector<Column> class_of;
  std::vector<PairSet> partners;  // beta pairs that have an integral with those of the class

  static Classes find(const VariableOrbitals& alpha, const VariableOrbitals& beta,
                      const MixedIntegrals& mixed) {
    Classes found;
    found.class_of.assign(alpha.pairs(), 0);
    const PairSet alpha_moves = moving_pairs(alpha, (alpha.pairs() + 63) / 64);
    const PairSet beta_moves = moving_pairs(beta, mixed.words());
    std::map<PairSet, Column> numbers;
    for (Index pair = 0; pair < alpha.pairs(); ++pair) {
      if (!has(alpha_moves, pair)) continue;
      PairSet partners(mixed.nonzeros(pair), mixed.nonzeros(pair) + mixed.words());
      for (Index k = 0; k < mixed.words(); ++k) partners[k] &= beta_moves[k];
      const auto [at, is_new] = numbers.emplace(partners, static_cast<Column>(numbers.size()));
      if (is_new) found.partners.push_back(std::move(partners));
      found.class_of[pair] = at->second;
    }
    if (found.partners.empty()) found.partners.emplace_back(mixed.words());
    return found;
  }

  void merge() {
    std::ranges::fill(class_of, 0);
    for (std::size_t k = 1; k < partners.size(); ++k)
      for (std::size_t word = 0; word < partners[k].size(); ++word)
        partners[0][word] |= partners[k][word];
    partners.resize(1);
  }
};

Index count_partners(std::span<const Single> singles, const PairSet& partners) {
  return std::ranges::count_if(
      singles, [&](const Single& single) { return has(partners, single.pair.pair()); });
}

/// Offset of the list of each class and string, and the end.
std::vector<Index> list_offsets(const Classes& classes, const ConnectionTable& beta, Index betas,
                                const base::Backend& host) {
  std::vector<Index> offsets(classes.partners.size() * betas + 1);
  base::for_each_chunk(betas, kListsGrain, host, [&](Index first, Index last) {
    for (std::size_t k = 0; k < classes.partners.size(); ++k)
      for (Index s = first; s < last; ++s)
        offsets[k * betas + s + 1] = 1 + count_partners(beta.singles(s), classes.partners[k]);
  });
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  return offsets;
}

void write_list(std::span<const Single> singles, const PairSet& partners, Index string,
                Single* next) {
  const Single self{static_cast<Column>(string), {Connection::kSelf}};
  bool is_behind = false;
  for (const Single& single : singles) {
    if (!is_behind && single.target > string) {
      *next++ = self;
      is_behind = true;
    }
    if (has(partners, single.pair.pair())) *next++ = single;
  }
  if (!is_behind) *next = self;
}

}  // namespace

SinglesByClass::SinglesByClass(const ConnectionTable& alpha, const ConnectionTable& beta,
                               const MixedIntegrals& mixed, Index betas, const base::Backend& host,
                               Index most_growth)
    : class_of(host, alpha.variable().pairs(), "the classes of pairs"),
      offsets(host, 0, "the offsets of singles"),
      singles(host, 0, "the singles of strings") {
  Classes classes = Classes::find(alpha.variable(), beta.variable(), mixed);
  Index all = betas;
  for (Index s = 0; s < betas; ++s) all += std::ssize(beta.singles(s));
  std::vector<Index> begins;
  exact = std::ssize(classes.partners) <= kMostClasses;
  if (exact) begins = list_offsets(classes, beta, betas, host);
  exact = exact && begins.back() <= most_growth * all;
  if (!exact) {
    classes.merge();
    begins = list_offsets(classes, beta, betas, host);
  }
  std::ranges::copy(classes.class_of, class_of.data());
  offsets = base::Array<Index>::copy_of(begins, host, "the offsets of singles");
  singles = base::Array<Single>(host, begins.back(), "the singles of strings");
  base::for_each_chunk(betas, kListsGrain, host, [&](Index first, Index last) {
    for (std::size_t k = 0; k < classes.partners.size(); ++k)
      for (Index s = first; s < last; ++s)
        write_list(beta.singles(s), classes.partners[k], s,
                   singles.data() + offsets[static_cast<Index>(k) * betas + s]);
  });
}

}  // namespace cisolve::ci
