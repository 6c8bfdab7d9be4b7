#include "ci/lattice/spins/site_model_view.hpp"

#include <algorithm>

#include "base/loops.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kSpinTables = "tables of spins";

template <class T>
base::Array<T> copied(const std::vector<T>& values, const base::Backend& backend) {
  return base::Array<T>::copy_of(values, backend, kSpinTables);
}

template <class T>
const T* if_any(const base::Array<T>& values) {
  return values.size() == 0 ? nullptr : values.data();
}

/// The shift for which about kTogether representatives share their leading bits.
int shift_of(std::span<const BasisState> words) {
  constexpr BasisState kTogether = 8;
  int shift = 0;
  while (!words.empty() && words.back() >> shift > words.size() / kTogether + 1) ++shift;
  return shift;
}

/// Offsets of the representatives by leading bits, and the end.
base::Array<Index> starts_of(std::span<const BasisState> words, const base::Backend& host) {
  constexpr Index kAtOnce = 1 << 12;
  const int shift = shift_of(words);
  const Index lots = words.empty() ? 0 : static_cast<Index>(words.back() >> shift) + 1;
  base::Array<Index> starts(host, lots + 1, kSpinTables);
  base::for_each_chunk(lots + 1, kAtOnce, host, [&](Index first, Index last) {
    for (Index lot = first; lot < last; ++lot) {
      const auto least = std::ranges::lower_bound(
          words, lot, {}, [&](BasisState word) { return static_cast<Index>(word >> shift); });
      starts[lot] = least - words.begin();
    }
  });
  return starts;
}

std::vector<SectorMatrix> matrices_of(const std::optional<SymmetrySector>& sector) {
  std::vector<SectorMatrix> all;
  if (sector)
    for (const auto& [operation, matrix] : sector->operations) all.push_back(matrix);
  return all;
}

}  // namespace

SiteModelTables::SiteModelTables(const SiteModelRows& rows, const base::Backend& backend)
    : representatives_(rows.basis().representatives_.to(backend, kSpinTables)),
      starts_(starts_of(rows.basis().representatives_.span(), rows.basis().host())
                  .to(backend, kSpinTables)),
      kind_of_(rows.basis().kind_of_.to(backend, kSpinTables)),
      first_rows_(rows.basis().first_rows_.to(backend, kSpinTables)),
      kinds_(copied(rows.basis().kinds_, backend)),
      matrices_(copied(matrices_of(rows.basis().sector()), backend)),
      moves_(backend, 0, kSpinTables),
      energies_(backend, 0, kSpinTables),
      smaller_(base::Array<Index>::copy_of(rows.basis().words().smaller(), backend, kSpinTables)),
      byte_offsets_(
          base::Array<Index>::copy_of(rows.basis().words().byte_offsets(), backend, kSpinTables)) {
  const SymmetryAdaptedBasis& basis = rows.basis();
  if (basis.sector()) {
    rotations_.emplace(*basis.sector(), backend);
    signs_.emplace(*basis.sector(), backend);
  }
  for (const SymmetryAdaptedBasis::OrbitKind& kind : basis.kinds_)
    most_states_ = std::max(most_states_, kind.states);
  BasisStatesView words = basis.words().view();
  words.smaller = smaller_.data();
  words.byte_offsets = byte_offsets_.data();
  view_ = {.words = words,
           .has_sector = basis.sector().has_value(),
           .rotations = rotations_ ? rotations_->view() : SiteRotationsView{},
           .signs = signs_ ? signs_->view() : FermionSignsView{},
           .matrices = matrices_.data(),
           .rows = basis.dimension(),
           .orbits = basis.orbits(),
           .representatives = representatives_.data(),
           .starts = starts_.data(),
           .lots = starts_.size() - 1,
           .shift = shift_of(basis.representatives_.span()),
           .kind_of = if_any(kind_of_),
           .first_rows = if_any(first_rows_),
           .kinds = kinds_.data()};
  take(rows.model());
}

void SiteModelTables::take(const SiteModel& model) {
  moves_ = copied(model.moves, backend());
  energies_ = copied(model.energies, backend());
  view_.moves = moves_.data();
  view_.move_count = static_cast<int>(moves_.size());
  view_.energies = energies_.data();
  view_.energy_count = static_cast<int>(energies_.size());
}

Index SiteModelTables::bytes() const {
  return representatives_.bytes() + starts_.bytes() + kind_of_.bytes() + first_rows_.bytes() +
         kinds_.bytes() + matrices_.bytes() + moves_.bytes() + energies_.bytes() +
         smaller_.bytes() + byte_offsets_.bytes() +
         (rotations_ ? rotations_->bytes() + signs_->bytes() : 0);
}

}  // namespace cisolve::ci
