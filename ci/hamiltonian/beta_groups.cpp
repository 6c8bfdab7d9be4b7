#include "ci/hamiltonian/beta_groups.hpp"

#include <algorithm>
#include <utility>

#include "ci/hamiltonian/alpha_walk.hpp"
#include "ci/hamiltonian/hamiltonian_walk.hpp"

namespace cisolve::ci {
namespace {

constexpr const char* kGroups = "the determinants by beta strings";
constexpr const char* kMoves = "the moves of beta strings";
constexpr Index kLookedAt = 256;  // rows
constexpr double kSearched = 3;   // what a string that is searched takes, of one that is looked at
constexpr double kWorth = 3;

/// What is looked at to find a row from its strings alone, and together with those of its alpha
/// string.
struct Looks {
  double alone = 0;
  double together = 0;
};

Looks looks_for(const Space& space, const ConnectionTable& alpha, const ConnectionTable& beta,
                const BetaGroups& groups, const Space::Place& place) {
  const auto connections = static_cast<double>(alpha.of(place.alpha).size());
  const auto own = static_cast<double>(space.betas_of(place.alpha).size());
  const auto moves = static_cast<double>(beta.singles(place.beta).size());
  Looks looks;
  double lists = 0;
  for (const Connection& to : alpha.of(place.alpha)) {
    const auto size = static_cast<double>(space.betas_of(to.target).size());
    looks.alone += 1 + kSearched * std::min(size, 1 + moves);
    if (to.is_single()) lists += size;
  }
  looks.together = moves + static_cast<double>(groups.of(place.beta).size()) +
                   static_cast<double>(beta.of(place.beta).size()) +
                   (connections + lists + own) / std::min(own, double{AlphaWalk::kMostTogether});
  return looks;
}

}  // namespace

BetaGroups::BetaGroups(const Space& space)
    : alphas_(std::ssize(space.strings(Spin::alpha))),
      offsets_(space.host(), std::ssize(space.strings(Spin::beta)) + 1, kGroups),
      members_(space.host(), space.dimension(), kGroups),
      class_of_(space.host(), 0, kMoves),
      first_move_(space.host(), 0, kMoves),
      moves_(space.host(), 0, kMoves) {
  std::ranges::fill(offsets_.span(), 0);
  for (Index alpha = 0; alpha < alphas_; ++alpha)
    for (const StringNumber beta : space.betas_of(alpha)) ++offsets_[beta + 1];
  for (Index b = 1; b < offsets_.size(); ++b) offsets_[b] += offsets_[b - 1];
  std::vector<Index> next(offsets_.span().begin(), offsets_.span().end());
  for (Index alpha = 0; alpha < alphas_; ++alpha) {
    StringNumber place = 0;
    for (const StringNumber beta : space.betas_of(alpha))
      members_[next[beta]++] = {static_cast<StringNumber>(alpha), place++};
  }
}

/// What a string has in each class side by side: those of one row are read one after the other.
void BetaGroups::fill_moves(const ProductLists& products) {
  const base::Backend& host = offsets_.backend();
  const Index betas = offsets_.size() - 1;
  classes_ = (products.offsets.size() - 1) / betas;
  class_of_ = products.class_of.to(host);
  first_move_ = base::Array<Index>(host, betas * classes_ + 1, kMoves);
  moves_ = base::Array<Single>(host, products.singles.size() - betas * classes_, kMoves);
  Index next = 0;
  for (Index beta = 0; beta < betas; ++beta)
    for (Index number = 0; number < classes_; ++number) {
      first_move_[beta * classes_ + number] = next;
      const Index list = number * betas + beta;
      for (Index k = products.offsets[list]; k < products.offsets[list + 1]; ++k)
        if (products.singles[k].pair.code != Connection::kSelf)
          moves_[next++] = products.singles[k];
    }
  first_move_[betas * classes_] = next;
}

std::unique_ptr<const BetaGroups> BetaGroups::where_they_pay(const Space& space,
                                                             const ConnectionTable& alpha,
                                                             const ConnectionTable& beta,
                                                             const MixedIntegrals& mixed) {
  if (space.lists() <= RowWalk::kMostSides) return nullptr;
  std::unique_ptr<BetaGroups> groups(new BetaGroups(space));
  Looks all;
  const Index looked_at = std::min(space.dimension(), kLookedAt);
  for (Index i = 0; i < looked_at; ++i) {
    const Looks one =
        looks_for(space, alpha, beta, *groups, space.place_of(space.dimension() / looked_at * i));
    all.alone += one.alone;
    all.together += one.together;
  }
  if (all.alone < kWorth * all.together) return nullptr;
  groups->looks_ = all.together * static_cast<double>(space.dimension()) /
                   static_cast<double>(std::max<Index>(looked_at, 1));
  groups->fill_moves(ProductLists(alpha, beta, mixed, groups->offsets_.size() - 1, space.host()));
  return groups;
}

std::unique_ptr<BetaGroups::Notes> BetaGroups::take_notes() const {
  {
    const std::scoped_lock lock(mutex_);
    if (!spare_.empty()) {
      auto notes = std::move(spare_.back());
      spare_.pop_back();
      return notes;
    }
  }
  const auto betas = static_cast<std::size_t>(offsets_.size() - 1);
  return std::make_unique<Notes>(Notes{.connection_of = std::vector<Column>(alphas_, -1),
                                       .place_of = std::vector<StringNumber>(betas, -1),
                                       .first_move_to = std::vector<Column>(betas, -1)});
}

void BetaGroups::give_back(std::unique_ptr<Notes> notes) const {
  const std::scoped_lock lock(mutex_);
  spare_.push_back(std::move(notes));
}

}  // namespace cisolve::ci
