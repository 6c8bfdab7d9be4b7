#include "ci/fock/spaces/space.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

// A position table may have this many entries for any space, and as many as the space has rows.
constexpr Index kSmallTable = Index{1} << 24;

base::Array<Index> offsets_of_lists(const Space::Parts& parts, const base::Backend& host) {
  base::Array<Index> offsets(host, std::ssize(parts.lists) + 1, "the lists of beta strings");
  offsets[0] = 0;
  for (Index l = 0; l < std::ssize(parts.lists); ++l)
    offsets[l + 1] = offsets[l] + std::ssize(parts.lists[l]);
  return offsets;
}

base::Array<StringNumber> members_of_lists(const Space::Parts& parts, Index size,
                                           const base::Backend& host) {
  base::Array<StringNumber> members(host, size, "the lists of beta strings");
  StringNumber* next = members.data();
  for (const auto& list : parts.lists) next = std::ranges::copy(list, next).out;
  return members;
}

base::Array<Index> rows_of_alphas(const Space::Parts& parts, const base::Backend& host) {
  base::Array<Index> rows(host, std::ssize(parts.alphas) + 1, "the rows of the alpha strings");
  rows[0] = 0;
  for (Index a = 0; a < std::ssize(parts.alphas); ++a)
    rows[a + 1] = rows[a] + std::ssize(parts.lists[parts.list_of[a]]);
  return rows;
}

void require_numbered(const std::vector<String>& strings) {
  if (std::ssize(strings) > std::numeric_limits<StringNumber>::max())
    base::fail(base::ErrorKind::bad_input, strings.size(),
               " strings of one spin; expected at most ", std::numeric_limits<StringNumber>::max());
}

Index positions_needed(Index lists, Index betas, Index dimension) {
  const Index size = lists * betas;
  return size <= std::max(kSmallTable, dimension) ? size : 0;
}

}  // namespace

Space::Space(Parts parts, const base::Backend& host)
    : orbitals_(parts.orbitals),
      electrons_{parts.alphas.empty() ? 0 : parts.alphas[0].count(),
                 parts.betas.empty() ? 0 : parts.betas[0].count()},
      references_(std::move(parts.references)),
      strings_{base::Array<String>::copy_of(parts.alphas, host, "the alpha strings"),
               base::Array<String>::copy_of(parts.betas, host, "the beta strings")},
      occupied_{base::Array<std::uint8_t>(host, std::ssize(parts.alphas) * electrons_[0],
                                          "the occupied orbitals"),
                base::Array<std::uint8_t>(host, std::ssize(parts.betas) * electrons_[1],
                                          "the occupied orbitals")},
      list_of_(
          base::Array<StringNumber>::copy_of(parts.list_of, host, "the lists of alpha strings")),
      first_row_(rows_of_alphas(parts, host)),
      list_offsets_(offsets_of_lists(parts, host)),
      members_(members_of_lists(parts, list_offsets_[std::ssize(parts.lists)], host)),
      positions_(host,
                 positions_needed(std::ssize(parts.lists), std::ssize(parts.betas), dimension()),
                 "the positions in the lists of beta strings") {
  require_numbered(parts.alphas);
  require_numbered(parts.betas);
  if (dimension() == 0)
    base::fail(base::ErrorKind::bad_input, "the space has no determinant; expected at least one");
  fill_occupied(Spin::alpha);
  fill_occupied(Spin::beta);
  if (positions_.size() > 0) fill_positions();
}

void Space::fill_occupied(Spin spin) {
  std::uint8_t* next = occupied_[index(spin)].data();
  for (const String& string : strings(spin))
    string.for_each([&](int p) { *next++ = static_cast<std::uint8_t>(p); });
}

void Space::fill_positions() {
  std::ranges::fill(positions_.span(), StringNumber{-1});
  for (Index l = 0; l < lists(); ++l) {
    StringNumber position = 0;
    for (const StringNumber beta : list(l)) positions_[l * beta_count() + beta] = position++;
  }
}

StringNumber Space::search(Index list_number, Index beta) const {
  const auto members = list(list_number);
  const auto found = std::ranges::lower_bound(members, static_cast<StringNumber>(beta));
  return found != members.end() && *found == beta
             ? static_cast<StringNumber>(found - members.begin())
             : -1;
}

Space::Place Space::place_of(Index row) const {
  const Index alpha = alpha_of(row);
  return {alpha, betas_of(alpha)[row - first_row(alpha)]};
}

Index Space::alpha_of(Index row) const {
  const auto rows = first_row_.span();
  return std::ranges::upper_bound(rows, row) - rows.begin() - Index{1};
}

Determinant Space::determinant(Index row) const {
  const Place place = place_of(row);
  return {strings_[0][place.alpha], strings_[1][place.beta]};
}

std::optional<Index> Space::row_of(const Determinant& determinant) const {
  const auto find = [&](Spin spin) -> Index {
    const auto all = strings(spin);
    const auto found = std::ranges::lower_bound(all, determinant[spin]);
    return found != all.end() && *found == determinant[spin] ? found - all.begin() : -1;
  };
  const Index alpha = find(Spin::alpha);
  const Index beta = find(Spin::beta);
  if (alpha < 0 || beta < 0) return std::nullopt;
  const StringNumber place = position(list_of(alpha), beta);
  if (place < 0) return std::nullopt;
  return first_row(alpha) + place;
}

}  // namespace cisolve::ci
