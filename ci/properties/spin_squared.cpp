#include "ci/properties/spin_squared.hpp"

#include <algorithm>
#include <vector>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kAlphasPerChunk = 4;
constexpr int kNone = -1;

/// The excitations of one alpha string, indexed by their two orbitals.
class ExcitationFinder {
 public:
  explicit ExcitationFinder(int orbitals)
      : orbitals_(orbitals), at_(Index{orbitals} * orbitals, kNone) {}

  void take(std::span<const SingleExcitation> moves) {
    for (const SingleExcitation& move : moves_) at_[place(move.from, move.to)] = kNone;
    moves_ = moves;
    for (std::size_t i = 0; i < moves.size(); ++i)
      at_[place(moves[i].from, moves[i].to)] = static_cast<int>(i);
  }

  const SingleExcitation* find(int from, int to) const {
    const int i = at_[place(from, to)];
    return i == kNone ? nullptr : &moves_[i];
  }

 private:
  Index place(int from, int to) const { return Index{from} * orbitals_ + to; }
  Index orbitals_;
  std::vector<int> at_;
  std::span<const SingleExcitation> moves_;
};

/// Calls visit(row, odd) for each determinant of the space reached by exchanging an open alpha and
/// an open beta electron; `alpha` has the excitations of the alpha string.
template <class Visit>
void for_each_exchange(const Space& space, const ExcitationFinder& alpha,
                       std::span<const SingleExcitation> betas, Visit&& visit) {
  for (const SingleExcitation& down : betas) {
    const SingleExcitation* up = alpha.find(down.to, down.from);
    if (up == nullptr) continue;
    const StringNumber position = space.position(space.list_of(up->target), down.target);
    if (position != kNone) visit(space.first_row(up->target) + position, up->odd != down.odd);
  }
}

}  // namespace

SpinSquared::SpinSquared(const Space& space)
    : space_(space),
      ms_(0.5 * (space.electrons(Spin::alpha) - space.electrons(Spin::beta))),
      alpha_(std::make_shared<SingleExcitations>(space, Spin::alpha)),
      beta_(std::ranges::equal(space.strings(Spin::alpha), space.strings(Spin::beta))
                ? alpha_
                : std::make_shared<SingleExcitations>(space, Spin::beta)),
      exchanges_(SpinExchangeTable::of(
          space, *beta_, std::max<Index>(1, std::ssize(space.strings(Spin::beta))))) {}

/// Calls take(alpha string, its excitations) for all alpha strings, on all threads.
template <class Take>
void SpinSquared::for_each_alpha(Take&& take) const {
  base::for_each_chunk(std::ssize(space_.strings(Spin::alpha)), kAlphasPerChunk, space_.host(),
                       [&](Index first, Index last) {
                         ExcitationFinder finder(space_.orbitals());
                         for (Index a = first; a < last; ++a) {
                           finder.take(alpha_->of(a));
                           take(a, finder);
                         }
                       });
}

/// Combines one alpha excitation after another with the reverse excitations of all beta strings.
/// The exchange of p and q gives a+_q a_p (alpha) times a+_p a_q (beta) with a minus sign.
void SpinSquared::add_in_strides(Index a, base::ConstBlock x, base::Block y) const {
  const SpinExchangeView exchanges = exchanges_->view();
  const auto list = space_.list_of(a);
  for (const SingleExcitation& move : alpha_->of(a)) {
    const auto other = space_.list_of(move.target);
    const Index end = exchanges.end(move.to, move.from, 0);
    for (Index e = exchanges.begin(move.to, move.from, 0); e < end; ++e) {
      const SpinExchange& exchange = exchanges.exchanges[e];
      const StringNumber here = space_.position(list, exchange.string);
      if (here == kNone) continue;
      const StringNumber there = space_.position(other, exchange.target());
      if (there == kNone) continue;
      const Index row = space_.first_row(a) + here;
      const Index partner = space_.first_row(move.target) + there;
      for (int j = 0; j < x.columns; ++j)
        y(row, j) += move.odd != exchange.odd() ? x(partner, j) : -x(partner, j);
    }
  }
}

void SpinSquared::apply(base::ConstBlock x, base::Block y) const {
  for_each_alpha([&](Index a, const ExcitationFinder& finder) {
    const String& up = space_.strings(Spin::alpha)[a];
    Index row = space_.first_row(a);
    for (const StringNumber b : space_.betas_of(a)) {
      // An open beta electron exchanged with itself gives 1.
      const double own = ms_ * (ms_ + 1) + (space_.strings(Spin::beta)[b] - up).count();
      for (int j = 0; j < x.columns; ++j) y(row, j) = own * x(row, j);
      if (!exchanges_)
        for_each_exchange(space_, finder, beta_->of(b), [&](Index partner, bool odd) {
          for (int j = 0; j < x.columns; ++j) y(row, j) += odd ? x(partner, j) : -x(partner, j);
        });
      ++row;
    }
    if (exchanges_) add_in_strides(a, x, y);
  });
}

bool SpinSquared::diagonal(base::Block d) const {
  for (Index row = 0; row < rows(); ++row) {
    const Determinant here = space_.determinant(row);
    d(row, 0) = ms_ * (ms_ + 1) + (here.beta - here.alpha).count();
  }
  return true;
}

Index SpinSquared::first_unclosed_row() const {
  base::Array<Index> found(space_.host(), std::ssize(space_.strings(Spin::alpha)),
                           "the check of a space under S^2");
  for_each_alpha([&](Index a, const ExcitationFinder& finder) {
    found[a] = -1;
    const String& up = space_.strings(Spin::alpha)[a];
    const auto betas = space_.betas_of(a);
    for (std::size_t i = 0; i < betas.size() && found[a] < 0; ++i) {
      const String& down = space_.strings(Spin::beta)[betas[i]];
      Index missing = Index{(up - down).count()} * (down - up).count();
      for_each_exchange(space_, finder, beta_->of(betas[i]), [&](Index, bool) { --missing; });
      if (missing != 0) found[a] = space_.first_row(a) + static_cast<Index>(i);
    }
  });
  const auto first = std::ranges::find_if(found.span(), [](Index row) { return row >= 0; });
  return first == found.span().end() ? -1 : *first;
}

}  // namespace cisolve::ci
