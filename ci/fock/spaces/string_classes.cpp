#include "ci/fock/spaces/string_classes.hpp"

#include <map>
#include <utility>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

/// Drops strings whose class has no partner class.
void keep(StringClasses& classes, const std::vector<bool>& wanted) {
  std::vector<String> strings;
  std::vector<int> class_of;
  for (std::size_t s = 0; s < classes.strings.size(); ++s)
    if (wanted[classes.class_of[s]]) {
      strings.push_back(classes.strings[s]);
      class_of.push_back(classes.class_of[s]);
    }
  classes.strings = std::move(strings);
  classes.class_of = std::move(class_of);
}

/// The total length of the beta lists of all alpha classes.
Index members_of(const std::vector<std::vector<bool>>& pairs, const StringClasses& betas) {
  std::vector<Index> size_of(betas.labels.size(), 0);
  for (const int b : betas.class_of) ++size_of[b];
  Index members = 0;
  for (const auto& with : pairs)
    for (std::size_t b = 0; b < with.size(); ++b) members += with[b] ? size_of[b] : 0;
  return members;
}

}  // namespace

int irrep_of(const String& string, std::span<const int> irreps) {
  int irrep = 0;
  string.for_each([&](int p) { irrep ^= irreps[p]; });
  return irrep;
}

StringClasses classify(const Sector& sector, Spin spin, std::vector<String> strings,
                       const LabelOfString& label_of, const base::Backend& host) {
  const Index bytes = std::ssize(strings) * Index{2 * (sizeof(String) + sizeof(int))};
  StringClasses result{{}, {}, {}, {host.host_memory(), bytes, "the strings of a space"}};
  std::map<StringLabel, int> numbers;
  for (const String& string : strings) {
    StringLabel label = label_of(spin, string);
    label.push_back(sector.irrep ? irrep_of(string, sector.irreps) : 0);
    const auto [entry, is_new] = numbers.emplace(label, static_cast<int>(numbers.size()));
    if (is_new) result.labels.push_back(std::move(label));
    result.class_of.push_back(entry->second);
  }
  result.strings = std::move(strings);
  return result;
}

Space pair_classes(const Sector& sector, StringClasses alphas, StringClasses betas,
                   const PairPredicate& allowed, std::vector<Determinant> references,
                   const base::Backend& host) {
  const std::size_t alpha_classes = alphas.labels.size();
  const std::size_t beta_classes = betas.labels.size();
  std::vector<std::vector<bool>> pairs(alpha_classes, std::vector<bool>(beta_classes, false));
  std::vector<bool> alpha_wanted(alpha_classes, false);
  std::vector<bool> beta_wanted(beta_classes, false);
  for (std::size_t a = 0; a < alpha_classes; ++a)
    for (std::size_t b = 0; b < beta_classes; ++b) {
      const int irrep = alphas.labels[a].back() ^ betas.labels[b].back();
      if (sector.irrep.value_or(0) != irrep || !allowed(alphas.labels[a], betas.labels[b]))
        continue;
      pairs[a][b] = true;
      alpha_wanted[a] = true;
      beta_wanted[b] = true;
    }
  keep(alphas, alpha_wanted);
  keep(betas, beta_wanted);
  if (alphas.strings.empty() && sector.irrep)
    base::fail(base::ErrorKind::bad_input, "the space has no determinant of irrep ",
               *sector.irrep + 1, "; expected at least one");

  const Index members = members_of(pairs, betas);
  const base::Reservation lists(host.host_memory(), members * Index{2 * sizeof(StringNumber)},
                                "the lists of beta strings");
  Space::Parts parts{sector.orbitals,
                     std::move(alphas.strings),
                     std::move(betas.strings),
                     {},
                     std::vector<std::vector<StringNumber>>(alpha_classes),
                     std::move(references)};
  parts.list_of.assign(alphas.class_of.begin(), alphas.class_of.end());
  for (std::size_t a = 0; a < alpha_classes; ++a)
    for (std::size_t b = 0; alpha_wanted[a] && b < betas.class_of.size(); ++b)
      if (pairs[a][betas.class_of[b]]) parts.lists[a].push_back(static_cast<StringNumber>(b));
  return Space(std::move(parts), host);
}

}  // namespace cisolve::ci
