#pragma once

#include <map>

#include "ci/lattice/words/site_model.hpp"

namespace cisolve::ci {

/// Accumulates the terms of a model; terms of equal masks are added up.
class SiteModelBuilder {
 public:
  /// Adds a flip of places a and b (a == b: of one): value `opposite` if they are antiparallel,
  /// `parallel` if they are parallel.
  void add_flip(int a, int b, double opposite, double parallel);
  /// Adds to the flip of `mask`, for words whose masked places equal `from` or its complement in
  /// the mask.
  void add_flip(BasisState mask, BasisState from, BasisState string, double value);
  void energy(BasisState mask, double value) { energies_[mask] += value; }

  /// Throws ErrorKind::configuration if a sum is not finite.
  SiteModel take(int sites, bool holds_electrons) const;

 private:
  std::map<BasisState, SiteModel::FlipTerm> moves_;
  std::map<BasisState, double> energies_;
};

}  // namespace cisolve::ci
