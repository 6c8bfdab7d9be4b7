#include "ci/selected/selected_list.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "ci/selected/sorted_sets.hpp"

namespace cisolve::ci {
namespace {

void check_determinant(const Determinant& determinant, Index place, int orbitals,
                       const SpinElectrons& electrons) {
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    const String& string = determinant[spin];
    const char* const name = spin == Spin::alpha ? "alpha" : "beta";
    if (!(string - String::below(orbitals)).empty())
      base::fail(base::ErrorKind::bad_input, "determinant ", place + 1, " of the list has ", name,
                 " electrons in orbitals above ", orbitals, "; expected orbitals 1 to ", orbitals);
    if (string.count() != electrons.of(spin))
      base::fail(base::ErrorKind::bad_input, "determinant ", place + 1, " of the list has ",
                 string.count(), " ", name, " electrons; expected ", electrons.of(spin));
  }
}

template <int W>
base::Array<PackedDeterminant<W>> packed(std::span<const Determinant> determinants,
                                         const base::Backend& host) {
  base::Array<PackedDeterminant<W>> all(host, std::ssize(determinants), "selected determinants");
  for (Index i = 0; i < all.size(); ++i) all[i] = PackedDeterminant<W>::of(determinants[i]);
  std::ranges::sort(all.span());
  const auto repeats = std::ranges::unique(all.span());
  if (repeats.empty()) return all;
  return base::Array<PackedDeterminant<W>>::copy_of(
      std::span<const PackedDeterminant<W>>(all.span().data(),
                                            repeats.begin() - all.span().begin()),
      host, "selected determinants");
}

base::Array<double> not_expanded(Index size, const base::Backend& host) {
  base::Array<double> thresholds(host, size, "thresholds of selected determinants");
  std::ranges::fill(thresholds.span(), kNotExpanded);
  return thresholds;
}

}  // namespace

template <int W>
SelectedList<W>::SelectedList(int orbitals, SpinElectrons electrons,
                              base::Array<PackedDeterminant<W>> determinants, bool is_spin_complete)
    : orbitals_(orbitals),
      electrons_(electrons),
      is_spin_complete_(is_spin_complete),
      determinants_(std::move(determinants)),
      expanded_to_(not_expanded(determinants_.size(), determinants_.backend())) {}

template <int W>
SelectedList<W>::SelectedList(int orbitals, SpinElectrons electrons,
                              std::span<const Determinant> determinants, const base::Backend& host)
    : SelectedList(
          orbitals, electrons,
          [&] {
            if (orbitals < 1 || orbitals > OrbitalBits<W>::kOrbitals)
              base::fail(base::ErrorKind::bad_input, orbitals, " orbitals; expected 1 to ",
                         OrbitalBits<W>::kOrbitals);
            for (std::size_t i = 0; i < determinants.size(); ++i)
              check_determinant(determinants[i], static_cast<Index>(i), orbitals, electrons);
            return packed<W>(determinants, host.host());
          }(),
          false) {
  repeats_ = std::ssize(determinants) - size();
}

template <int W>
void SelectedList<W>::forget_expansions() {
  std::ranges::fill(expanded_to_.span(), kNotExpanded);
}

template <int W>
Index SelectedList<W>::row_of(const PackedDeterminant<W>& determinant) const {
  const auto all = determinants();
  const auto found = std::ranges::lower_bound(all, determinant);
  return found != all.end() && *found == determinant ? found - all.begin() : -1;
}

template <int W>
base::Array<Index> SelectedList<W>::add(std::span<const PackedDeterminant<W>> fresh,
                                        bool is_spin_complete,
                                        std::span<const double> expanded_to) {
  if (!expanded_to.empty() && std::ssize(expanded_to) != size())
    base::fail(base::ErrorKind::internal, expanded_to.size(), " thresholds for ", size(),
               " selected determinants");
  const Index both = size() + std::ssize(fresh);
  base::Array<Index> row_of_old(host(), size(), "the rows of earlier determinants");
  base::Array<PackedDeterminant<W>> all(host(), both, "selected determinants");
  base::Array<double> thresholds(host(), both, "thresholds of selected determinants");
  const auto old = determinants();
  constexpr Index kGrain = 1 << 16;
  base::for_each_chunk(both, kGrain, host(), [&](Index first, Index last) {
    Index i = merged_from_first(old, fresh, first);
    Index j = first - i;
    for (Index row = first; row < last; ++row) {
      if (i < std::ssize(old) && (j == std::ssize(fresh) || old[i] < fresh[j])) {
        all[row] = old[i];
        thresholds[row] =
            expanded_to.empty() ? expanded_to_[i] : std::min(expanded_to_[i], expanded_to[i]);
        row_of_old[i++] = row;
      } else {
        all[row] = fresh[j++];
        thresholds[row] = kNotExpanded;
      }
    }
  });
  determinants_ = std::move(all);
  expanded_to_ = std::move(thresholds);
  is_spin_complete_ = is_spin_complete;
  return row_of_old;
}

template <int W>
SelectedList<W> SelectedList<W>::only(std::span<const Index> rows, bool is_spin_complete) const {
  base::Array<PackedDeterminant<W>> kept(host(), std::ssize(rows), "selected determinants");
  for (Index i = 0; i < kept.size(); ++i) kept[i] = determinants_[rows[i]];
  return {orbitals_, electrons_, std::move(kept), is_spin_complete};
}

template class SelectedList<1>;
template class SelectedList<2>;
template class SelectedList<4>;

}  // namespace cisolve::ci
