#pragma once

#include "ci/fock/counting/counting_number.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/fock/strings/window.hpp"
#include "ci/oracle/sampled_lengths.hpp"
#include "job/request/request.hpp"

namespace cisolve::job {

/// Keys of a request that a kind of space uses besides those of all kinds.
struct SpaceKeys {
  bool reference = false;         // space.reference
  bool references = false;        // space.references
  bool needs_references = false;  // whether one of these two is required
  bool level = false;             // space.level
  bool ras = false;               // space.ras1, space.ras2, space.holes and space.particles
  bool complete = true;           // space.complete: couplings of its open shells may be missing
};
SpaceKeys keys_of(SpaceKind kind);

/// Whether a space has all determinants of its active orbitals.
bool is_full(const Request::Space& space);

/// The frozen and the active orbitals that a request chooses.
ci::Window chosen_window(const Request& request, int orbitals);

/// The problem's electrons that remain for its active orbitals.
ci::WindowElectrons chosen_electrons(const Request& request, const ci::Window& window, int orbitals,
                                     int alpha, int beta);

/// The orbitals in which the determinants of a space are defined.
struct OrbitalFrame {
  const ci::Window& window;
  const ci::Sector& sector;  // electrons of the window
  int orbitals;              // orbitals of the whole problem
};

/// Throws ErrorKind::configuration for an impossible space, at no cost: list files without their
/// kind of space, and impossible references, even if the space does not use them.
void require_possible_space(const Request& request, const OrbitalFrame& around);
/// Lower bounds of the size of a space; 0 if only building it gives them.
struct LeastSize {
  ci::BigCount determinants;
  ci::StringCounts strings;
};

/// The size of the requested space, counted without building it. Invalid requests are left to
/// build_space().
LeastSize least_size(const Request& request, const OrbitalFrame& around);

/// The requested space. References and listed determinants are given over all orbitals, the frozen
/// ones doubly occupied.
ci::Space build_space(const Request& request, const OrbitalFrame& around,
                      const base::Backend& host);

}  // namespace cisolve::job
