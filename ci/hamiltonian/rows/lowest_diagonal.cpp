#include "ci/hamiltonian/rows/lowest_diagonal.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "ci/hamiltonian/rows/slater_condon.hpp"

// H_aa,bb = E(a) + E(b) + sum J over alpha-beta pairs of electrons. Relative to a reference pair
// a0, b0 it is const + f(a) + f(b) + D(a, b), f being the energy of a string in the field of the
// reference and D the small interaction of the two changes. The minimum of D over b is known for
// each a, so strings are scanned in the order of f until that bound excludes the rest.
namespace cisolve::ci {
namespace {

constexpr Index kMostLooks = Index{1} << 20;  // pairs of strings: a few hundredths of a second
constexpr Index kFewestRows = 4;              // rows per member of a list
constexpr double kRounding = 1e-12;           // relative to the terms of an element

class LowestPairs {
 public:
  LowestPairs(const Space& space, const Integrals& integrals)
      : space_(space),
        diagonal_(space, integrals),
        change_(integrals.orbitals()),
        sorted_(integrals.orbitals()) {
    choose_reference();
    energies_in_field();
  }

  std::vector<Index> find(Index count);

 private:
  struct ListedBeta {
    double energy;  // f(b)
    StringNumber beta;
    StringNumber place;
  };
  struct AlphaBound {
    double bound;  // lower bound of the string's elements
    Index alpha;
  };
  using Element = std::pair<double, Index>;  // (element, row)

  Index count_of(Spin spin) const { return std::ssize(space_.strings(spin)); }
  std::vector<double> field_of(Spin spin, Index string) const;
  Index lowest_in(Spin spin, const std::vector<double>& field) const;
  double in_field(Spin spin, Index string, const std::vector<double>& field) const;
  void choose_reference();
  void energies_in_field();
  double change_interaction(Index alpha);  // returns the minimum of D
  std::vector<std::vector<ListedBeta>> lists() const;
  bool is_ruled_out(double bound) const {
    return std::ssize(lowest_) == wanted_ && bound > lowest_.top().first + slack_;
  }
  bool look_at(Index alpha, const std::vector<ListedBeta>& members);

  const Space& space_;
  HamiltonianDiagonal diagonal_;
  std::vector<double> on_alpha_;  // field of b0
  std::vector<double> on_beta_;   // field of a0
  Index reference_beta_ = 0;
  double constant_ = 0;  // common to all elements
  double slack_ = 0;
  bool is_finite_ = true;
  std::vector<double> alpha_energy_;
  std::vector<double> beta_energy_;
  std::vector<double> change_;  // change of the field on beta from a0 to a
  std::vector<double> sorted_;
  double change_of_reference_ = 0;  // sum of change_ over b0
  Index wanted_ = 0;
  Index looks_ = 0;
  std::priority_queue<Element> lowest_;
};

/// The Coulomb field of a string's electrons on each orbital of the other spin.
std::vector<double> LowestPairs::field_of(Spin spin, Index string) const {
  std::vector<double> field(space_.orbitals());
  for (const int p : space_.occupied(spin, string))
    for (int q = 0; q < space_.orbitals(); ++q)
      field[q] += spin == Spin::alpha ? diagonal_.coulomb(p, q) : diagonal_.coulomb(q, p);
  return field;
}

double LowestPairs::in_field(Spin spin, Index string, const std::vector<double>& field) const {
  double energy = diagonal_.string_energy(spin, string);
  for (const int p : space_.occupied(spin, string)) energy += field[p];
  return energy;
}

Index LowestPairs::lowest_in(Spin spin, const std::vector<double>& field) const {
  Index lowest = 0;
  double least = in_field(spin, 0, field);
  for (Index s = 1; s < count_of(spin); ++s) {
    const double energy = in_field(spin, s, field);
    if (energy < least) {
      least = energy;
      lowest = s;
    }
  }
  return lowest;
}

void LowestPairs::choose_reference() {
  const Index first = lowest_in(Spin::beta, std::vector<double>(space_.orbitals()));
  const Index alpha = lowest_in(Spin::alpha, field_of(Spin::beta, first));
  on_beta_ = field_of(Spin::alpha, alpha);
  reference_beta_ = lowest_in(Spin::beta, on_beta_);
  on_alpha_ = field_of(Spin::beta, reference_beta_);
  constant_ = diagonal_.core_energy();
  for (const int p : space_.occupied(Spin::alpha, alpha)) constant_ -= on_alpha_[p];
}

void LowestPairs::energies_in_field() {
  double largest = std::abs(constant_);
  is_finite_ = std::isfinite(constant_);
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    std::vector<double>& energies = spin == Spin::alpha ? alpha_energy_ : beta_energy_;
    const std::vector<double>& field = spin == Spin::alpha ? on_alpha_ : on_beta_;
    for (Index s = 0; s < count_of(spin); ++s) {
      energies.push_back(in_field(spin, s, field));
      largest = std::max(largest, std::abs(energies.back()));
      is_finite_ &= std::isfinite(energies.back());
    }
  }
  slack_ = kRounding * largest;
}

double LowestPairs::change_interaction(Index alpha) {
  std::ranges::transform(on_beta_, change_.begin(), [](double field) { return -field; });
  for (const int p : space_.occupied(Spin::alpha, alpha))
    for (int q = 0; q < space_.orbitals(); ++q) change_[q] += diagonal_.coulomb(p, q);
  change_of_reference_ = 0;
  for (const int q : space_.occupied(Spin::beta, reference_beta_))
    change_of_reference_ += change_[q];
  sorted_ = change_;
  const auto end = sorted_.begin() + space_.electrons(Spin::beta);
  std::partial_sort(sorted_.begin(), end, sorted_.end());
  double least = -change_of_reference_;
  for (auto change = sorted_.begin(); change != end; ++change) least += *change;
  return least;
}

std::vector<std::vector<LowestPairs::ListedBeta>> LowestPairs::lists() const {
  std::vector<std::vector<ListedBeta>> lists(space_.lists());
  for (Index l = 0; l < space_.lists(); ++l) {
    StringNumber place = 0;
    for (const StringNumber beta : space_.list(l))
      lists[l].push_back({beta_energy_[beta], beta, place++});
    std::ranges::sort(lists[l], {},
                      [](const ListedBeta& m) { return std::pair(m.energy, m.place); });
  }
  return lists;
}

/// Returns false if the limit of pairs is exceeded.
bool LowestPairs::look_at(Index alpha, const std::vector<ListedBeta>& members) {
  const double lowest_change = change_interaction(alpha);
  const double own = constant_ + alpha_energy_[alpha];
  for (const ListedBeta& member : members) {
    if (is_ruled_out(own + member.energy + lowest_change)) return true;
    if (++looks_ > kMostLooks) return false;
    double nearly = own + member.energy - change_of_reference_;
    for (const int q : space_.occupied(Spin::beta, member.beta)) nearly += change_[q];
    if (is_ruled_out(nearly)) continue;
    lowest_.emplace(diagonal_(alpha, member.beta), space_.first_row(alpha) + member.place);
    if (std::ssize(lowest_) > wanted_) lowest_.pop();
  }
  return true;
}

std::vector<Index> LowestPairs::find(Index count) {
  wanted_ = count;
  if (!is_finite_) return {};
  const std::vector<std::vector<ListedBeta>> members = lists();
  std::vector<AlphaBound> alphas;
  for (Index a = 0; a < count_of(Spin::alpha); ++a)
    alphas.push_back({constant_ + alpha_energy_[a] + change_interaction(a) +
                          members[space_.list_of(a)].front().energy,
                      a});
  std::ranges::sort(alphas, {}, [](const AlphaBound& c) { return std::pair(c.bound, c.alpha); });
  for (const AlphaBound& next : alphas) {
    if (is_ruled_out(next.bound)) break;
    if (!look_at(next.alpha, members[space_.list_of(next.alpha)])) return {};
  }
  std::vector<Index> rows;
  for (; !lowest_.empty(); lowest_.pop()) rows.push_back(lowest_.top().second);
  std::ranges::reverse(rows);
  return rows;
}

}  // namespace

std::vector<Index> lowest_of_diagonal(const Space& space, const Integrals& integrals, Index count) {
  count = std::clamp<Index>(count, 0, space.dimension());
  Index members = 0;
  for (Index l = 0; l < space.lists(); ++l) members += std::ssize(space.list(l));
  if (count == 0 || members * kFewestRows > space.dimension()) return {};
  return LowestPairs(space, integrals).find(count);
}

}  // namespace cisolve::ci
