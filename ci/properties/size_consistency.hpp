#pragma once

#include <optional>

namespace cisolve::ci {

/// Estimates of what a truncated CI expansion lacks for size consistency, to be added to its
/// energy, in its units.
struct SizeCorrections {
  double davidson;      // (1 - w) (E - E_ref): S. Langhoff, E. Davidson, IJQC 8, 61 (1974)
  double renormalised;  // (1 - w) / w (E - E_ref): P. Siegbahn, CPL 55, 386 (1978)
  /// (E - E_ref) ((sqrt(N^2 + 2 N tan^2 2t) - N) / (2 (sec 2t - 1)) - 1), w = cos^2 t: J. Pople,
  /// R. Seeger, R. Krishnan, IJQC S11, 149 (1977). Zero for two electrons.
  double pople;
};

/// `energy`: of the state; `reference_energy`: of its normalised part on the references, whose
/// weight in the state is w = `reference_weight`; `electrons`: N, that are correlated. None unless
/// w > 1/2, where a state is no correction to its references.
std::optional<SizeCorrections> size_corrections(double energy, double reference_energy,
                                                double reference_weight, int electrons);

}  // namespace cisolve::ci
