#include "ci/fock/spaces/spin_completion.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "ci/fock/spaces/open_shells.hpp"
#include "ci/fock/spaces/space_builder.hpp"
#include "ci/fock/spaces/spin_functions.hpp"
#include "ci/fock/strings/string_sets.hpp"

namespace cisolve::ci {
namespace {

/// Calls visit(pattern) for all patterns of `open` orbitals with `alphas` alpha electrons,
/// ascending, until it returns false.
template <class Visit>
void for_each_pattern(int open, int alphas, Visit&& visit) {
  const Index count = SpinFunctions::count_patterns(open, alphas);
  std::uint64_t pattern = SpinFunctions::lowest_pattern(alphas);
  for (Index i = 0; i < count; ++i) {
    if (!visit(pattern)) return;
    if (i + 1 < count) pattern = SpinFunctions::next_pattern(pattern);
  }
}

/// Collects missing determinants. Each configuration is handled once, by its determinant in the
/// space with the lowest pattern.
class MissingCouplings {
 public:
  explicit MissingCouplings(const Space& space) : space_(space) {}

  void look_at(const Determinant& determinant) {
    const OpenShells shells(determinant);
    const auto open = static_cast<int>(std::ssize(shells.orbitals));
    const int alphas = shells.up.count();
    if (open > SpinFunctions::kMostOpen)
      base::fail(base::ErrorKind::bad_input, open, " singly occupied orbitals; expected at most ",
                 SpinFunctions::kMostOpen, " to complete a space");
    const std::uint64_t own = shells.pattern();
    const auto before = static_cast<std::ptrdiff_t>(missing_.size());
    bool is_done_by_another = false;
    for_each_pattern(open, alphas, [&](std::uint64_t pattern) {
      if (pattern == own) return true;
      const Determinant other = shells.with(pattern);
      if (!space_.row_of(other)) {
        add(other);
        return true;
      }
      is_done_by_another = pattern < own;
      return !is_done_by_another;
    });
    if (is_done_by_another) missing_.erase(missing_.begin() + before, missing_.end());
  }

  std::vector<Determinant> take() { return std::move(missing_); }

 private:
  void add(const Determinant& determinant) {
    if (missing_.size() == missing_.capacity())
      space_.host().host_memory().require(
          3 * Index{sizeof(Determinant)} * std::max<Index>(std::ssize(missing_), 1024),
          "the determinants that complete a space");
    missing_.push_back(determinant);
  }

  const Space& space_;
  std::vector<Determinant> missing_;
};

}  // namespace

std::vector<Determinant> missing_couplings(const Space& space) {
  MissingCouplings found(space);
  for (Index a = 0; a < std::ssize(space.strings(Spin::alpha)); ++a)
    for (const StringNumber b : space.betas_of(a))
      found.look_at({space.strings(Spin::alpha)[a], space.strings(Spin::beta)[b]});
  std::vector<Determinant> missing = found.take();
  std::ranges::sort(missing);
  return missing;
}

Space completed(const Space& space, const std::vector<Determinant>& missing) {
  const base::Backend& host = space.host();
  host.host_memory().require(
      (space.dimension() + std::ssize(missing)) * Index{2 * sizeof(StringNumber)},
      "the lists of beta strings");
  const auto alphas = space.strings(Spin::alpha);
  std::vector<String> all_alphas(alphas.begin(), alphas.end());
  const auto old_betas = space.strings(Spin::beta);
  std::vector<String> betas(old_betas.begin(), old_betas.end());
  for (const Determinant& determinant : missing) {
    all_alphas.push_back(determinant.alpha);
    betas.push_back(determinant.beta);
  }
  sort_unique(all_alphas);
  sort_unique(betas);
  SpaceBuilder parts(space.orbitals(), std::move(betas));
  std::vector<StringNumber> new_number;
  for (const String& beta : old_betas) new_number.push_back(parts.number_of(beta));

  Index old = 0;  // next alpha string of the old space
  auto added = missing.begin();
  std::vector<StringNumber> list;
  for (const String& alpha : all_alphas) {
    list.clear();
    if (old < std::ssize(alphas) && alphas[old] == alpha)
      for (const StringNumber beta : space.betas_of(old++)) list.push_back(new_number[beta]);
    const auto kept = std::ssize(list);
    for (; added != missing.end() && added->alpha == alpha; ++added)
      list.push_back(parts.number_of(added->beta));
    std::ranges::inplace_merge(list, list.begin() + kept);
    parts.add(alpha, list);
  }
  Space::Parts whole = parts.take();
  whole.references = space.references();
  return {std::move(whole), host};
}

}  // namespace cisolve::ci
