#include "ci/selected/spin_partners.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "ci/fock/spaces/open_shells.hpp"
#include "ci/fock/spaces/spin_functions.hpp"
#include "ci/selected/sorted_sets.hpp"

namespace cisolve::ci {

template <int W>
PackedDeterminant<W> first_coupling(const PackedDeterminant<W>& determinant) {
  const OrbitalBits<W> both = determinant.alpha & determinant.beta;
  const OrbitalBits<W> open = determinant.alpha ^ determinant.beta;
  int ups = (determinant.alpha - both).count();
  PackedDeterminant<W> first{both, both};
  open.for_each([&](int p) {
    OrbitalBits<W>& string = ups-- > 0 ? first.alpha : first.beta;
    string = string.flipped(p);
  });
  return first;
}

template <int W>
Index couplings_of(const PackedDeterminant<W>& determinant) {
  const int open = (determinant.alpha ^ determinant.beta).count();
  if (open > SpinFunctions::kMostOpen)
    base::fail(base::ErrorKind::bad_input, open, " singly occupied orbitals; expected at most ",
               SpinFunctions::kMostOpen, " to complete a space");
  return SpinFunctions::count_patterns(open, (determinant.alpha - determinant.beta).count());
}

template <int W>
base::Array<PackedDeterminant<W>> with_spin_partners(const SelectedList<W>& list,
                                                     std::span<const PackedDeterminant<W>> some) {
  using Packed = PackedDeterminant<W>;
  const base::Backend& host = list.host();
  const char* const what = "the determinants that complete configurations";
  base::Array<Packed> configurations(host, std::ssize(some), what);
  base::Array<Packed> scratch(host, std::ssize(some), what);
  constexpr Index kGrain = 1 << 12;
  base::for_each_chunk(configurations.size(), kGrain, host, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) configurations[i] = first_coupling(some[i]);
  });
  sort_on_threads(configurations.span(), scratch.span(), host);
  const Index count = keep_new(configurations.span(), std::span<const Packed>());
  base::Array<Index> offsets(host, count + 1, what);
  offsets[0] = 0;
  for (Index i = 0; i < count; ++i) offsets[i + 1] = offsets[i] + couplings_of(configurations[i]);

  base::Array<Packed> all(host, offsets[count], what);
  base::for_each_chunk(count, kGrain, host, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const OpenShells shells(configurations[i].determinant());
      std::uint64_t pattern = SpinFunctions::lowest_pattern(shells.up.count());
      for (Index k = offsets[i]; k < offsets[i + 1]; ++k) {
        all[k] = Packed::of(shells.with(pattern));
        if (k + 1 < offsets[i + 1]) pattern = SpinFunctions::next_pattern(pattern);
      }
    }
  });
  base::Array<Packed> workspace(host, all.size(), what);
  sort_on_threads(all.span(), workspace.span(), host);
  const Index kept = keep_new(all.span(), list.determinants());
  return base::Array<Packed>::copy_of(all.span().first(static_cast<std::size_t>(kept)), host, what);
}

template <int W>
std::optional<base::Array<Index>> complete_spin(SelectedList<W>& list) {
  if (list.is_spin_complete()) return std::nullopt;
  const auto missing = with_spin_partners(list, list.determinants());
  return list.add(missing.span(), true);
}

template PackedDeterminant<1> first_coupling(const PackedDeterminant<1>&);
template Index couplings_of(const PackedDeterminant<1>&);
template base::Array<PackedDeterminant<1>> with_spin_partners(
    const SelectedList<1>&, std::span<const PackedDeterminant<1>>);
template PackedDeterminant<2> first_coupling(const PackedDeterminant<2>&);
template Index couplings_of(const PackedDeterminant<2>&);
template base::Array<PackedDeterminant<2>> with_spin_partners(
    const SelectedList<2>&, std::span<const PackedDeterminant<2>>);
template PackedDeterminant<4> first_coupling(const PackedDeterminant<4>&);
template Index couplings_of(const PackedDeterminant<4>&);
template base::Array<PackedDeterminant<4>> with_spin_partners(
    const SelectedList<4>&, std::span<const PackedDeterminant<4>>);
template std::optional<base::Array<Index>> complete_spin(SelectedList<1>&);
template std::optional<base::Array<Index>> complete_spin(SelectedList<2>&);
template std::optional<base::Array<Index>> complete_spin(SelectedList<4>&);

}  // namespace cisolve::ci
