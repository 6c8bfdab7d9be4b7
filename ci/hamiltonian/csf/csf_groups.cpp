#include "ci/hamiltonian/csf/csf_groups.hpp"

namespace cisolve::ci {
namespace {

Index elements_of(const CsfBasis& basis) {
  Index sum = 0;
  for (const auto& spins : basis.spin_functions())
    if (spins) sum += std::ssize(spins->patterns()) * spins->functions();
  return sum;
}

std::vector<Index> count_by_open(const CsfBasis& basis) {
  std::vector<Index> counts(basis.spin_functions().size(), 0);
  for (const CsfBasis::Configuration& here : basis.configurations().span()) ++counts[here.open];
  return counts;
}

}  // namespace

CsfGroups::CsfGroups(const CsfBasis& basis)
    : places(basis.rows().backend(), basis.configurations().size(), "the places of configurations"),
      by_pattern(basis.rows().backend(), elements_of(basis), "the spin functions"),
      by_function(basis.rows().backend(), elements_of(basis), "the spin functions") {
  const std::vector<Index> counts = count_by_open(basis);
  std::vector<Index> next(counts.size(), 0);  // place of each group
  Index place = 0;
  Index coefficient = 0;
  for (Index open = std::ssize(counts) - 1; open >= 0; --open) {
    if (counts[open] == 0) continue;
    const SpinFunctions& spins = *basis.spin_functions()[open];
    const Index patterns = std::ssize(spins.patterns());
    const Index functions = spins.functions();
    groups.push_back({counts[open], place, patterns, functions, coefficient});
    for (Index i = 0; i < patterns; ++i)
      for (Index f = 0; f < functions; ++f)
        by_pattern[coefficient + i * functions + f] = by_function[coefficient + f * patterns + i] =
            spins.sign(i) * spins.ordered(i, f);
    next[open] = place;
    place += counts[open];
    coefficient += patterns * functions;
  }
  for (const CsfBasis::Configuration& here : basis.configurations().span())
    places[next[here.open]++] = {here.first_row, here.first_function};
}

}  // namespace cisolve::ci
