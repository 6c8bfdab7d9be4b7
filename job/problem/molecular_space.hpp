#pragma once

#include "ci/fock/counting/counting_number.hpp"
#include "ci/fock/spaces/spaces.hpp"
#include "ci/fock/strings/window.hpp"
#include "ci/oracle/counting_rows.hpp"
#include "job/request/request.hpp"

namespace cisolve::job {

/// Which keys of a request a kind of space heeds, beside those of all kinds.
struct SpaceKeys {
  bool reference = false;         // space.reference
  bool references = false;        // space.references
  bool needs_references = false;  // at least one of them
  bool level = false;             // space.level
  bool ras = false;               // space.ras1, space.ras2, space.holes and space.particles
  bool complete = true;           // space.complete: couplings of its open shells may be missing
};
SpaceKeys keys_of(SpaceKind kind);

/// Whether a space has all determinants of its active orbitals.
bool is_full(const Request::Space& space);

/// The frozen and the active orbitals that a request chooses.
ci::Window chosen_window(const Request& request, int orbitals);

/// What is left of a problem's electrons for the active ones of its orbitals.
ci::WindowElectrons chosen_electrons(const Request& request, const ci::Window& window, int orbitals,
                                     int alpha, int beta);

/// Where the determinants of a space live.
struct OrbitalFrame {
  const ci::Window& window;
  const ci::Sector& sector;  // of the window
  int orbitals;              // of the whole problem
};

/// Throws ErrorKind::configuration for a space that cannot be, which costs no time: files without
/// their kind, and references that are impossible, whether or not the space makes use of them.
void require_possible_space(const Request& request, const OrbitalFrame& around);
/// How large a space is at least; 0 where only building it tells.
struct LeastSize {
  ci::BigCount determinants;
  ci::StringCounts strings;
};

/// Of the space that a request names, counted without building it. What cannot be is left to
/// build_space() to refuse.
LeastSize least_size(const Request& request, const OrbitalFrame& around);

/// The space that a request names. References and listed determinants are given over all
/// orbitals, the frozen ones doubly occupied.
ci::Space build_space(const Request& request, const OrbitalFrame& around,
                      const base::Backend& host);

}  // namespace cisolve::job
