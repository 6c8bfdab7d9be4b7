#include "ci/fock/spaces/spin_major_order.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kLinesAtOnce = 32;
constexpr Index kSearch = 16;  // rows walked in the time of one binary search

bool has_all_pairs(const Space& space) {
  return space.dimension() ==
         std::ssize(space.strings(Spin::alpha)) * std::ssize(space.strings(Spin::beta));
}

}  // namespace

SpinMajorOrder::SpinMajorOrder(const Space& space, Spin spin)
    : space_(space),
      is_alpha_(spin == Spin::alpha),
      is_complete_(has_all_pairs(space)),
      first_(space.host(), is_alpha_ ? 0 : std::ssize(space.strings(spin)) + 1, "the lines"),
      others_(space.host(),
              is_alpha_      ? 0
              : is_complete_ ? std::ssize(space.strings(Spin::alpha))
                             : space.dimension(),
              "the lines of a space") {
  if (is_alpha_) return;
  if (is_complete_) {
    std::iota(others_.data(), others_.data() + others_.size(), StringNumber{0});
    for (Index b = 0; b < first_.size(); ++b) first_[b] = b * others_.size();
    return;
  }
  std::ranges::fill(first_.span(), Index{0});
  for_each_of_lines([&](Index, StringNumber b, Index) { ++first_[b + 1]; });
  for (Index b = 1; b < first_.size(); ++b) first_[b] += first_[b - 1];
  std::vector<Index> next(first_.span().begin(), first_.span().end());
  for_each_of_lines(
      [&](Index a, StringNumber b, Index) { others_[next[b]++] = static_cast<StringNumber>(a); });
}

/// Calls visit(alpha, beta, row) for all rows, those of one beta string in ascending order and on
/// one thread.
template <class Visit>
void SpinMajorOrder::for_each_of_lines(Visit&& visit) const {
  const Index betas = std::ssize(space_.strings(Spin::beta));
  const Index searches = betas * space_.lists() * kSearch;
  const Index at_once = std::max(kLinesAtOnce, searches / space_.dimension());
  base::for_each_chunk(betas, at_once, space_.host(), [&](Index first, Index last) {
    const auto place = [](std::span<const StringNumber> list, Index beta) {
      return std::ranges::lower_bound(list, beta) - list.begin();
    };
    std::vector<std::pair<Index, Index>> places(
        space_.lists());  // range of this chunk's strings in each list
    for (Index list = 0; list < space_.lists(); ++list)
      places[list] = {place(space_.list(list), first), place(space_.list(list), last)};
    for (Index a = 0; a < std::ssize(space_.strings(Spin::alpha)); ++a) {
      const auto [begin, end] = places[space_.list_of(a)];
      const auto list = space_.betas_of(a);
      for (Index i = begin; i < end; ++i) visit(a, list[i], space_.first_row(a) + i);
    }
  });
}

std::span<const StringNumber> SpinMajorOrder::others(Index string) const {
  if (is_alpha_) return space_.betas_of(string);
  if (is_complete_) return others_.span();
  return others_.span().subspan(first_[string], first_[string + 1] - first_[string]);
}

Index SpinMajorOrder::first(Index string) const {
  return is_alpha_ ? space_.first_row(string) : first_[string];
}

const double* SpinMajorOrder::arranged(const double* vector, base::Array<double>& workspace) const {
  if (is_alpha_) return vector;
  workspace =
      base::Array<double>(space_.host(), space_.dimension(), "a vector by its beta strings");
  std::vector<Index> next(first_.span().begin(), first_.span().end());
  for_each_of_lines([&](Index, StringNumber b, Index row) { workspace[next[b]++] = vector[row]; });
  return workspace.data();
}

}  // namespace cisolve::ci
