#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ci/fock/strings/determinant.hpp"

namespace cisolve::ci {

/// A user's choice of orbitals: a count, or a list numbered from 1.
using OrbitalChoice = std::variant<int, std::vector<int>>;

/// Orbital lists numbered from 0, ascending. Frozen orbitals are doubly occupied in every
/// determinant; orbitals in neither list are empty in every one.
struct Window {
  std::vector<int> frozen;
  std::vector<int> active;
};

/// The names of the two lists in messages.
struct WindowNames {
  const char* first = "frozen";
  const char* second = "active";
};

/// Divides `orbitals` (numbers in a file, from 0, ascending) into two lists. A count in `first`
/// takes the lowest ones, a count in `second` the lowest of the rest; without `second` all of the
/// rest are taken. Lists number orbitals from 1; their order is ignored. Throws
/// ErrorKind::configuration for an orbital that is not in `orbitals`, is named twice, or is in both
/// lists.
Window divide_orbitals(const std::vector<int>& orbitals, const OrbitalChoice& first,
                       const std::optional<OrbitalChoice>& second, const WindowNames& names);

/// Divides all orbitals into frozen and active ones; refuses a window without active orbitals, too.
Window make_window(int orbitals, const OrbitalChoice& frozen,
                   const std::optional<OrbitalChoice>& active);

/// Electrons in the active orbitals.
struct WindowElectrons {
  int alpha;
  int beta;
};
/// Throws ErrorKind::configuration if the window cannot hold them.
WindowElectrons electrons_in(const Window& window, int alpha, int beta);

/// Predicate: the frozen orbitals are doubly occupied and those outside the window empty.
/// Determinants are over all orbitals.
class InWindow {
 public:
  explicit InWindow(const Window& window)
      : frozen_(String::of(window.frozen)), inside_(frozen_ | String::of(window.active)) {}

  bool operator()(const Determinant& determinant) const {
    return fits(determinant.alpha) && fits(determinant.beta);
  }
  /// A clause for messages that follows the name of the determinant; empty if it is in the window.
  std::string problem(const Determinant& determinant) const;

 private:
  bool fits(const String& string) const {
    return (frozen_ - string).empty() && (string - inside_).empty();
  }

  String frozen_;
  String inside_;
};

/// Maps a determinant over all orbitals to one over the active ones. Throws ErrorKind::bad_input if
/// it is not InWindow.
Determinant determinant_in(const Window& window, const Determinant& determinant);

/// A string over the active orbitals as one over all, the frozen orbitals occupied. `odd`: the sign
/// changes, since the active string has the frozen electrons to the left of the others.
struct WholeString {
  String string;
  bool odd;
};
WholeString whole_string(const Window& window, const String& inner);

/// A determinant over the active orbitals as one over all; `sign` is the product of the strings'
/// signs.
struct WholeDeterminant {
  Determinant determinant;
  double sign;
};
WholeDeterminant whole_determinant(const Window& window, const Determinant& inner);

/// The Hamiltonian over the active orbitals: the frozen core's energy is added to the core energy,
/// its mean field to the one-electron integrals. Irreps are kept, since a closed core is totally
/// symmetric.
Integrals fold_frozen_core(const Integrals& integrals, const Window& window,
                           const base::Backend& host);

}  // namespace cisolve::ci
