#include "ci/hamiltonian/factorised/estimated_factorised_cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "ci/hamiltonian/factorised/opposite_spin.hpp"
#include "ci/hamiltonian/factorised/same_spin_strips.hpp"
#include "ci/hamiltonian/factorised/same_spin_tiles.hpp"

namespace cisolve::ci {
namespace {

/// The fraction of non-zero elements in a tile or strip as a function of the density of the string
/// matrix; fitted to random integrals, 10 to 26 orbitals. With more irreps neighbouring strings
/// have less in common.
struct Fill {
  double least;
  double per_density;
  double with_two_irreps;
  double less_per_doubling;

  double of(double density, double irreps) const {
    const double factor_of_irreps =
        irreps > 1 ? with_two_irreps - less_per_doubling * (std::log2(irreps) - 1) : 1;
    return factor_of_irreps * std::min(1.0, least + per_density * density);
  }
};
constexpr Fill kTiles{0.175, 0.66, 1.03, 0.105};
constexpr Fill kStrips{0.424, 0.456, 0.975, 0.075};

int label_count(const Sector& sector) {
  int largest = 0;
  for (const int label : sector.irreps) largest = std::max(largest, label);
  return static_cast<int>(std::bit_ceil(static_cast<unsigned>(largest) + 1));
}

int label_of(const Sector& sector, int orbital) {
  return sector.irreps.empty() ? 0 : sector.irreps[orbital];
}

double pairs_of(double things) { return things * (things - 1) / 2; }

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double largest(const std::vector<double>& values) { return *std::ranges::max_element(values); }

/// Pairs of different orbitals by the XOR of their labels.
std::vector<double> pairs_by_class(const Sector& sector) {
  std::vector<double> pairs(label_count(sector));
  for (int p = 0; p < sector.orbitals; ++p)
    for (int q = 0; q < p; ++q) pairs[label_of(sector, p) ^ label_of(sector, q)] += 1;
  return pairs;
}

/// The strings of one spin by irrep, and the excitations of one string.
struct OneSpin {
  std::vector<double> lists;
  double electrons;
  double holes;

  OneSpin(const Sector& sector, int of)
      : lists(strings_by_irrep(sector, of)), electrons(of), holes(sector.orbitals - of) {}

  /// Single excitations of an average string, if a fraction `fraction` of all orbital pairs is
  /// allowed.
  double singles(double share) const { return electrons * holes * share; }
  /// Elements of a row of the same-spin matrix, which keeps the irrep if lists are by irrep.
  double row(double fraction_of_same, double irreps) const {
    return 1 + singles(fraction_of_same) + pairs_of(electrons) * pairs_of(holes) / irreps;
  }
};

/// The limit on sources per group that OppositeSpinBuilder would choose.
double most_sources(const std::vector<double>& sources) {
  constexpr double kFew = 0.1;
  for (const Index most : OppositeSpinTables::kMostSources) {
    double added = 0;
    for (const double count : sources) added += std::floor((count - 1) / static_cast<double>(most));
    if (added <= kFew * static_cast<double>(sources.size())) return static_cast<double>(most);
  }
  return static_cast<double>(OppositeSpinTables::kMostSources.back());
}

class FactorisedCostEstimate {
 public:
  explicit FactorisedCostEstimate(const Sector& sector)
      : sector_(sector),
        alpha_(sector, sector.alpha_electrons),
        beta_(sector, sector.beta_electrons),
        pairs_(pairs_by_class(sector)) {
    const double all = std::max(1.0, sum(pairs_));
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      sources_.push_back(alpha_.singles(pairs_[k] / all) + (k == 0 ? 1 : 0));
      moves_.push_back(beta_.singles(pairs_[k] / all) + (k == 0 ? beta_.electrons : 0));
      rows_.push_back(pairs_[k] + (k == 0 ? sector.orbitals : 0));
    }
    same_ = pairs_[0] / all;
  }

  FactorisedCost work() const {
    FactorisedCost work;
    const double list = longest();
    const double most = most_sources(sources_);
    const double alphas = sum(alpha_.lists);
    double groups = 0;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const double parts = std::ceil(sources_[k] / most);
      const double tables =
          std::ceil(rows_[k] / static_cast<double>(OppositeSpinTables::kMostRows));
      work.multiplications += determinants() * rows_[k] * sources_[k];
      work.moves += determinants() * moves_[k] * parts;
      groups += parts * tables;
    }
    work.chunks = alphas * groups * std::ceil(list / kChunk);
    work.longest = static_cast<Index>(list);
    work.has_parity = sector_.alpha_electrons == sector_.beta_electrons;
    add_alone(work);
    const double most_alphas = sector_.irrep ? largest(alpha_.lists) : alphas;
    work.bytes += static_cast<Index>(bytes_of_opposite_spin(groups));
    work.transposed = static_cast<Index>(sizeof(double)) *
                      TransposedRows::numbers(static_cast<Index>(most_alphas), work.longest);
    return work;
  }

 private:
  double longest() const { return sector_.irrep ? largest(beta_.lists) : sum(beta_.lists); }

  double determinants() const {
    if (!sector_.irrep) return sum(alpha_.lists) * sum(beta_.lists);
    double all = 0;
    for (std::size_t i = 0; i < alpha_.lists.size(); ++i)
      all += alpha_.lists[i] * beta_.lists[i ^ static_cast<std::size_t>(*sector_.irrep)];
    return all;
  }

  /// Adds the same-spin parts (sigma_1 and sigma_2), for each string of the other spin.
  void add_alone(FactorisedCost& work) const {
    const auto irreps = static_cast<double>(pairs_.size());
    const double elements[] = {alpha_.row(same_, irreps), beta_.row(same_, irreps)};
    const double strings[] = {sum(alpha_.lists), sum(beta_.lists)};
    for (const int spin : {0, 1}) {
      const double density = elements[spin] * irreps / strings[spin];
      const double of_tiles = elements[spin] / kTiles.of(density, irreps);
      work.strips += determinants() * elements[spin] / kStrips.of(density, irreps);
      work.tiles += determinants() * of_tiles;
      work.bytes += static_cast<Index>(sizeof(double) * strings[spin] * of_tiles);
    }
  }

  /// Alpha strings: sources, groups, from_alpha and coulomb. Beta strings: scatter entries, most of
  /// 16 bits, some of 32.
  double bytes_of_opposite_spin(double groups) const {
    constexpr double kMove = 3;
    const double pairs = pairs_of(sector_.orbitals);
    return sum(alpha_.lists) * (sizeof(OppositeSpinView::Source) * sum(sources_) +
                                sizeof(OppositeSpinView::Group) * groups +
                                sizeof(double) * (pairs + sector_.orbitals)) +
           sum(beta_.lists) * kMove * sum(moves_);
  }

  const Sector& sector_;
  OneSpin alpha_;
  OneSpin beta_;
  std::vector<double> pairs_;
  std::vector<double> sources_;  // number per average alpha string, by class of pair
  std::vector<double> moves_;    // number per average beta string
  std::vector<double> rows_;     // rows of g
  double same_ = 1;              // fraction of pairs whose excitation keeps the irrep
};

}  // namespace

std::vector<double> strings_by_irrep(const Sector& sector, int electrons) {
  const int labels = label_count(sector);
  std::vector<std::vector<double>> counts(electrons + 1, std::vector<double>(labels));
  counts[0][0] = 1;
  for (int p = 0; p < sector.orbitals; ++p)
    for (int k = std::min(p + 1, electrons); k > 0; --k)
      for (int label = 0; label < labels; ++label)
        counts[k][label] += counts[k - 1][label ^ label_of(sector, p)];
  return counts[electrons];
}

FactorisedCost estimated_factorised_cost(const Sector& sector) {
  return FactorisedCostEstimate(sector).work();
}

}  // namespace cisolve::ci
