#include "ci/oracle/site_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/loops.hpp"
#include "base/random.hpp"
#include "ci/oracle/term_actions.hpp"

namespace cisolve::ci {
namespace {

constexpr double kNotFound = std::numeric_limits<double>::quiet_NaN();

/// The amplitudes of a word in the states of its orbit.
struct Amplitudes {
  Index row = 0;
  int states = 0;
  std::array<double, 2> of = {0, 0};
};

/// Evaluates basis states at single words.
class StatesAtWords {
 public:
  explicit StatesAtWords(const SymmetryAdaptedBasis& basis) : basis_(basis) {}

  /// Sums over all operations that map the word to the representative; the inverse of each maps the
  /// representative to the word.
  Amplitudes at(BasisState word) const {
    if (!is_among(word)) return {};
    if (!basis_.sector()) return {number(word), 1, {1, 0}};
    const SymmetrySector& sector = *basis_.sector();
    BasisState least = word;
    double stabilising = 0;
    std::array<double, 2> sums{};
    for (const auto& [operation, matrix] : sector.operations) {
      const BasisState moved = image_of(operation, filling(), word);
      if (moved > least) continue;
      if (moved < least) {
        least = moved;
        stabilising = 0;
        sums = {};
      }
      ++stabilising;
      const int sign = fermion_sign(operation, filling(), word);
      for (int i = 0; i < sector.dimension; ++i) sums[i] += sign * matrix(i, 0);
    }
    const Index orbit = basis_.orbit_with(least);
    if (orbit < 0) return lost_or_none(std::hypot(sums[0], sums[1]) / stabilising);
    const SymmetryAdaptedBasis::OrbitKind& kind = basis_.kind(orbit);
    const double norm =
        std::sqrt(sector.dimension / (static_cast<double>(sector.operations.size()) * stabilising));
    Amplitudes found{basis_.first_row(orbit), kind.states};
    for (int v = 0; v < kind.states; ++v)
      for (int i = 0; i < sector.dimension; ++i) found.of[v] += norm * sums[i] * kind.vectors[v][i];
    return found;
  }

  /// Whether the word has the Ms of the space.
  bool has_projection(BasisState word) const {
    return filling().holds_electrons() || !filling().up || count_bits(word) == *filling().up;
  }

 private:
  /// Checks the exclusion of double occupancy.
  bool is_among(BasisState word) const {
    return filling().allows_double_occupancy || (word & word >> filling().sites) == 0;
  }

  const ParticleNumbers& filling() const { return basis_.words().filling(); }

  /// Distinguishes a word without states from one missing in the basis.
  static Amplitudes lost_or_none(double mean) {
    constexpr double kNothing = 1e-6;
    return mean < kNothing ? Amplitudes{} : Amplitudes{0, 1, {kNotFound, kNotFound}};
  }

  /// The rank of a word of spins by definition: counts the words below it.
  Index number(BasisState word) const {
    if (!basis_.words().filling().up) return static_cast<Index>(word);
    Index below = 0;
    int up = 0;
    for (int place = 0; place < basis_.words().places(); ++place)
      if ((word >> place & 1) != 0) below += chosen(place, ++up);
    return below;
  }

  static Index chosen(int of, int some) {
    if (some > of) return 0;
    static const auto table = [] {
      std::array<std::array<Index, kMostSpins + 1>, kMostSpins + 1> all{};
      for (int n = 0; n <= kMostSpins; ++n)
        for (int k = 0; k <= n; ++k)
          all[n][k] = k == 0 || k == n ? 1 : all[n - 1][k - 1] + all[n - 1][k];
      return all;
    }();
    return table[of][some];
  }

  const SymmetryAdaptedBasis& basis_;
};

}  // namespace

SiteOracle::SiteOracle(const SymmetryAdaptedBasis& basis, std::span<const Term> terms)
    : basis_(basis), terms_(terms), last_orbit_(basis.orbits()) {}

namespace {

/// Two terms may each lead to words of other Ms but cancel together. Then the sum of values is 0
/// for each such word, and so is any weighted sum over words; random weights detect a non-zero one.
class CancellingWords {
 public:
  void add(BasisState word, double value) {
    sum_ += value * static_cast<double>(base::mix(word) >> 32);
    size_ += std::abs(value) * static_cast<double>(UINT32_MAX);
  }
  bool cancels() const { return std::abs(sum_) <= kRounding * size_; }

 private:
  static constexpr double kRounding = 1e-12;
  double sum_ = 0;
  double size_ = 0;
};

/// Evaluates H x at single words and solves for the rows of an orbit.
class SiteOracleRows {
 public:
  SiteOracleRows(const SymmetryAdaptedBasis& basis, std::span<const Term> terms, base::ConstBlock x)
      : basis_(basis), terms_(terms), x_(x), states_(basis) {}

  /// Calls write(row, values) for each row of an orbit.
  template <class Write>
  void visit(Index orbit, Write write) const {
    const BasisState least = basis_.word(orbit);
    if (!basis_.sector()) return write(orbit, at(least));
    const auto [a, b] = first_different_members(orbit, least);
    const std::vector<double> at_a = at(a.word);
    const auto& [a0, a1] = a.amplitudes.of;
    if (a.amplitudes.states == 1) {
      std::vector<double> values(at_a);
      for (double& value : values) value /= a0;
      return write(a.amplitudes.row, values);
    }
    const std::vector<double> at_b = at(b.word);
    const auto& [b0, b1] = b.amplitudes.of;
    std::vector<double> first(at_a.size());
    std::vector<double> second(at_a.size());
    for (std::size_t j = 0; j < at_a.size(); ++j) {
      first[j] = (at_a[j] * b1 - a1 * at_b[j]) / (a0 * b1 - a1 * b0);
      second[j] = (a0 * at_b[j] - at_a[j] * b0) / (a0 * b1 - a1 * b0);
    }
    write(a.amplitudes.row, first);
    write(a.amplitudes.row + 1, second);
  }

 private:
  struct OrbitMember {
    BasisState word;
    Amplitudes amplitudes;
  };

  /// (H x)(word), summed over all words that the symmetric H connects to it.
  std::vector<double> at(BasisState word) const {
    std::vector<double> sums(x_.columns, 0);
    double energy = 0;
    CancellingWords outside;
    const auto take = [&](BasisState other, double value) {
      const Amplitudes there = states_.at(other);
      for (int v = 0; v < there.states; ++v)
        for (int j = 0; j < x_.columns; ++j) sums[j] += value * there.of[v] * x_(there.row + v, j);
    };
    for (const Term& term : terms_)
      apply_term(term, basis_.words().filling(), word, [&](BasisState other, double value) {
        if (other == word)
          energy += value;
        else if (!states_.has_projection(other))
          outside.add(other, value);
        else if (value != 0)
          take(other, value);
      });
    take(word, energy);
    if (!outside.cancels()) std::ranges::fill(sums, kNotFound);
    return sums;
  }

  /// Two words of an orbit whose amplitudes separate its two states best; for one state any word.
  std::pair<OrbitMember, OrbitMember> first_different_members(Index orbit, BasisState least) const {
    const auto& operations = basis_.sector()->operations;
    const auto member = [&](std::size_t operation) {
      const BasisState word =
          image_of(operations[operation].operation, basis_.words().filling(), least);
      return OrbitMember{word, states_.at(word)};
    };
    if (basis_.sector()->dimension == 1) {
      const OrbitMember any =
          member(base::mix(static_cast<std::uint64_t>(orbit)) % operations.size());
      return {any, any};
    }
    // A sample usually suffices, unless its words are equivalent by chance.
    constexpr std::size_t kSome = 12;
    const std::size_t step = std::max<std::size_t>(1, operations.size() / kSome);
    std::vector<OrbitMember> members;
    for (std::size_t i = 0; i < operations.size(); i += step) members.push_back(member(i));
    const auto [best, is_clear] = best_of(members);
    if (is_clear || step == 1) return best;
    for (std::size_t i = 0; i < operations.size(); ++i) members.push_back(member(i));
    return best_of(members).first;
  }

  /// The best pair, and whether its 2 x 2 determinant of amplitudes is near the maximum possible.
  static std::pair<std::pair<OrbitMember, OrbitMember>, bool> best_of(
      const std::vector<OrbitMember>& members) {
    std::pair best{members.front(), members.front()};
    double most = 0;
    double largest = 0;
    for (const OrbitMember& a : members) {
      const auto& [x, y] = a.amplitudes.of;
      largest = std::max(largest, std::hypot(x, y));
      for (const OrbitMember& b : members) {
        const double separation = separation_of(a.amplitudes, b.amplitudes);
        if (separation <= most) continue;
        most = separation;
        best = {a, b};
      }
    }
    constexpr double kClearly = 0.1;
    const bool is_one = members.front().amplitudes.states == 1;
    return {best, most > kClearly * (is_one ? largest : largest * largest)};
  }

  static double separation_of(const Amplitudes& a, const Amplitudes& b) {
    if (a.states == 1) return std::abs(a.of[0]);
    return std::abs(a.of[0] * b.of[1] - a.of[1] * b.of[0]);
  }

  const SymmetryAdaptedBasis& basis_;
  std::span<const Term> terms_;
  base::ConstBlock x_;
  StatesAtWords states_;
};

}  // namespace

void SiteOracle::apply(base::ConstBlock x, base::Block y) const {
  constexpr Index kOrbitsAtOnce = 64;
  const SiteOracleRows rows(basis_, terms_, x);
  if (first_orbit_ == last_orbit_) return;
  const Index kept = basis_.first_row(first_orbit_);
  const auto multiply = [&](Index first, Index last) {
    for (Index orbit = first; orbit < last; ++orbit) {
      for (int j = 0; j < y.columns; ++j) y(basis_.first_row(orbit) - kept, j) = kNotFound;
      rows.visit(orbit, [&](Index row, const std::vector<double>& values) {
        for (int j = 0; j < y.columns; ++j) y(row - kept, j) = values[j];
      });
    }
    report_rows(basis_.first_row(last - 1) + 1 - basis_.first_row(first));
  };
  base::for_each_chunk(
      last_orbit_ - first_orbit_, kOrbitsAtOnce, basis_.host(),
      [&](Index first, Index last) { multiply(first_orbit_ + first, first_orbit_ + last); });
}

/// Equal numbers of orbits per rank: rows differ, work is about the same.
base::Layout SiteOracle::row_layout(int ranks) const {
  std::vector<Index> rows(ranks);
  Index before = 0;
  for (int r = 0; r < ranks; ++r) {
    const Index end =
        r + 1 == ranks ? basis_.dimension() : basis_.first_row(basis_.orbits() * (r + 1) / ranks);
    rows[r] = end - std::exchange(before, end);
  }
  return base::Layout::of_counts(rows);
}

void SiteOracle::keep_rows(Index first, Index count) {
  const auto orbit_at = [&](Index row) {
    return row == basis_.dimension() ? basis_.orbits() : basis_.orbit_of(row);
  };
  first_orbit_ = orbit_at(first);
  last_orbit_ = orbit_at(first + count);
}

void SiteOracle::multiply_rows(std::span<const Index> rows, const double* x,
                               std::span<double> values) const {
  constexpr Index kRowsAtOnce = 16;
  const SiteOracleRows all(basis_, terms_, {x, basis_.dimension(), 1, basis_.dimension()});
  base::for_each_chunk(std::ssize(rows), kRowsAtOnce, basis_.host(), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      values[i] = kNotFound;
      all.visit(basis_.orbit_of(rows[i]), [&](Index row, const std::vector<double>& found) {
        if (row == rows[i]) values[i] = found[0];
      });
    }
  });
}

}  // namespace cisolve::ci
