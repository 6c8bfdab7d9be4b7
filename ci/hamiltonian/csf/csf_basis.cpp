#include "ci/hamiltonian/csf/csf_basis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "ci/fock/spaces/open_shells.hpp"
#include "ci/hamiltonian/rows/slater_condon.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kConfigurationsPerChunk = 64;
constexpr Index kStringsAtOnce = 1024;
constexpr int kPatternsAtOnce = 4;

/// The representative determinant of a configuration, its number of open shells and how many have
/// an alpha electron.
struct First {
  Index row;
  int open;
  int up;
};

std::vector<First> firsts_of(const Space& space, Index alpha_string) {
  const String& alpha = space.strings(Spin::alpha)[alpha_string];
  std::vector<First> firsts;
  Index row = space.first_row(alpha_string);
  for (const StringNumber b : space.betas_of(alpha_string)) {
    const String& beta = space.strings(Spin::beta)[b];
    if (OpenShells::is_first({alpha, beta})) {
      const int up = (alpha - beta).count();
      firsts.push_back({row, up + (beta - alpha).count(), up});
    }
    ++row;
  }
  return firsts;
}

/// Calls visit(first) for each configuration in the order of rows. Scanning all determinants
/// dominates the cost, so that is done in parallel.
template <class Visit>
void for_each_first(const Space& space, Visit&& visit) {
  const Index strings = std::ssize(space.strings(Spin::alpha));
  std::vector<std::vector<First>> some(std::min(strings, kStringsAtOnce));
  for (Index begin = 0; begin < strings; begin += kStringsAtOnce) {
    const Index count = std::min(kStringsAtOnce, strings - begin);
    base::for_each_chunk(count, 1, space.host(),
                         [&](Index i, Index) { some[i] = firsts_of(space, begin + i); });
    for (Index i = 0; i < count; ++i)
      for (const First& first : some[i]) visit(first);
  }
}

/// Calls visit(pattern, partner, k, l) once for each two patterns that differ by exchanging the
/// spins of open orbitals k < l.
template <class Visit>
void for_each_exchange(const SpinFunctions& spins, int open, Visit&& visit) {
  const auto& patterns = spins.patterns();
  for (Index i = 0; i < std::ssize(patterns); ++i)
    for (int k = 0; k < open; ++k)
      for (int l = k + 1; l < open; ++l) {
        const std::uint64_t pair = std::uint64_t{1} << k | std::uint64_t{1} << l;
        if ((patterns[i] & pair) != std::uint64_t{1} << k) continue;
        const auto partner = std::ranges::lower_bound(patterns, patterns[i] ^ pair);
        visit(i, partner - patterns.begin(), k, l);
      }
}

Index number_of_pair(int k, int l) { return Index{l} * (l - 1) / 2 + k; }

/// Sums <f|exchange of their spins|f> over the off-diagonal elements, for each pair of open
/// orbitals and function f. The result is equal for all configurations.
base::Array<double> exchange_elements(const SpinFunctions& spins, int open,
                                      const base::Backend& host) {
  const Index functions = spins.functions();
  base::Array<double> elements(host, number_of_pair(0, open) * functions, "exchanges of functions");
  std::ranges::fill(elements.span(), 0.0);
  for_each_exchange(spins, open, [&](Index i, Index partner, int k, int l) {
    double* const to = elements.data() + number_of_pair(k, l) * functions;
    for (Index f = 0; f < functions; ++f)
      to[f] += 2 * spins.ordered(i, f) * spins.ordered(partner, f);
  });
  return elements;
}

/// Coefficients of determinants i to i + kCount - 1. Several sums run in parallel, since each step
/// of a sum waits for the one before.
template <int kCount>
void expand_patterns(const SpinFunctions& spins, Index i, const double* functions,
                     const Index* rows, double* determinants) {
  std::array<double, kCount> sums{};
  for (Index f = 0; f < spins.functions(); ++f)
    for (int k = 0; k < kCount; ++k)
      sums[k] = std::fma(spins.ordered(i + k, f), functions[f], sums[k]);
  for (int k = 0; k < kCount; ++k) determinants[rows[i + k]] = spins.sign(i + k) * sums[k];
}

[[noreturn]] void fail_unclosed(const Space& space, Index row) {
  base::fail(base::ErrorKind::bad_input,
             "the space is not closed under S^2, so it has no states of a ",
             "definite spin: it holds ", to_text(space.determinant(row), space.orbitals()),
             " but not all other spin couplings of its open shells; expected full or ",
             "restricted CI, excitations from closed shells, or a list with all of them");
}

}  // namespace

CsfBasis::CsfBasis(const Space& space, int twice_spin)
    : twice_ms_(space.electrons(Spin::alpha) - space.electrons(Spin::beta)),
      twice_spin_(twice_spin),
      configurations_(space.host(), 0, "the configurations"),
      rows_(space.host(), space.dimension(), "the determinants by configurations") {
  const int electrons = space.electrons(Spin::alpha) + space.electrons(Spin::beta);
  if (twice_spin < std::abs(twice_ms_) || twice_spin > electrons ||
      (twice_spin - twice_ms_) % 2 != 0)
    base::fail(base::ErrorKind::bad_input, "a spin of ", 0.5 * twice_spin, " is impossible for ",
               electrons, " electrons with Ms = ", 0.5 * twice_ms_, "; expected ",
               0.5 * std::abs(twice_ms_), " or more in steps of 1, up to ", 0.5 * electrons);
  fill_rows(space, find_configurations(space));
  if (functions_ == 0)
    base::fail(base::ErrorKind::bad_input, "no state of the space has the spin ", 0.5 * twice_spin);
}

/// Returns the representative row of each configuration.
std::vector<Index> CsfBasis::find_configurations(const Space& space) {
  std::vector<Configuration> found;
  std::vector<Index> first;
  Index covered = 0;
  for_each_first(space, [&](const First& configuration) {
    const int open = configuration.open;
    const Index left = space.dimension() - covered;
    if (SpinFunctions::count_patterns(open, configuration.up) > left)
      fail_unclosed(space, configuration.row);
    if (std::ssize(spin_functions_) <= open) spin_functions_.resize(open + 1);
    auto& functions = spin_functions_[open];
    if (!functions)
      functions = std::make_shared<SpinFunctions>(open, twice_ms_, twice_spin_, space.host());
    found.push_back({covered, functions_, open});
    first.push_back(configuration.row);
    covered += std::ssize(functions->patterns());
    functions_ += functions->functions();
  });
  configurations_ = base::Array<Configuration>::copy_of(found, space.host(), "the configurations");
  return first;
}

/// Each configuration marks its determinants. find_configurations() has refused spaces with more
/// patterns than determinants, so that, if a determinant is missing, another one is left unmarked.
/// Configurations are disjoint, so each byte is written by one thread.
void CsfBasis::fill_rows(const Space& space, std::span<const Index> first) {
  base::Array<bool> is_taken(space.host(), space.dimension(), "the determinants that were found");
  std::ranges::fill(is_taken.span(), false);
  for_each_configuration([&](const Configuration& configuration, const SpinFunctions& spins) {
    const OpenShells shells(space.determinant(first[&configuration - configurations_.data()]));
    Index next = configuration.first_row;
    for (const std::uint64_t pattern : spins.patterns()) {
      const auto row = space.row_of(shells.with(pattern));
      rows_[next++] = row.value_or(0);
      if (row) is_taken[*row] = true;
    }
  });
  const auto left_over = std::ranges::find(is_taken.span(), false);
  if (left_over != is_taken.span().end()) fail_unclosed(space, left_over - is_taken.span().begin());
}

template <class Work>
void CsfBasis::for_each_configuration(Work&& work) const {
  for_each_configuration(all(), std::forward<Work>(work));
}

template <class Work>
void CsfBasis::for_each_configuration(const Range& some, Work&& work) const {
  base::for_each_chunk(some.end - some.first, kConfigurationsPerChunk, rows_.backend(),
                       [&](Index begin, Index end) {
                         for (Index c = some.first + begin; c < some.first + end; ++c) {
                           const Configuration& configuration = configurations_[c];
                           work(configuration, *spin_functions_[configuration.open]);
                         }
                       });
}

CsfBasis::Range CsfBasis::configurations_of(Index first, Index end) const {
  const auto place = [&](Index function) {
    const auto all = configurations_.span();
    return std::ranges::lower_bound(all, function, {}, &Configuration::first_function) -
           all.begin();
  };
  return {place(first), place(end)};
}

void CsfBasis::expand(base::ConstBlock functions, base::Block determinants) const {
  for_each_configuration([&](const Configuration& configuration, const SpinFunctions& spins) {
    const auto patterns = std::ssize(spins.patterns());
    const Index* const rows = rows_.data() + configuration.first_row;
    for (int j = 0; j < functions.columns; ++j) {
      const double* const from = functions.column(j) + configuration.first_function;
      double* const to = determinants.column(j);
      Index i = 0;
      for (; i + kPatternsAtOnce <= patterns; i += kPatternsAtOnce)
        expand_patterns<kPatternsAtOnce>(spins, i, from, rows, to);
      for (; i < patterns; ++i) expand_patterns<1>(spins, i, from, rows, to);
    }
  });
}

void CsfBasis::contract(const Range& some, base::ConstBlock determinants,
                        base::Block functions) const {
  if (some.first == some.end) return;
  const Index before = configurations_[some.first].first_function;
  for_each_configuration(some, [&](const Configuration& configuration, const SpinFunctions& spins) {
    for (int j = 0; j < functions.columns; ++j) {
      double* const to = functions.column(j) + configuration.first_function - before;
      std::fill_n(to, spins.functions(), 0.0);
      for (Index i = 0; i < std::ssize(spins.patterns()); ++i) {
        const double value = spins.sign(i) * determinants(rows_[configuration.first_row + i], j);
        for (Index f = 0; f < spins.functions(); ++f)
          to[f] = std::fma(spins.ordered(i, f), value, to[f]);
      }
    }
  });
}

base::Array<double> CsfBasis::diagonal(const Space& space, const Integrals& integrals) const {
  base::Array<double> result(space.host(), functions_, "the diagonal");
  const HamiltonianDiagonal of_determinants(space, integrals);
  std::vector<base::Array<double>> exchanges;
  for (int open = 0; open < std::ssize(spin_functions_); ++open) {
    const bool occurs = spin_functions_[open] != nullptr;
    exchanges.push_back(occurs ? exchange_elements(*spin_functions_[open], open, space.host())
                               : base::Array<double>(space.host(), 0, "exchanges of functions"));
  }
  for_each_configuration([&](const Configuration& configuration, const SpinFunctions& spins) {
    double* const to = result.data() + configuration.first_function;
    std::fill_n(to, spins.functions(), 0.0);
    if (spins.functions() == 0) return;
    const auto orbitals = OpenShells(space.determinant(rows_[configuration.first_row])).orbitals;
    for (Index i = 0; i < std::ssize(spins.patterns()); ++i) {
      const Space::Place place = space.place_of(rows_[configuration.first_row + i]);
      const double own = of_determinants(place.alpha, place.beta);
      for (Index f = 0; f < spins.functions(); ++f)
        to[f] += own * spins.ordered(i, f) * spins.ordered(i, f);
    }
    for (int l = 1; l < configuration.open; ++l)
      for (int k = 0; k < l; ++k) {
        const double integral = integrals.two(Spin::alpha, orbitals[k], orbitals[l], Spin::beta,
                                              orbitals[k], orbitals[l]);
        const double* const element =
            exchanges[configuration.open].data() + number_of_pair(k, l) * spins.functions();
        for (Index f = 0; f < spins.functions(); ++f) to[f] -= integral * element[f];
      }
  });
  return result;
}

}  // namespace cisolve::ci
