#include "ci/properties/single_excitations.hpp"

#include <algorithm>

#include "base/loops.hpp"
#include "base/offsets.hpp"
#include "ci/fock/spaces/strings_with_fewer_electrons.hpp"
#include "ci/properties/excitation_sign.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kMovesGrain = 64;

}  // namespace

SingleExcitations::SingleExcitations(const Space& space, Spin spin)
    : offsets_(space.host(), 0, "the offsets of single excitations"),
      moves_(space.host(), 0, "the single excitations") {
  const base::Backend& host = space.host();
  const auto strings = space.strings(spin);
  const StringsWithFewerElectrons one_fewer(space, spin, 1);
  base::Array<Column> counts(host, std::ssize(strings), "the counts of single excitations");
  base::for_each_chunk(counts.size(), kMovesGrain, host, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      counts[s] = 0;
      one_fewer.for_each_partner(
          s, [&](Index, const MovedOrbitals&, const MovedOrbitals&) { ++counts[s]; });
    }
  });
  offsets_ = base::offsets_from(counts.span(), host, "the offsets of single excitations");
  moves_ = base::Array<SingleExcitation>(host, offsets_[counts.size()],
                                         "the single excitations of strings");
  base::for_each_chunk(counts.size(), kMovesGrain, host, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      SingleExcitation* const begin = moves_.data() + offsets_[s];
      SingleExcitation* next = begin;
      one_fewer.for_each_partner(
          s, [&](Index target, const MovedOrbitals& from, const MovedOrbitals& to) {
            *next++ = {static_cast<StringNumber>(target), from.first, to.first,
                       excitation_changes_sign(strings[s], from.first, to.first)};
          });
      std::sort(begin, next, [](const SingleExcitation& a, const SingleExcitation& b) {
        return a.target < b.target;
      });
    }
  });
}

namespace {

/// Calls take(excitation) for a string's excitations into a list; `at`: list x strings + string.
template <class Take>
void for_each_in_list(const Space& space, const SingleExcitations& betas, Index at, Take&& take) {
  const Index strings = std::ssize(space.strings(Spin::beta));
  for (const SingleExcitation& move : betas.of(at % strings))
    if (const StringNumber place = space.position(at / strings, move.target); place >= 0)
      take(SingleExcitation{place, move.from, move.to, move.odd});
}

}  // namespace

std::optional<ListExcitations> ListExcitations::of(const Space& space,
                                                   const SingleExcitations& betas) {
  constexpr Index kOfDeterminant = 16;
  const base::Backend& host = space.host();
  const Index moves = std::ssize(betas.all());
  if (space.lists() * moves > kOfDeterminant * space.dimension()) return {};
  base::Array<Column> counts(host, space.lists() * std::ssize(space.strings(Spin::beta)),
                             "the counts of single excitations");
  base::for_each_chunk(counts.size(), kMovesGrain, host, [&](Index first, Index last) {
    for (Index at = first; at < last; ++at) {
      counts[at] = 0;
      for_each_in_list(space, betas, at, [&](const SingleExcitation&) { ++counts[at]; });
    }
  });
  auto offsets = base::offsets_from(counts.span(), host, "the offsets of single excitations");
  if (offsets[counts.size()] > 2 * moves) return {};
  return ListExcitations(space, betas, std::move(offsets));
}

ListExcitations::ListExcitations(const Space& space, const SingleExcitations& betas,
                                 base::Array<Index> offsets)
    : offsets_(std::move(offsets)),
      moves_(space.host(), offsets_[offsets_.size() - 1], "the single excitations into lists") {
  base::for_each_chunk(
      offsets_.size() - 1, kMovesGrain, space.host(), [&](Index first, Index last) {
        SingleExcitation* next = moves_.data() + offsets_[first];
        for (Index at = first; at < last; ++at)
          for_each_in_list(space, betas, at, [&](const SingleExcitation& move) { *next++ = move; });
      });
}

namespace {

constexpr auto kExchanges = "the exchanges of spins";
constexpr Index kEmptyShare = 16;  // at least 1/16 of all pairs of strings are determinants

}  // namespace

std::optional<SpinExchangeTable> SpinExchangeTable::of(const Space& space,
                                                       const SingleExcitations& betas,
                                                       Index strings_in_part) {
  const Index pairs =
      std::ssize(space.strings(Spin::alpha)) * std::ssize(space.strings(Spin::beta));
  if (pairs == 0 || kEmptyShare * space.dimension() < pairs) return {};
  return SpinExchangeTable(space, betas, strings_in_part);
}

SpinExchangeTable::SpinExchangeTable(const Space& space, const SingleExcitations& betas,
                                     Index strings_in_part)
    : orbitals_(space.orbitals()),
      parts_((std::ssize(space.strings(Spin::beta)) + strings_in_part - 1) / strings_in_part),
      strings_in_part_(strings_in_part),
      offsets_(space.host(), 0, kExchanges),
      exchanges_(space.host(), std::ssize(betas.all()), kExchanges) {
  const Index strings = std::ssize(space.strings(Spin::beta));
  const auto place = [&](const SingleExcitation& move, Index string) {
    return (Index{move.from} * orbitals_ + move.to) * parts_ + string / strings_in_part_;
  };
  std::vector<Column> counts(static_cast<std::size_t>(Index{orbitals_} * orbitals_ * parts_));
  for (Index s = 0; s < strings; ++s)
    for (const SingleExcitation& move : betas.of(s)) ++counts[place(move, s)];
  offsets_ = base::offsets_from(counts, space.host(), kExchanges);
  std::vector<Index> next(offsets_.data(), offsets_.data() + offsets_.size() - 1);
  for (Index s = 0; s < strings; ++s)
    for (const SingleExcitation& move : betas.of(s))
      exchanges_[next[place(move, s)]++] = {
          static_cast<StringNumber>(s),
          static_cast<std::uint32_t>(move.target) << 1 | (move.odd ? 1U : 0U)};
}

SpinExchangeTable::SpinExchangeTable(const SpinExchangeTable& other, const base::Backend& target)
    : orbitals_(other.orbitals_),
      parts_(other.parts_),
      strings_in_part_(other.strings_in_part_),
      offsets_(other.offsets_.to(target)),
      exchanges_(other.exchanges_.to(target)) {}

SpinExchangeTable SpinExchangeTable::to(const base::Backend& target) const {
  return {*this, target};
}

}  // namespace cisolve::ci
