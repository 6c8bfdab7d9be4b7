#include "ci/hamiltonian/rows/determinants_by_beta.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "ci/hamiltonian/rows/alpha_batch_rows.hpp"
#include "ci/hamiltonian/rows/host_row_builder.hpp"

namespace cisolve::ci {
namespace {

constexpr const char* kGroups = "the determinants by beta strings";
constexpr const char* kMoves = "the single excitations of beta strings";
constexpr Index kLookedAt = 256;  // rows sampled
constexpr double kSearched = 3;   // cost of a string found by search, relative to one found by scan
constexpr double kWorth = 3;

/// Strings visited to find a row alone, and together with the others of its alpha string.
struct LookUpCounts {
  double alone = 0;
  double together = 0;
};

LookUpCounts looks_for(const Space& space, const ConnectionTable& alpha,
                       const ConnectionTable& beta, std::span<const Index> group_sizes,
                       const Space::Place& place) {
  const auto connections = static_cast<double>(alpha.of(place.alpha).size());
  const auto own = static_cast<double>(space.betas_of(place.alpha).size());
  const auto moves = static_cast<double>(beta.singles(place.beta).size());
  LookUpCounts looks{.alone = connections};
  double lists = 0;
  std::set<StringNumber> seen;  // lists; the singles in each are cached for the row
  for (const Connection& to : alpha.of(place.alpha)) {
    const StringNumber list = space.list_of(to.target);
    const auto size = static_cast<double>(space.list(list).size());
    if (seen.insert(list).second) looks.alone += kSearched * std::min(size, 1 + moves);
    if (to.is_single()) lists += size;
  }
  const auto group = static_cast<double>(group_sizes[place.beta]);
  looks.together =
      moves + std::min(group, double{AlphaBatchRows::kSearch} * connections) +
      static_cast<double>(beta.of(place.beta).size()) +
      (connections + lists + own) / std::min(own, double{AlphaBatchRows::kMostTogether});
  return looks;
}

/// Number of alpha strings with each beta string.
std::vector<Index> sizes_of_groups(const Space& space) {
  std::vector<Index> alphas_of(space.lists());
  for (Index alpha = 0; alpha < std::ssize(space.strings(Spin::alpha)); ++alpha)
    ++alphas_of[space.list_of(alpha)];
  std::vector<Index> sizes(space.strings(Spin::beta).size());
  for (Index list = 0; list < space.lists(); ++list)
    for (const StringNumber beta : space.list(list)) sizes[beta] += alphas_of[list];
  return sizes;
}

}  // namespace

DeterminantsByBeta::DeterminantsByBeta(const Space& space, std::span<const Index> sizes)
    : alphas_(std::ssize(space.strings(Spin::alpha))),
      offsets_(space.host(), std::ssize(space.strings(Spin::beta)) + 1, kGroups),
      members_(space.host(), space.dimension(), kGroups),
      class_of_(space.host(), 0, kMoves),
      first_move_(space.host(), 0, kMoves),
      moves_(space.host(), 0, kMoves) {
  offsets_[0] = 0;
  for (std::size_t b = 0; b < sizes.size(); ++b) offsets_[b + 1] = offsets_[b] + sizes[b];
  std::vector<Index> next(offsets_.span().begin(), offsets_.span().end());
  for (Index alpha = 0; alpha < alphas_; ++alpha) {
    StringNumber place = 0;
    for (const StringNumber beta : space.betas_of(alpha))
      members_[next[beta]++] = {static_cast<StringNumber>(alpha), place++};
  }
}

/// The classes of a string are contiguous: those of one row are read one after the other.
void DeterminantsByBeta::fill_moves(const SinglesByClass& products) {
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

std::unique_ptr<const DeterminantsByBeta> DeterminantsByBeta::create_if_worthwhile(
    const Space& space, const ConnectionTable& alpha, const ConnectionTable& beta,
    const MixedIntegrals& mixed) {
  if (space.lists() <= HostRowBuilder::kMostCachedLists) return nullptr;
  const std::vector<Index> sizes = sizes_of_groups(space);
  LookUpCounts all;
  const Index looked_at = std::min(space.dimension(), kLookedAt);
  for (Index i = 0; i < looked_at; ++i) {
    const LookUpCounts one =
        looks_for(space, alpha, beta, sizes, space.place_of(space.dimension() / looked_at * i));
    all.alone += one.alone;
    all.together += one.together;
  }
  if (all.alone < kWorth * all.together) return nullptr;
  try {
    std::unique_ptr<DeterminantsByBeta> groups(new DeterminantsByBeta(space, sizes));
    groups->looks_ = all.together * static_cast<double>(space.dimension()) /
                     static_cast<double>(std::max<Index>(looked_at, 1));
    groups->fill_moves(SinglesByClass(alpha, beta, mixed, std::ssize(sizes), space.host()));
    return groups;
  } catch (const base::Error& error) {  // without the memory, rows are found one by one
    if (error.kind() != base::ErrorKind::resources) throw;
    return nullptr;
  }
}

std::unique_ptr<DeterminantsByBeta::Workspace> DeterminantsByBeta::take_workspace() const {
  {
    const std::scoped_lock lock(mutex_);
    if (!spare_.empty()) {
      auto workspace = std::move(spare_.back());
      spare_.pop_back();
      return workspace;
    }
    spare_.reserve(++made_);  // so that returning it allocates nothing
  }
  const auto nothing = [&](Index strings) {
    base::Array<Column> array(offsets_.backend(), strings, kGroups);
    std::ranges::fill(array.span(), -1);
    return array;
  };
  const Index betas = offsets_.size() - 1;
  return std::make_unique<Workspace>(Workspace{.connection_of = nothing(alphas_),
                                               .place_of = nothing(betas),
                                               .first_move_to = nothing(betas)});
}

void DeterminantsByBeta::return_workspace(std::unique_ptr<Workspace> workspace) const {
  const std::scoped_lock lock(mutex_);
  spare_.push_back(std::move(workspace));
}

}  // namespace cisolve::ci
