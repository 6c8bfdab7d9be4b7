#include "ci/hamiltonian/direct.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/loops.hpp"
#include "ci/hamiltonian/direct_side.hpp"
#include "sparse/rows/build.hpp"

namespace cisolve::ci {
namespace {

constexpr int kChunks = 64;  // of the work of a thread

// To look a string up takes as long as to compare it with so many others.
constexpr Index kLookUp = 8;

/// How many strings of a list can be passed over in the time of a binary search in it.
constexpr Index kSearch = 16;

/// Popularity in so many steps that it fits a byte; it grows with the count.
std::uint8_t magnitude(std::int32_t count) {
  return static_cast<std::uint8_t>(std::bit_width(static_cast<std::uint32_t>(count)));
}

}  // namespace

/// The rows of one alpha string after the other, for one block of vectors; one for each thread.
class DirectWalk {
 public:
  DirectWalk(const DirectOperator& h, base::ConstBlock x, base::Block y)
      : h_(h), x_(x), y_(y), own_(h.betas_.size(), -1), other_(h.betas_.size(), -1) {}

  void walk(Index alpha) {
    begin_ = h_.first_row_[alpha];
    end_ = h_.first_row_[alpha + 1];
    least_ = h_.least_reach_[alpha];
    const Side a(Spin::alpha, h_.alphas_[alpha], h_.integrals_.orbitals());
    betas_.clear();
    for (Index row = begin_; row < end_; ++row) {
      own_[h_.beta_of_[row]] = static_cast<StringNumber>(row - begin_);
      betas_.emplace_back(Spin::beta, h_.betas_[h_.beta_of_[row]], h_.integrals_.orbitals());
    }
    for (Index row = begin_; row < end_; ++row) {
      const double diagonal = diagonal_of(h_.integrals_, a, betas_[row - begin_]);
      for (int j = 0; j < x_.columns; ++j) y_(row, j) = diagonal * x_(row, j);
      move_betas(row, a);
    }
    for_each_single(a, [&](int p, int q, const String& to, bool odd) {
      if (const StringNumber target = h_.alphas_.find(to); target >= 0)
        move_alpha(a, p, q, target, odd);
    });
    for_each_double(h_.integrals_, a, [&](const String& to, double value) {
      if (!keeps(value)) return;
      if (const StringNumber target = h_.alphas_.find(to); target >= 0)
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
  void for_each_common(StringNumber target, Visit&& visit) {
    const Index first = h_.first_row_[target];
    const auto there = h_.beta_of_.span().subspan(first, h_.first_row_[target + 1] - first);
    if ((end_ - begin_) * kSearch < std::ssize(there)) {
      for (Index row = begin_; row < end_; ++row) {
        const auto place = std::ranges::lower_bound(there, h_.beta_of_[row]);
        if (place != there.end() && *place == h_.beta_of_[row])
          visit(row, first + (place - there.begin()));
      }
      return;
    }
    for (Index i = 0; i < std::ssize(there); ++i)
      if (const StringNumber place = own_[there[i]]; place >= 0) visit(begin_ + place, first + i);
  }

  void move_betas(Index row, const Side& a) {
    const Side& b = betas_[row - begin_];
    for (const auto& move : moves_of(row)) {
      if (move.reach < least_) break;
      const StringNumber place = own_[move.target];
      if (place < 0) continue;
      const double value = own_part(h_.integrals_, b, move.from, move.to) +
                           other_part(h_.integrals_, Spin::beta, move.from, move.to, a);
      if (keeps(value)) add(row, begin_ + place, signed_value(move.odd, value));
    }
    if (doubles_of(b) * kLookUp < end_ - begin_) {
      for_each_double(h_.integrals_, b, [&](const String& to, double value) {
        if (!keeps(value)) return;
        const StringNumber target = h_.betas_.find(to);
        if (target >= 0 && own_[target] >= 0) add(row, begin_ + own_[target], value);
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
  void move_alpha(const Side& a, int p, int q, StringNumber target, bool odd) {
    const double own = own_part(h_.integrals_, a, p, q);
    for_each_common(target, [&](Index row, Index column) {
      const double value = own + other_part(h_.integrals_, Spin::alpha, p, q, betas_[row - begin_]);
      if (keeps(value)) add(row, column, signed_value(odd, value));
    });
    const Index first = h_.first_row_[target];
    const Index last = h_.first_row_[target + 1];
    if (last - first < end_ - begin_) {  // fewer to start from: each beta move goes both ways
      for (Index column = first; column < last; ++column)
        for (const auto& move : moves_of(column)) {
          if (move.reach < least_) break;
          if (const StringNumber place = own_[move.target]; place >= 0)
            pair(begin_ + place, column, p, q, odd, move);
        }
      return;
    }
    for (Index column = first; column < last; ++column)
      other_[h_.beta_of_[column]] = static_cast<StringNumber>(column - first);
    const std::uint8_t least = h_.least_reach_[target];
    for (Index row = begin_; row < end_; ++row)
      for (const auto& move : moves_of(row)) {
        if (move.reach < least) break;
        if (const StringNumber place = other_[move.target]; place >= 0)
          pair(row, first + place, p, q, odd, move);
      }
    for (Index column = first; column < last; ++column) other_[h_.beta_of_[column]] = -1;
  }

  void pair(Index row, Index column, int p, int q, bool odd, const DirectOperator::BetaMove& move) {
    const double value = h_.integrals_.two(Spin::alpha, p, q, Spin::beta, move.from, move.to);
    if (keeps(value)) add(row, column, signed_value(odd != move.odd, value));
  }

  std::span<const DirectOperator::BetaMove> moves_of(Index row) const {
    const StringNumber beta = h_.beta_of_[row];
    return h_.moves_.span().subspan(h_.first_move_[beta],
                                    h_.first_move_[beta + 1] - h_.first_move_[beta]);
  }

  const DirectOperator& h_;
  base::ConstBlock x_;
  base::Block y_;
  Index begin_ = 0;  // the rows of the alpha string
  Index end_ = 0;
  std::uint8_t least_ = 0;           // the reach of the one of its betas that has least
  std::vector<Side> betas_;          // of these rows
  std::vector<StringNumber> own_;    // where a beta string stands among them; -1 where it does not
  std::vector<StringNumber> other_;  // likewise of another alpha string
};

DirectOperator::DirectOperator(const Space& space, const Integrals& integrals, double threshold)
    : integrals_(integrals),
      threshold_(threshold),
      alphas_(space.strings(Spin::alpha), space.host()),
      betas_(space.strings(Spin::beta), space.host()),
      first_row_(space.host(), alphas_.size() + 1, "the rows of alpha strings"),
      beta_of_(space.host(), space.dimension(), "the determinants"),
      first_move_(space.host(), betas_.size() + 1, "the moves of beta strings"),
      moves_(space.host(), 0, "the moves of beta strings"),
      least_reach_(space.host(), alphas_.size(), "the reach of alpha strings") {
  Index row = 0;
  for (Index a = 0; a < alphas_.size(); ++a) {
    first_row_[a] = row;
    for (const StringNumber b : space.betas_of(a)) beta_of_[row++] = b;
  }
  first_row_[alphas_.size()] = row;
  fill_beta_moves();
}

std::vector<std::uint8_t> DirectOperator::reach_of_betas() {
  std::vector<std::int32_t> count(betas_.size(), 0);
  for (const StringNumber b : beta_of_.span()) ++count[b];
  std::vector<std::uint8_t> reach(count.size());
  std::ranges::transform(count, reach.begin(), magnitude);
  return reach;
}

void DirectOperator::fill_beta_moves() {
  const base::Backend& host = beta_of_.backend();
  const std::vector<std::uint8_t> reach = reach_of_betas();
  for (Index a = 0; a < alphas_.size(); ++a) {
    least_reach_[a] = reach[beta_of_[first_row_[a]]];
    for (Index row = first_row_[a]; row < first_row_[a + 1]; ++row)
      least_reach_[a] = std::min(least_reach_[a], reach[beta_of_[row]]);
  }
  const auto for_each_move = [&](Index b, auto&& visit) {
    for_each_single(Side(Spin::beta, betas_[b], integrals_.orbitals()),
                    [&](int p, int q, const String& to, bool odd) {
                      if (const StringNumber target = betas_.find(to); target >= 0)
                        visit(BetaMove{target, static_cast<std::uint8_t>(p),
                                       static_cast<std::uint8_t>(q), reach[target], odd});
                    });
  };
  base::Array<Column> counts(host, betas_.size(), "the counts of moves");
  base::for_each_chunk(betas_.size(), 16, host, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b) {
      counts[b] = 0;
      for_each_move(b, [&](const BetaMove&) { ++counts[b]; });
    }
  });
  first_move_ = sparse::offsets_from(counts.span(), host, "the moves of beta strings");
  moves_ = base::Array<BetaMove>(host, first_move_[betas_.size()], "the moves of beta strings");
  base::for_each_chunk(betas_.size(), 16, host, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b) {
      BetaMove* next = moves_.data() + first_move_[b];
      for_each_move(b, [&](const BetaMove& move) { *next++ = move; });
      std::sort(moves_.data() + first_move_[b], next, [](const BetaMove& m, const BetaMove& n) {
        return std::pair(n.reach, m.target) < std::pair(m.reach, n.target);
      });
    }
  });
}

void DirectOperator::apply(base::ConstBlock x, base::Block y) const {
  const base::Backend& host = beta_of_.backend();
  // Each chunk has a walk of its own, with two numbers for each beta string.
  const Index grain = std::max(Index{1}, alphas_.size() / (Index{kChunks} * host.threads()));
  base::for_each_chunk(alphas_.size(), grain, host, [&](Index first, Index last) {
    DirectWalk walk(*this, x, y);
    for (Index a = first; a < last; ++a) walk.walk(a);
    if (hear_) hear_(first_row_[last] - first_row_[first]);
  });
}

bool DirectOperator::diagonal(base::Block d) const {
  const int n = integrals_.orbitals();
  for (Index a = 0; a < alphas_.size(); ++a) {
    const Side up(Spin::alpha, alphas_[a], n);
    for (Index row = first_row_[a]; row < first_row_[a + 1]; ++row)
      d(row, 0) = diagonal_of(integrals_, up, Side(Spin::beta, betas_[beta_of_[row]], n));
  }
  return true;
}

base::OperatorDescription DirectOperator::description() const {
  return {"direct",
          alphas_.bytes() + betas_.bytes() + first_row_.bytes() + beta_of_.bytes() +
              first_move_.bytes() + moves_.bytes() + least_reach_.bytes(),
          0, 0};
}

}  // namespace cisolve::ci
