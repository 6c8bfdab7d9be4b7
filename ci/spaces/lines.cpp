#include "ci/spaces/lines.hpp"

#include <vector>

namespace cisolve::ci {

Lines::Lines(const Space& space, Spin spin)
    : space_(space),
      is_alpha_(spin == Spin::alpha),
      first_(space.host(), is_alpha_ ? 0 : std::ssize(space.strings(spin)) + 1, "the lines"),
      others_(space.host(), is_alpha_ ? 0 : space.dimension(), "the lines of a space") {
  if (is_alpha_) return;
  std::ranges::fill(first_.span(), Index{0});
  const Index alphas = std::ssize(space.strings(Spin::alpha));
  for (Index a = 0; a < alphas; ++a)
    for (const StringNumber b : space.betas_of(a)) ++first_[b + 1];
  for (Index b = 1; b < first_.size(); ++b) first_[b] += first_[b - 1];
  std::vector<Index> next(first_.span().begin(), first_.span().end());
  for (Index a = 0; a < alphas; ++a)
    for (const StringNumber b : space.betas_of(a))
      others_[next[b]++] = static_cast<StringNumber>(a);
}

std::span<const StringNumber> Lines::others(Index string) const {
  if (is_alpha_) return space_.betas_of(string);
  return others_.span().subspan(first_[string], first_[string + 1] - first_[string]);
}

Index Lines::first(Index string) const {
  return is_alpha_ ? space_.first_row(string) : first_[string];
}

const double* Lines::arranged(const double* vector, base::Array<double>& room) const {
  if (is_alpha_) return vector;
  room = base::Array<double>(space_.host(), space_.dimension(), "a vector by its beta strings");
  std::vector<Index> next(first_.span().begin(), first_.span().end());
  for (Index a = 0; a < std::ssize(space_.strings(Spin::alpha)); ++a) {
    const double* value = vector + space_.first_row(a);
    for (const StringNumber b : space_.betas_of(a)) room[next[b]++] = *value++;
  }
  return room.data();
}

}  // namespace cisolve::ci
