#include "ci/fock/spaces/spaces.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "ci/fock/spaces/determinant_index.hpp"
#include "ci/fock/spaces/space_builder.hpp"
#include "ci/fock/spaces/string_classes.hpp"
#include "ci/fock/strings/string_sets.hpp"

namespace cisolve::ci {
namespace {

void require_possible(const Sector& sector) {
  const auto impossible = [&](int electrons) {
    return electrons < 0 || electrons > sector.orbitals;
  };
  if (sector.orbitals < 1 || sector.orbitals > kMostOrbitals)
    base::fail(base::ErrorKind::bad_input, sector.orbitals, " orbitals; expected 1 to ",
               kMostOrbitals);
  if (impossible(sector.alpha_electrons) || impossible(sector.beta_electrons))
    base::fail(base::ErrorKind::bad_input, sector.alpha_electrons, " alpha and ",
               sector.beta_electrons, " beta electrons in ", sector.orbitals,
               " orbitals; expected 0 to ", sector.orbitals, " of each");
  if (sector.irrep && std::ssize(sector.irreps) != sector.orbitals)
    base::fail(base::ErrorKind::bad_input, "an irrep is requested, but only ", sector.irreps.size(),
               " of ", sector.orbitals, " orbitals have one");
}

std::vector<int> range(int orbitals) {
  std::vector<int> all(orbitals);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

int electrons_of(const Sector& sector, Spin spin) {
  return spin == Spin::alpha ? sector.alpha_electrons : sector.beta_electrons;
}

void require_electrons(const Sector& sector, Spin spin, const String& string, std::string_view what,
                       Index number) {
  const std::string_view name = spin == Spin::alpha ? "alpha" : "beta";
  if (string.count() != electrons_of(sector, spin))
    base::fail(base::ErrorKind::bad_input, what, " ", number, " has ", string.count(), " ", name,
               " electrons; expected ", electrons_of(sector, spin));
  if (!(string - String::below(sector.orbitals)).empty())
    base::fail(base::ErrorKind::bad_input, what, " ", number, " occupies an orbital above number ",
               sector.orbitals);
}

void require_determinants(const Sector& sector, std::span<const Determinant> determinants,
                          std::string_view what) {
  if (determinants.empty())
    base::fail(base::ErrorKind::bad_input, "no ", what, " is given; expected at least one");
  for (Index i = 0; i < std::ssize(determinants); ++i) {
    require_electrons(sector, Spin::alpha, determinants[i].alpha, what, i + 1);
    require_electrons(sector, Spin::beta, determinants[i].beta, what, i + 1);
  }
}

/// Checks strings first; only on failure all determinants, to name the wrong one.
void require_determinants(const Sector& sector, const DeterminantIndex& order) {
  const String inside = String::below(sector.orbitals);
  const auto are_right = [&](const std::vector<String>& strings, int electrons) {
    return std::ranges::all_of(strings, [&](const String& string) {
      return string.count() == electrons && (string - inside).empty();
    });
  };
  if (order.size() == 0 || !are_right(order.alphas(), sector.alpha_electrons) ||
      !are_right(order.betas(), sector.beta_electrons))
    require_determinants(sector, order.determinants(), "determinant");
}

/// Indices that sort `items`; refuses duplicates by position.
template <class T>
std::vector<Index> sorted_places(std::span<const T> items, std::string_view what) {
  std::vector<Index> order(items.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index i, Index j) { return items[i] < items[j]; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (items[order[i - 1]] == items[order[i]])
      base::fail(base::ErrorKind::bad_input, what, " ", order[i] + 1, " repeats ", what, " ",
                 order[i - 1] + 1, "; expected each once");
  return order;
}

/// Upper bound on the memory of the beta lists, including the map that shares equal ones: per alpha
/// string a list, twice, and a map node.
Index bytes_of_lists(Index determinants, Index alphas) {
  using List = std::vector<StringNumber>;
  constexpr Index links = 4 * sizeof(void*);  // overhead of a map node
  return determinants * Index{2 * sizeof(StringNumber)} +
         alphas * (Index{sizeof(String) + sizeof(StringNumber)} + Index{2 * sizeof(List)} + links);
}

/// Refuses determinants of another irrep than the sector's, naming the first in list order.
void require_irreps(const Sector& sector, const DeterminantIndex& order) {
  if (!sector.irrep) return;
  std::vector<int> of_betas;
  for (const String& beta : order.betas()) of_betas.push_back(irrep_of(beta, sector.irreps));
  // Position and irrep of the first reference of another irrep.
  std::optional<std::pair<Index, int>> wrong;
  for (Index a = 0; a < std::ssize(order.alphas()); ++a)
    for (const DeterminantIndex::Entry& entry : order.of(a)) {
      const int irrep = irrep_of(order.alphas()[a], sector.irreps) ^ of_betas[entry.beta];
      if (irrep != *sector.irrep && (!wrong || entry.place < wrong->first))
        wrong = {entry.place, irrep};
    }
  if (wrong)
    base::fail(base::ErrorKind::bad_input, "determinant ", wrong->first + 1,
               " does not have the requested irrep: it has ", wrong->second + 1, ", expected ",
               *sector.irrep + 1);
}

std::vector<String> checked_strings(const Sector& sector, Spin spin,
                                    std::span<const String> strings) {
  const std::string_view what = spin == Spin::alpha ? "alpha string" : "beta string";
  for (Index i = 0; i < std::ssize(strings); ++i)
    require_electrons(sector, spin, strings[i], what, i + 1);
  std::vector<String> sorted;
  for (const Index place : sorted_places(strings, what)) sorted.push_back(strings[place]);
  return sorted;
}

}  // namespace

std::vector<int> levels_up_to(int level) { return range(level + 1); }

Space full_ci(const Sector& sector, const base::Backend& host) {
  require_possible(sector);
  const auto strings = [&](Spin spin) {
    const int electrons = electrons_of(sector, spin);
    return classify(
        sector, spin, strings_in_shells({{range(sector.orbitals), 0, electrons}}, electrons, host),
        [](Spin, const String&) { return StringLabel(); }, host);
  };
  return pair_classes(
      sector, strings(Spin::alpha), strings(Spin::beta),
      [](const StringLabel&, const StringLabel&) { return true; }, {}, host);
}

Space excited_space(const Sector& sector, std::span<const Determinant> references,
                    std::span<const int> levels, const base::Backend& host) {
  require_possible(sector);
  require_determinants(sector, references, "reference");
  if (levels.empty() || std::ranges::min(levels) < 0)
    base::fail(base::ErrorKind::bad_input, "the levels of excitation must be 0 or more");
  const int highest = std::ranges::max(levels);
  std::vector<bool> wanted(highest + 1, false);
  for (const int level : levels) wanted[level] = true;

  // The label of a string: its excitation level from each reference, capped at highest + 1.
  const LabelOfString label_of = [&](Spin spin, const String& string) {
    StringLabel label;
    for (const Determinant& reference : references)
      label.push_back(std::min(excitation_level(reference[spin], string), highest + 1));
    return label;
  };
  const PairPredicate allowed = [&](const StringLabel& alpha, const StringLabel& beta) {
    for (std::size_t r = 0; r < references.size(); ++r) {
      const int level = alpha[r] + beta[r];
      if (level <= highest && wanted[level]) return true;
    }
    return false;
  };
  const auto strings = [&](Spin spin) {
    std::vector<String> starts;
    for (const Determinant& reference : references) starts.push_back(reference[spin]);
    sort_unique(starts);
    return classify(sector, spin, strings_near(starts, sector.orbitals, highest, host), label_of,
                    host);
  };
  return pair_classes(sector, strings(Spin::alpha), strings(Spin::beta), allowed,
                      {references.begin(), references.end()}, host);
}

Space restricted_active_space(const Sector& sector, const RasLimits& limits,
                              const base::Backend& host) {
  require_possible(sector);
  if (limits.holes < 0 || limits.particles < 0)
    base::fail(base::ErrorKind::bad_input, "at most ", limits.holes, " holes and ",
               limits.particles, " particles; expected 0 or more");
  String taken;
  for (const auto* shell : {&limits.ras1, &limits.ras3})
    for (const int p : *shell) {
      if (p < 0 || p >= sector.orbitals || taken.has(p))
        base::fail(base::ErrorKind::bad_input, "orbital ", p + 1, " of ras1 or ras3 is ",
                   p < 0 || p >= sector.orbitals ? "out of range" : "listed twice",
                   "; expected 1 to ", sector.orbitals, ", each once");
      taken = taken.with(p);
    }
  const String ras1 = String::of(limits.ras1);
  const String ras3 = String::of(limits.ras3);
  const std::vector<int> ras2 = (String::below(sector.orbitals) - taken).orbitals();

  const auto strings = [&](Spin spin) {
    const int electrons = electrons_of(sector, spin);
    const std::vector<Shell> shells = {{limits.ras1, ras1.count() - limits.holes, electrons},
                                       {ras2, 0, electrons},
                                       {limits.ras3, 0, limits.particles}};
    return classify(
        sector, spin, strings_in_shells(shells, electrons, host),
        [&](Spin, const String& string) {
          return StringLabel{(ras1 - string).count(), (string & ras3).count()};
        },
        host);
  };
  const PairPredicate allowed = [&](const StringLabel& alpha, const StringLabel& beta) {
    return alpha[0] + beta[0] <= limits.holes && alpha[1] + beta[1] <= limits.particles;
  };
  return pair_classes(sector, strings(Spin::alpha), strings(Spin::beta), allowed, {}, host);
}

Space list_space(const Sector& sector, std::span<const Determinant> determinants,
                 const base::Backend& host) {
  return list_space(sector, DeterminantIndex(determinants, host), host);
}

Space list_space(const Sector& sector, const DeterminantIndex& determinants,
                 const base::Backend& host) {
  require_possible(sector);
  require_determinants(sector, determinants);
  if (const auto repeat = determinants.first_repeat())
    base::fail(base::ErrorKind::bad_input, "determinant ", repeat->first + 1,
               " repeats determinant ", repeat->second + 1, "; expected each once");
  require_irreps(sector, determinants);
  const std::vector<String>& alphas = determinants.alphas();
  const base::Reservation lists(host.host_memory(),
                                bytes_of_lists(determinants.size(), std::ssize(alphas)),
                                "the lists of beta strings");
  SpaceBuilder parts(sector.orbitals, determinants.betas());
  std::vector<StringNumber> list;
  for (Index a = 0; a < std::ssize(alphas); ++a) {
    list.clear();
    for (const DeterminantIndex::Entry& entry : determinants.of(a)) list.push_back(entry.beta);
    parts.add(alphas[a], list);
  }
  return Space(parts.take(), host);
}

Space product_space(const Sector& sector, std::span<const String> alphas,
                    std::span<const String> betas, const base::Backend& host) {
  require_possible(sector);
  const auto no_label = [](Spin, const String&) { return StringLabel(); };
  const auto classes = [&](Spin spin, std::span<const String> strings) {
    return classify(sector, spin, checked_strings(sector, spin, strings), no_label, host);
  };
  return pair_classes(
      sector, classes(Spin::alpha, alphas), classes(Spin::beta, betas),
      [](const StringLabel&, const StringLabel&) { return true; }, {}, host);
}

}  // namespace cisolve::ci
