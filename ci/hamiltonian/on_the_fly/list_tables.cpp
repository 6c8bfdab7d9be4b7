#include "ci/hamiltonian/on_the_fly/list_tables.hpp"

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr const char* kSets = "the lists of beta strings as sets";
constexpr Index kRowsTogether = 32;  // rows of one alpha string, one thread of a warp each
constexpr Index kMostIdle = 8;       // threads per row

Index words_for(Index betas) { return (betas + 63) / 64; }

void set(ListWord* words, Index beta) { words[beta / 64].bits |= std::uint64_t{1} << (beta % 64); }

void count_before(ListWord* words, Index count) {
  std::int64_t before = 0;
  for (Index w = 0; w < count; ++w) {
    words[w].before = before;
    before += std::popcount(words[w].bits);
  }
}

/// Bit sets, each with the members that for_each(number, visit) lists.
template <class ForEach>
base::Array<ListWord> sets(Index count, Index words, const base::Backend& host,
                           ForEach&& for_each) {
  base::Array<ListWord> all(host, count * words, kSets);
  std::ranges::fill(all.span(), ListWord{});
  base::for_each_chunk(count, 64, host, [&](Index first, Index last) {
    for (Index number = first; number < last; ++number) {
      ListWord* own = all.data() + number * words;
      for_each(number, [&](Index beta) { set(own, beta); });
      count_before(own, words);
    }
  });
  return all;
}

/// Enough threads of each warp must have a row.
bool are_long_enough(const Space& space) {
  Index threads = 0;
  for (Index a = 0; a < std::ssize(space.strings(Spin::alpha)); ++a)
    threads += (std::ssize(space.betas_of(a)) + kRowsTogether - 1) / kRowsTogether * kRowsTogether;
  return threads <= kMostIdle * space.dimension();
}

bool have_room(const Space& space, const base::Backend& backend) {
  const Index betas = std::ssize(space.strings(Spin::beta));
  const auto bytes =
      static_cast<double>((space.lists() + betas) * words_for(betas)) * double{sizeof(ListWord)};
  const auto left = [](const base::Backend& where) {
    return static_cast<double>(where.memory().left());
  };
  return bytes < left(backend) / 8 && bytes < left(space.host()) / 4;
}

}  // namespace

std::optional<ListTables> ListTables::of(const HamiltonianRows& h, const base::Backend& backend) {
  if (!are_long_enough(h.space()) || !have_room(h.space(), backend)) return std::nullopt;
  return ListTables(h, backend);
}

ListTables::ListTables(const HamiltonianRows& h, const base::Backend& backend)
    : rows_(h, backend), lists_(backend, 0, kSets), neighbours_(backend, 0, kSets) {
  const Space& space = h.space();
  const Index betas = std::ssize(space.strings(Spin::beta));
  lists_ = sets(space.lists(), words_for(betas), space.host(), [&](Index list, auto&& visit) {
             for (const StringNumber beta : space.list(list)) visit(beta);
           }).to(backend);
  neighbours_ = sets(betas, words_for(betas), space.host(), [&](Index beta, auto&& visit) {
                  for (const Connection& to : h.connections_of_beta(beta)) visit(to.target);
                }).to(backend);
}

ListsView ListTables::view() const {
  const RowTablesView t = rows_.canonical_view();
  return {t, words_for(t.betas), lists_.data(), neighbours_.data()};
}

}  // namespace cisolve::ci
