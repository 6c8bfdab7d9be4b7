#include "ci/fock/strings/string_sets.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace cisolve::ci {
namespace {

double choices(int from, int take) {
  double count = 1;
  for (int i = 1; i <= take; ++i) count = count * (from - take + i) / i;
  return std::round(count);
}

void require_fits(double strings, const base::Backend& host) {
  constexpr double most = 1e17;  // more than any memory, less than 64 bits
  host.host_memory().require(static_cast<Index>(std::min(strings, most)) * Index{sizeof(String)},
                             "the strings of a space");
}

/// Adds all choices of `electrons` orbitals among `orbitals` to `chosen`.
void add_choices(std::span<const int> orbitals, int electrons, const String& chosen,
                 std::vector<String>& all) {
  if (electrons == 0) {
    all.push_back(chosen);
    return;
  }
  for (Index i = 0; i + electrons <= std::ssize(orbitals); ++i)
    add_choices(orbitals.subspan(i + 1), electrons - 1, chosen.with(orbitals[i]), all);
}

struct ShellFilling {
  double count = 0;
  std::vector<int> electrons;  // in each shell
};

/// All distributions of `left` electrons over the shells that `begun` has not filled.
void add_fillings(const std::vector<Shell>& shells, int left, const ShellFilling& begun,
                  std::vector<ShellFilling>& all) {
  const std::size_t shell = begun.electrons.size();
  if (shell == shells.size()) {
    if (left == 0) all.push_back(begun);
    return;
  }
  const auto size = static_cast<int>(shells[shell].orbitals.size());
  const int most = std::min({left, shells[shell].most, size});
  for (int n = std::max(0, shells[shell].least); n <= most; ++n) {
    ShellFilling next = begun;
    next.count *= choices(size, n);
    next.electrons.push_back(n);
    add_fillings(shells, left - n, next, all);
  }
}

}  // namespace

void sort_unique(std::vector<String>& strings) {
  std::ranges::sort(strings);
  const auto repeats = std::ranges::unique(strings);
  strings.erase(repeats.begin(), repeats.end());
}

std::vector<String> strings_in_shells(const std::vector<Shell>& shells, int electrons,
                                      const base::Backend& host) {
  std::vector<ShellFilling> fillings;
  add_fillings(shells, electrons, {1, {}}, fillings);
  double count = 0;
  for (const ShellFilling& filling : fillings) count += filling.count;
  require_fits(2 * count, host);

  std::vector<String> all;
  all.reserve(static_cast<std::size_t>(count));
  for (const ShellFilling& filling : fillings) {
    std::vector<String> begun = {String()};
    for (std::size_t shell = 0; shell < shells.size(); ++shell) {
      std::vector<String> next;
      for (const String& string : begun)
        add_choices(shells[shell].orbitals, filling.electrons[shell], string, next);
      begun = std::move(next);
    }
    all.insert(all.end(), begun.begin(), begun.end());
  }
  sort_unique(all);
  return all;
}

std::vector<String> strings_near(const std::vector<String>& references, int orbitals, int level,
                                 const base::Backend& host) {
  std::vector<String> all;
  for (const String& reference : references) {
    const std::vector<int> occupied = reference.orbitals();
    const auto electrons = static_cast<int>(occupied.size());
    const Shell holes{occupied, electrons - level, electrons};
    const Shell particles{(String::below(orbitals) - reference).orbitals(), 0, level};
    const auto near = strings_in_shells({holes, particles}, electrons, host);
    require_fits(2 * static_cast<double>(all.size() + near.size()), host);
    all.insert(all.end(), near.begin(), near.end());
    sort_unique(all);
  }
  return all;
}

}  // namespace cisolve::ci
