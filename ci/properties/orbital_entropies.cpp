#include "ci/properties/orbital_entropies.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include "base/loops.hpp"

// A state of n electrons and one Ms has reduced density matrices that are diagonal in particle
// number and Ms. Those of one orbital are diagonal; those of orbitals i and j have the blocks
// (alpha occupation of i and j, beta occupation of i and j):
//
//   10|00 01|00    one alpha electron      11|10 11|01    three electrons, two alpha
//   00|10 00|01    one beta electron       10|11 01|11    three electrons, two beta
//   10|10 01|01 10|01 01|10                one electron of each spin
//   00|00, 11|00, 00|11, 11|11             one row each
//
// An element beside the diagonal is the expectation value of a hop of an alpha electron, of a beta
// electron or of one of each between i and j, with the occupations of the other spin given. Where
// all alpha creators stand to the left of all beta ones, its sign is that of the strings.
namespace cisolve::ci {
namespace {

// Occupations of the orbitals (i, j) by electrons of one spin: bit 0 for i, bit 1 for j.
constexpr int kPatterns = 4;
constexpr int kFirst = 1;   // i alone
constexpr int kSecond = 2;  // j alone
constexpr int kBoth = 3;

int pattern_of(const String& string, int i, int j) {
  return (string.has(i) ? kFirst : 0) | (string.has(j) ? kSecond : 0);
}

/// Whether the electron that moves between i and j, i < j, passes an odd number of others.
bool passes_odd(const String& string, int i, int j) {
  return ((string & (String::below(j) - String::below(i + 1))).count() & 1) != 0;
}

double entropy_term(double weight) { return weight > 0 ? -weight * std::log(weight) : 0; }

/// Eigenvalues of a symmetric matrix of four rows by Jacobi rotations.
std::array<double, 4> eigenvalues(std::array<std::array<double, 4>, 4> a) {
  constexpr int kMostSweeps = 50;  // convergence is quadratic: about six suffice
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool is_diagonal = true;
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t q = p + 1; q < 4; ++q) {
        if (std::abs(a[p][q]) < 1e-300) continue;
        is_diagonal = false;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0);
        const double s = t * c;
        for (std::size_t k = 0; k < 4; ++k)
          std::tie(a[k][p], a[k][q]) =
              std::pair(c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
        for (std::size_t k = 0; k < 4; ++k)
          std::tie(a[p][k], a[q][k]) =
              std::pair(c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
        a[p][q] = a[q][p] = 0;
      }
    if (is_diagonal) break;
  }
  return {a[0][0], a[1][1], a[2][2], a[3][3]};
}

double entropy_of_two(double first, double second, double between) {
  const double middle = (first + second) / 2;
  const double radius = std::hypot((first - second) / 2, between);
  return entropy_term(middle + radius) + entropy_term(middle - radius);
}

/// The numbers of a string of one spin, found by its words.
class StringTable {
 public:
  explicit StringTable(const Space& space, Spin spin)
      : strings_(space.strings(spin)),
        slots_(space.host(), static_cast<Index>(std::bit_ceil(2 * strings_.size() + 1)),
               "a table of strings") {
    std::ranges::fill(slots_.span(), StringNumber{-1});
    for (std::size_t number = 0; number < strings_.size(); ++number)
      slots_[slot_of(strings_[number])] = static_cast<StringNumber>(number);
  }

  /// -1 if the space has no such string.
  StringNumber find(const String& string) const { return slots_[slot_of(string)]; }

 private:
  Index slot_of(const String& string) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : string.words()) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32;
    }
    const auto mask = static_cast<std::uint64_t>(slots_.size() - 1);
    Index slot = static_cast<Index>(hash & mask);
    while (slots_[slot] >= 0 && !(strings_[slots_[slot]] == string))
      slot = static_cast<Index>((static_cast<std::uint64_t>(slot) + 1) & mask);
    return slot;
  }

  std::span<const String> strings_;
  base::Array<StringNumber> slots_;
};

/// The hop of an electron between i and j, from one string to another.
struct Hop {
  std::int8_t pattern;  // the string's pattern
  bool odd;
  StringNumber to;  // -1: nowhere within the space
};

class Hops {
 public:
  Hops(const StringTable& table, int i, int j) : table_(table), i_(i), j_(j) {}

  Hop operator()(const String& string) const {
    const int pattern = pattern_of(string, i_, j_);
    Hop hop{static_cast<std::int8_t>(pattern), false, -1};
    if (pattern != kFirst && pattern != kSecond) return hop;
    const auto [from, to] = pattern == kFirst ? std::pair(i_, j_) : std::pair(j_, i_);
    hop.to = table_.find(string.without(from).with(to));
    hop.odd = passes_odd(string, i_, j_);
    return hop;
  }

 private:
  const StringTable& table_;
  int i_;
  int j_;
};

/// The elements of a density matrix of two orbitals.
struct PairElements {
  // Indexed by alpha and beta pattern.
  std::array<std::array<double, kPatterns>, kPatterns> weight{};
  // An alpha electron from i to j, indexed by beta pattern.
  std::array<double, kPatterns> alpha_hop{};
  // A beta electron from i to j, indexed by alpha pattern.
  std::array<double, kPatterns> beta_hop{};
  double pair_hop = 0;  // both electrons from i to j
  double exchange = 0;  // alpha from i to j, beta from j to i

  double entropy() const {
    double sum = entropy_term(weight[0][0]) + entropy_term(weight[kBoth][0]) +
                 entropy_term(weight[0][kBoth]) + entropy_term(weight[kBoth][kBoth]);
    for (const std::size_t other : {std::size_t{0}, std::size_t{kBoth}}) {
      sum += entropy_of_two(weight[kFirst][other], weight[kSecond][other], alpha_hop[other]);
      sum += entropy_of_two(weight[other][kFirst], weight[other][kSecond], beta_hop[other]);
    }
    // The four states: both electrons on i, both on j, alpha on i and beta on j, alpha on j and
    // beta on i.
    const double a = alpha_hop[kFirst];
    const double b = beta_hop[kFirst];
    const double c = alpha_hop[kSecond];
    const double d = beta_hop[kSecond];
    for (const double w : eigenvalues({{{weight[kFirst][kFirst], pair_hop, b, a},
                                        {pair_hop, weight[kSecond][kSecond], c, d},
                                        {b, c, weight[kFirst][kSecond], exchange},
                                        {a, d, exchange, weight[kSecond][kFirst]}}}))
      sum += entropy_term(w);
    return sum;
  }
};

/// Sums over a state for one pair of orbitals after the other.
class PairSums {
 public:
  PairSums(const Space& space, const StringTable& alphas, const StringTable& betas, const double* x)
      : space_(space),
        alphas_(alphas),
        betas_(betas),
        x_(x),
        beta_hops_(space.host(), std::ssize(space.strings(Spin::beta)), "hops of beta electrons") {}

  PairElements of(int i, int j) {
    const Hops hop_of_beta(betas_, i, j);
    const auto betas = space_.strings(Spin::beta);
    for (std::size_t b = 0; b < betas.size(); ++b)
      beta_hops_[static_cast<Index>(b)] = hop_of_beta(betas[b]);
    const Hops hop_of_alpha(alphas_, i, j);
    const auto alphas = space_.strings(Spin::alpha);
    PairElements sums;
    for (Index a = 0; a < std::ssize(alphas); ++a) {
      const Hop hop = hop_of_alpha(alphas[static_cast<std::size_t>(a)]);
      add_row(a, hop.pattern, sums);
      if (hop.pattern == kFirst && hop.to >= 0) add_rows(a, hop, sums);
    }
    return sums;
  }

 private:
  /// Weights, and hops of beta electrons.
  void add_row(Index a, int pattern, PairElements& sums) const {
    const Index list = space_.list_of(a);
    const double* row = x_ + space_.first_row(a);
    auto& weight = sums.weight[static_cast<std::size_t>(pattern)];
    double hops = 0;
    for (const StringNumber b : space_.list(list)) {
      const double c = *row++;
      const Hop& hop = beta_hops_[b];
      weight[static_cast<std::size_t>(hop.pattern)] += c * c;
      if (hop.pattern != kFirst || hop.to < 0) continue;
      const StringNumber place = space_.position(list, hop.to);
      if (place < 0) continue;
      const double product = c * x_[space_.first_row(a) + place];
      hops += hop.odd ? -product : product;
    }
    sums.beta_hop[static_cast<std::size_t>(pattern)] += hops;
  }

  /// Hops of an alpha electron, alone or with a beta electron.
  void add_rows(Index a, const Hop& alpha, PairElements& sums) const {
    const Index list = space_.list_of(a);
    const Index to = space_.list_of(alpha.to);
    const double* row = x_ + space_.first_row(a);
    const double* target = x_ + space_.first_row(alpha.to);
    PairElements found;
    StringNumber place = 0;
    for (const StringNumber b : space_.list(list)) {
      const double c = row[place];
      const StringNumber same = list == to ? place : space_.position(to, b);
      ++place;
      const Hop& hop = beta_hops_[b];
      if (same >= 0) found.alpha_hop[static_cast<std::size_t>(hop.pattern)] += c * target[same];
      if (hop.to < 0) continue;
      const StringNumber moved = space_.position(to, hop.to);
      if (moved < 0) continue;
      const double product = hop.odd ? -c * target[moved] : c * target[moved];
      (hop.pattern == kFirst ? found.pair_hop : found.exchange) += product;
    }
    const double sign = alpha.odd ? -1 : 1;
    for (std::size_t pattern = 0; pattern < kPatterns; ++pattern)
      sums.alpha_hop[pattern] += sign * found.alpha_hop[pattern];
    sums.pair_hop += sign * found.pair_hop;
    sums.exchange += sign * found.exchange;
  }

  const Space& space_;
  const StringTable& alphas_;
  const StringTable& betas_;
  const double* x_;
  base::Array<Hop> beta_hops_;
};

/// S_i from the weights of the four occupations of orbital i.
double entropy_of_orbital(const Space& space, const double* x, int i) {
  std::array<std::array<double, 2>, 2> weight{};
  const auto alphas = space.strings(Spin::alpha);
  const auto betas = space.strings(Spin::beta);
  for (Index a = 0; a < std::ssize(alphas); ++a) {
    auto& here = weight[alphas[static_cast<std::size_t>(a)].has(i) ? 1 : 0];
    const double* row = x + space.first_row(a);
    for (const StringNumber b : space.betas_of(a)) {
      here[betas[static_cast<std::size_t>(b)].has(i) ? 1 : 0] += *row * *row;
      ++row;
    }
  }
  double sum = 0;
  for (const auto& of_alpha : weight)
    for (const double w : of_alpha) sum += entropy_term(w);
  return sum;
}

}  // namespace

OrbitalEntropies orbital_entropies(const Space& space, const double* x) {
  const int n = space.orbitals();
  const base::Backend& host = space.host();
  OrbitalEntropies found;
  found.single.resize(static_cast<std::size_t>(n));
  base::for_each_chunk(n, 1, host, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i)
      found.single[static_cast<std::size_t>(i)] = entropy_of_orbital(space, x, static_cast<int>(i));
  });
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) pairs.emplace_back(i, j);
  found.mutual.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  const StringTable alphas(space, Spin::alpha);
  const StringTable betas(space, Spin::beta);
  const Index grain = std::max<Index>(1, std::ssize(pairs) / (4 * Index{host.threads()}));
  base::for_each_chunk(std::ssize(pairs), grain, host, [&](Index first, Index last) {
    PairSums sums(space, alphas, betas, x);
    for (Index k = first; k < last; ++k) {
      const auto [i, j] = pairs[static_cast<std::size_t>(k)];
      const auto at = [&](int p, int q) -> double& {
        return found.mutual[static_cast<std::size_t>(p) * static_cast<std::size_t>(n) +
                            static_cast<std::size_t>(q)];
      };
      at(i, j) = at(j, i) = found.single[static_cast<std::size_t>(i)] +
                            found.single[static_cast<std::size_t>(j)] - sums.of(i, j).entropy();
    }
  });
  return found;
}

}  // namespace cisolve::ci
