#include "ci/direct.hpp"

#include <algorithm>
#include <bit>

#include "base/random.hpp"
#include "sparse/build.hpp"

namespace cisolve::ci {
namespace {

using Orbitals = std::vector<int>;

std::uint64_t hash_of(const Determinant& determinant) {
  std::uint64_t sum = 0;
  std::uint64_t factor = 0x9e3779b97f4a7c15ULL;
  for (const Spin spin : {Spin::alpha, Spin::beta})
    for (const std::uint64_t word : determinant[spin].words())
      sum = std::rotl(sum, 23) + word * (factor += 2);
  return base::mix(sum);
}

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

/// One spin of a row: who is in, who is out.
struct Side {
  Spin spin;
  String string;
  Orbitals occupied;
  Orbitals empty;
};

Side side_of(Spin spin, const String& string, int orbitals) {
  return {spin, string, string.orbitals(), (String::below(orbitals) - string).orbitals()};
}

/// -1 to the number of electrons that stand before p.
double sign_before(const Orbitals& occupied, int p) {
  const auto before = std::ranges::count_if(occupied, [&](int k) { return k < p; });
  return before % 2 == 0 ? 1 : -1;
}

/// The sign of a+_to a_from.
double sign_of_move(const Orbitals& occupied, int from, int to) {
  const double sign = sign_before(occupied, from) * sign_before(occupied, to);
  return from < to ? -sign : sign;  // the one that left no longer stands before `to`
}

double diagonal_of(const Integrals& integrals, const Side& a, const Side& b) {
  double value = integrals.core_energy();
  for (const Side* side : {&a, &b})
    for (const int p : side->occupied) {
      value += integrals.one(side->spin, p, p);
      for (const int q : side->occupied)
        value += 0.5 * (integrals.two(side->spin, p, p, side->spin, q, q) -
                        integrals.two(side->spin, p, q, side->spin, q, p));
    }
  for (const int p : a.occupied)
    for (const int q : b.occupied) value += integrals.two(Spin::alpha, p, p, Spin::beta, q, q);
  return value;
}

/// Calls visit(string, value) for each single of one side beside an unmoved other side.
template <class Visit>
void visit_singles(const Integrals& integrals, const Side& side, const Side& other, Visit&& visit) {
  for (const int p : side.occupied)
    for (const int q : side.empty) {
      double value = integrals.one(side.spin, p, q);
      for (const int k : side.occupied)
        value += integrals.two(side.spin, p, q, side.spin, k, k) -
                 integrals.two(side.spin, p, k, side.spin, k, q);
      for (const int k : other.occupied) value += integrals.two(side.spin, p, q, other.spin, k, k);
      if (value != 0)
        visit(side.string.without(p).with(q), value * sign_of_move(side.occupied, p, q));
    }
}

/// Calls visit(string, value) for each double of one side.
template <class Visit>
void visit_doubles(const Integrals& integrals, const Side& side, Visit&& visit) {
  const Spin spin = side.spin;
  for (const int p : side.occupied)
    for (const int q : side.empty) {
      const String moved = side.string.without(p).with(q);
      const Orbitals occupied = moved.orbitals();
      const double first = sign_of_move(side.occupied, p, q);
      for (const int r : side.occupied)
        for (const int s : side.empty) {
          if (r <= p || s <= q) continue;
          const double value =
              integrals.two(spin, p, q, spin, r, s) - integrals.two(spin, p, s, spin, r, q);
          if (value != 0)
            visit(moved.without(r).with(s), value * first * sign_of_move(occupied, r, s));
        }
    }
}

struct Move {
  int from;
  int to;
  String result;
  double sign;
};

std::vector<Move> moves_of(const Side& side) {
  std::vector<Move> moves;
  for (const int p : side.occupied)
    for (const int q : side.empty)
      moves.push_back({p, q, side.string.without(p).with(q), sign_of_move(side.occupied, p, q)});
  return moves;
}

/// Calls visit(alpha, beta, value) for each pair of an alpha and a beta single.
template <class Visit>
void visit_pairs(const Integrals& integrals, const Side& a, const Side& b, Visit&& visit) {
  const std::vector<Move> betas = moves_of(b);
  for (const Move& up : moves_of(a))
    for (const Move& down : betas) {
      const double value =
          integrals.two(Spin::alpha, up.from, up.to, Spin::beta, down.from, down.to);
      if (value != 0) visit(up.result, down.result, value * up.sign * down.sign);
    }
}

}  // namespace

DirectOperator::DirectOperator(const Space& space, const Integrals& integrals, double threshold)
    : integrals_(integrals),
      threshold_(threshold),
      determinants_(space.host(), space.dimension(), "the determinants"),
      slots_(space.host(),
             static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * space.dimension()))),
             "the table of determinants") {
  sparse::require_storable({rows(), rows(), 0, true});
  std::ranges::fill(slots_.span(), Slot{0, -1});
  Index row = 0;
  for (Index a = 0; a < std::ssize(space.strings(Spin::alpha)); ++a)
    for (const Column b : space.betas_of(a))
      determinants_[row++] = {space.strings(Spin::alpha)[a], space.strings(Spin::beta)[b]};
  const Index mask = slots_.size() - 1;
  for (row = 0; row < rows(); ++row) {
    const std::uint64_t hash = hash_of(determinants_[row]);
    auto slot = static_cast<Index>(hash) & mask;
    while (slots_[slot].row >= 0) slot = (slot + 1) & mask;
    slots_[slot] = {tag_of(hash), static_cast<Column>(row)};
  }
}

Index DirectOperator::find(const Determinant& determinant) const {
  const std::uint64_t hash = hash_of(determinant);
  const Index mask = slots_.size() - 1;
  for (auto slot = static_cast<Index>(hash) & mask; slots_[slot].row >= 0; slot = (slot + 1) & mask)
    if (slots_[slot].tag == tag_of(hash) && determinants_[slots_[slot].row] == determinant)
      return slots_[slot].row;
  return -1;
}

template <class Visit>
void DirectOperator::visit_row(Index row, Visit&& visit) const {
  const Determinant& here = determinants_[row];
  const Side a = side_of(Spin::alpha, here.alpha, integrals_.orbitals());
  const Side b = side_of(Spin::beta, here.beta, integrals_.orbitals());
  const auto look_up = [&](const String& alpha, const String& beta, double value) {
    if (std::abs(value) <= threshold_) return;
    if (const Index column = find({alpha, beta}); column >= 0) visit(column, value);
  };
  const auto move_alpha = [&](const String& to, double value) { look_up(to, b.string, value); };
  const auto move_beta = [&](const String& to, double value) { look_up(a.string, to, value); };
  visit(row, diagonal_of(integrals_, a, b));
  visit_singles(integrals_, a, b, move_alpha);
  visit_singles(integrals_, b, a, move_beta);
  visit_doubles(integrals_, a, move_alpha);
  visit_doubles(integrals_, b, move_beta);
  visit_pairs(integrals_, a, b, look_up);
}

void DirectOperator::apply(base::ConstBlock x, base::Block y) const {
  sparse::for_each_chunk(rows(), 16, determinants_.backend(), [&](Index first, Index last) {
    std::vector<double> sums(x.columns);
    for (Index row = first; row < last; ++row) {
      std::ranges::fill(sums, 0.0);
      visit_row(row, [&](Index column, double value) {
        for (int j = 0; j < x.columns; ++j) sums[j] += value * x(column, j);
      });
      for (int j = 0; j < x.columns; ++j) y(row, j) = sums[j];
    }
  });
}

bool DirectOperator::diagonal(base::Block d) const {
  const int n = integrals_.orbitals();
  for (Index row = 0; row < rows(); ++row)
    d(row, 0) = diagonal_of(integrals_, side_of(Spin::alpha, determinants_[row].alpha, n),
                            side_of(Spin::beta, determinants_[row].beta, n));
  return true;
}

base::OperatorDescription DirectOperator::description() const {
  return {"direct", determinants_.bytes() + slots_.bytes(), 0, 0};
}

}  // namespace cisolve::ci
