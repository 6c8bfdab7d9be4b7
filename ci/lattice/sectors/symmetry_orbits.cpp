#include "ci/lattice/sectors/symmetry_orbits.hpp"

namespace cisolve::ci {
namespace {

constexpr auto kTables = "tables of symmetries";

}  // namespace

SymmetryOrbits::SymmetryOrbits(const SymmetrySector& sector, const base::Backend& host)
    : group_(sector),
      signs_(sector, host),
      bytes_((sector.places() + 7) / 8),
      all_(all_up(sector.places())),
      padded_((std::ssize(group_.all) + kBlock - 1) / kBlock * kBlock),
      tables_(host, Index{256} * bytes_ * padded_, kTables) {
  BasisState* entry = tables_.data();
  for (int byte = 0; byte < bytes_; ++byte)
    for (BasisState bits = 0; bits < 256; ++bits)
      for (Index way = 0; way < padded_; ++way) {
        const SitePermutation& moved_by = group_.all[std::min(way, std::ssize(group_.all) - 1)];
        *entry++ = moved_places(bits << (8 * byte) & all_, moved_by.to);
      }
}

}  // namespace cisolve::ci
