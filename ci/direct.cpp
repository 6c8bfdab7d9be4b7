#include "ci/direct.hpp"

#include <algorithm>
#include <cmath>

#include "sparse/build.hpp"

namespace cisolve::ci {
namespace {

using Orbitals = std::vector<int>;

constexpr int kChunks = 64;  // of the work of a thread

/// One spin of a determinant: who is in, who is out.
struct Side {
  Spin spin;
  String string;
  Orbitals occupied;
  Orbitals empty;
};

Side side_of(Spin spin, const String& string, int orbitals) {
  return {spin, string, string.orbitals(), (String::below(orbitals) - string).orbitals()};
}

/// Whether an odd number of electrons stands before p.
bool odd_before(const Orbitals& occupied, int p) {
  return std::ranges::count_if(occupied, [&](int k) { return k < p; }) % 2 != 0;
}

/// Whether a+_to a_from changes the sign.
bool odd_move(const Orbitals& occupied, int from, int to) {
  const bool odd = odd_before(occupied, from) != odd_before(occupied, to);
  return from < to ? !odd : odd;  // the one that left no longer stands before `to`
}

double signed_value(bool odd, double value) { return odd ? -value : value; }

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

/// The part of a single's element that its own spin gives.
double own_part(const Integrals& integrals, const Side& side, int p, int q) {
  double value = integrals.one(side.spin, p, q);
  for (const int k : side.occupied)
    value += integrals.two(side.spin, p, q, side.spin, k, k) -
             integrals.two(side.spin, p, k, side.spin, k, q);
  return value;
}

/// The part that the electrons of the other spin give.
double other_part(const Integrals& integrals, Spin spin, int p, int q, const Side& other) {
  double value = 0;
  for (const int k : other.occupied) value += integrals.two(spin, p, q, other.spin, k, k);
  return value;
}

/// Calls visit(from, to, string, odd) for each move of one electron.
template <class Visit>
void for_each_single(const Side& side, Visit&& visit) {
  for (const int p : side.occupied)
    for (const int q : side.empty)
      visit(p, q, side.string.without(p).with(q), odd_move(side.occupied, p, q));
}

/// Calls visit(string, value) for each move of two electrons.
template <class Visit>
void for_each_double(const Integrals& integrals, const Side& side, Visit&& visit) {
  const Spin spin = side.spin;
  for_each_single(side, [&](int p, int q, const String& moved, bool first) {
    const Orbitals occupied = moved.orbitals();
    for (const int r : side.occupied)
      for (const int s : side.empty) {
        if (r <= p || s <= q) continue;
        const double value =
            integrals.two(spin, p, q, spin, r, s) - integrals.two(spin, p, s, spin, r, q);
        visit(moved.without(r).with(s), signed_value(first != odd_move(occupied, r, s), value));
      }
  });
}

/// The element of two strings of one spin that differ by two electrons, the smaller ones first.
double double_between(const Integrals& integrals, const Side& side, const String& to) {
  const Spin spin = side.spin;
  const Orbitals left = (side.string - to).orbitals();
  const Orbitals come = (to - side.string).orbitals();
  const Orbitals between = side.string.without(left[0]).with(come[0]).orbitals();
  const bool odd = odd_move(side.occupied, left[0], come[0]) != odd_move(between, left[1], come[1]);
  return signed_value(odd, integrals.two(spin, left[0], come[0], spin, left[1], come[1]) -
                               integrals.two(spin, left[0], come[1], spin, left[1], come[0]));
}

Index doubles_of(const Side& side) {
  const auto n = std::ssize(side.occupied);
  const auto m = std::ssize(side.empty);
  return n * (n - 1) / 2 * (m * (m - 1) / 2);
}

/// Orbitals by which one of two strings leaves the other.
int distance(const String& a, const String& b) { return (a - b).count(); }

}  // namespace

/// The rows of one alpha string after the other, for one block of vectors; one for each thread.
class DirectWalk {
 public:
  DirectWalk(const DirectOperator& h, base::ConstBlock x, base::Block y)
      : h_(h), x_(x), y_(y), own_(h.betas_.size(), -1), other_(h.betas_.size(), -1) {}

  void walk(Index alpha) {
    begin_ = h_.first_row_[alpha];
    end_ = h_.first_row_[alpha + 1];
    const Side a = side_of(Spin::alpha, h_.alphas_[alpha], h_.integrals_.orbitals());
    betas_.clear();
    for (Index row = begin_; row < end_; ++row) {
      own_[h_.beta_of_[row]] = static_cast<Column>(row);
      betas_.push_back(side_of(Spin::beta, h_.betas_[h_.beta_of_[row]], h_.integrals_.orbitals()));
    }
    for (Index row = begin_; row < end_; ++row) {
      const double diagonal = diagonal_of(h_.integrals_, a, betas_[row - begin_]);
      for (int j = 0; j < x_.columns; ++j) y_(row, j) = diagonal * x_(row, j);
      move_betas(row, a);
    }
    for_each_single(a, [&](int p, int q, const String& to, bool odd) {
      if (const Column target = h_.alphas_.find(to); target >= 0) move_alpha(a, p, q, target, odd);
    });
    for_each_double(h_.integrals_, a, [&](const String& to, double value) {
      if (!keeps(value)) return;
      if (const Column target = h_.alphas_.find(to); target >= 0)
        for_each_common(target, [&](Index row, Index column) { add(row, column, value); });
    });
    for (Index row = begin_; row < end_; ++row) own_[h_.beta_of_[row]] = -1;
  }

 private:
  bool keeps(double value) const { return std::abs(value) > h_.threshold_; }

  void add(Index row, Index column, double value) {
    for (int j = 0; j < x_.columns; ++j) y_(row, j) += value * x_(column, j);
  }

  /// Calls visit(row, column) where this alpha string and another one have the same beta string.
  template <class Visit>
  void for_each_common(Column target, Visit&& visit) {
    for (Index column = h_.first_row_[target]; column < h_.first_row_[target + 1]; ++column)
      if (const Column row = own_[h_.beta_of_[column]]; row >= 0) visit(row, column);
  }

  void move_betas(Index row, const Side& a) {
    const Side& b = betas_[row - begin_];
    for (const auto& move : moves_of(row)) {
      const Column column = own_[move.target];
      if (column < 0) continue;
      const double value = own_part(h_.integrals_, b, move.from, move.to) +
                           other_part(h_.integrals_, Spin::beta, move.from, move.to, a);
      if (keeps(value)) add(row, column, signed_value(move.odd, value));
    }
    if (doubles_of(b) < end_ - begin_) {
      for_each_double(h_.integrals_, b, [&](const String& to, double value) {
        if (!keeps(value)) return;
        const Column target = h_.betas_.find(to);
        if (target >= 0 && own_[target] >= 0) add(row, own_[target], value);
      });
      return;
    }
    for (Index column = begin_; column < end_; ++column) {
      const String& to = h_.betas_[h_.beta_of_[column]];
      if (distance(b.string, to) != 2) continue;
      const double value = double_between(h_.integrals_, b, to);
      if (keeps(value)) add(row, column, value);
    }
  }

  /// One alpha electron goes from p to q, alone or with a beta electron.
  void move_alpha(const Side& a, int p, int q, Column target, bool odd) {
    const double own = own_part(h_.integrals_, a, p, q);
    for_each_common(target, [&](Index row, Index column) {
      const double value = own + other_part(h_.integrals_, Spin::alpha, p, q, betas_[row - begin_]);
      if (keeps(value)) add(row, column, signed_value(odd, value));
    });
    const Index first = h_.first_row_[target];
    const Index last = h_.first_row_[target + 1];
    if (last - first < end_ - begin_) {  // fewer to start from: each beta move goes both ways
      for (Index column = first; column < last; ++column)
        for (const auto& move : moves_of(column))
          if (const Column row = own_[move.target]; row >= 0) pair(row, column, p, q, odd, move);
      return;
    }
    for (Index column = first; column < last; ++column)
      other_[h_.beta_of_[column]] = static_cast<Column>(column);
    for (Index row = begin_; row < end_; ++row)
      for (const auto& move : moves_of(row))
        if (const Column column = other_[move.target]; column >= 0)
          pair(row, column, p, q, odd, move);
    for (Index column = first; column < last; ++column) other_[h_.beta_of_[column]] = -1;
  }

  void pair(Index row, Index column, int p, int q, bool odd, const DirectOperator::BetaMove& move) {
    const double value = h_.integrals_.two(Spin::alpha, p, q, Spin::beta, move.from, move.to);
    if (keeps(value)) add(row, column, signed_value(odd != move.odd, value));
  }

  std::span<const DirectOperator::BetaMove> moves_of(Index row) const {
    const Column beta = h_.beta_of_[row];
    return h_.moves_.span().subspan(h_.first_move_[beta],
                                    h_.first_move_[beta + 1] - h_.first_move_[beta]);
  }

  const DirectOperator& h_;
  base::ConstBlock x_;
  base::Block y_;
  Index begin_ = 0;  // the rows of the alpha string
  Index end_ = 0;
  std::vector<Side> betas_;    // of these rows
  std::vector<Column> own_;    // the row with a beta string; -1 where there is none
  std::vector<Column> other_;  // likewise of another alpha string
};

DirectOperator::DirectOperator(const Space& space, const Integrals& integrals, double threshold)
    : integrals_(integrals),
      threshold_(threshold),
      alphas_(space.strings(Spin::alpha), space.host()),
      betas_(space.strings(Spin::beta), space.host()),
      first_row_(space.host(), alphas_.size() + 1, "the rows of alpha strings"),
      beta_of_(space.host(), space.dimension(), "the determinants"),
      first_move_(space.host(), betas_.size() + 1, "the moves of beta strings"),
      moves_(space.host(), 0, "the moves of beta strings") {
  sparse::require_storable({rows(), rows(), 0, true});
  Index row = 0;
  for (Index a = 0; a < alphas_.size(); ++a) {
    first_row_[a] = row;
    for (const Column b : space.betas_of(a)) beta_of_[row++] = b;
  }
  first_row_[alphas_.size()] = row;
  fill_beta_moves();
}

void DirectOperator::fill_beta_moves() {
  const base::Backend& host = beta_of_.backend();
  const auto for_each_move = [&](Index b, auto&& visit) {
    for_each_single(side_of(Spin::beta, betas_[b], integrals_.orbitals()), [&](int p, int q,
                                                                               const String& to,
                                                                               bool odd) {
      if (const Column target = betas_.find(to); target >= 0)
        visit(BetaMove{target, static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(q), odd});
    });
  };
  base::Array<Column> counts(host, betas_.size(), "the counts of moves");
  sparse::for_each_chunk(betas_.size(), 16, host, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b) {
      counts[b] = 0;
      for_each_move(b, [&](const BetaMove&) { ++counts[b]; });
    }
  });
  first_move_ = sparse::offsets_from(counts.span(), host, "the moves of beta strings");
  moves_ = base::Array<BetaMove>(host, first_move_[betas_.size()], "the moves of beta strings");
  sparse::for_each_chunk(betas_.size(), 16, host, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b) {
      BetaMove* next = moves_.data() + first_move_[b];
      for_each_move(b, [&](const BetaMove& move) { *next++ = move; });
    }
  });
}

void DirectOperator::apply(base::ConstBlock x, base::Block y) const {
  const base::Backend& host = beta_of_.backend();
  // Each chunk has a walk of its own, with two numbers for each beta string.
  const Index grain = std::max(Index{1}, alphas_.size() / (Index{kChunks} * host.threads()));
  sparse::for_each_chunk(alphas_.size(), grain, host, [&](Index first, Index last) {
    DirectWalk walk(*this, x, y);
    for (Index a = first; a < last; ++a) walk.walk(a);
  });
}

bool DirectOperator::diagonal(base::Block d) const {
  const int n = integrals_.orbitals();
  for (Index a = 0; a < alphas_.size(); ++a) {
    const Side up = side_of(Spin::alpha, alphas_[a], n);
    for (Index row = first_row_[a]; row < first_row_[a + 1]; ++row)
      d(row, 0) = diagonal_of(integrals_, up, side_of(Spin::beta, betas_[beta_of_[row]], n));
  }
  return true;
}

base::OperatorDescription DirectOperator::description() const {
  return {"direct",
          alphas_.bytes() + betas_.bytes() + first_row_.bytes() + beta_of_.bytes() +
              first_move_.bytes() + moves_.bytes(),
          0, 0};
}

}  // namespace cisolve::ci
