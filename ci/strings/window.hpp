#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ci/strings/determinant.hpp"

namespace cisolve::ci {

/// Some of the orbitals, as a user names them: how many, or which (counted from 1).
using OrbitalChoice = std::variant<int, std::vector<int>>;

/// Orbitals from 0, each list ascending. Frozen ones are doubly occupied in every determinant, and
/// those in neither list are empty in all of them.
struct Window {
  std::vector<int> frozen;
  std::vector<int> active;
};

/// What messages call the two lists of orbitals.
struct WindowNames {
  const char* first = "frozen";
  const char* second = "active";
};

/// Some orbitals of a file, ascending from 0, in two: a count of the first ones means the lowest; a
/// count of the second ones means the first that are left, and no choice all of these. Lists number
/// orbitals as the file does, from 1, and whatever their order, the file's is kept. Throws
/// Fault::configuration for orbitals that are none of these, are named twice, or are in both lists.
Window divide_orbitals(const std::vector<int>& orbitals, const OrbitalChoice& first,
                       const std::optional<OrbitalChoice>& second, const WindowNames& names);

/// Frozen and active orbitals, likewise; a window without active orbitals is refused, too.
Window make_window(int orbitals, const OrbitalChoice& frozen,
                   const std::optional<OrbitalChoice>& active);

/// The electrons that are left in the window, alpha and beta.
struct WindowElectrons {
  int alpha;
  int beta;
};
/// Throws Fault::configuration where the window cannot hold them.
WindowElectrons electrons_in(const Window& window, int alpha, int beta);

/// Tells determinants of all orbitals that have a window's frozen orbitals doubly occupied and
/// those outside it empty.
class InWindow {
 public:
  explicit InWindow(const Window& window)
      : frozen_(String::of(window.frozen)), inside_(frozen_ | String::of(window.active)) {}

  bool operator()(const Determinant& determinant) const {
    return fits(determinant.alpha) && fits(determinant.beta);
  }
  /// What is wrong with one, to stand behind its name; empty where nothing is.
  std::string problem(const Determinant& determinant) const;

 private:
  bool fits(const String& string) const {
    return (frozen_ - string).empty() && (string - inside_).empty();
  }

  String frozen_;
  String inside_;
};

/// A determinant of all orbitals as one of the window's. Throws Fault::bad_input for one that is
/// not InWindow.
Determinant determinant_in(const Window& window, const Determinant& determinant);

/// A string of the window as one of all orbitals, the frozen ones occupied, and whether the sign
/// changes between the two: the window's has the frozen electrons to the left of the others.
struct WholeString {
  String string;
  bool odd;
};
WholeString whole_string(const Window& window, const String& inner);

/// A determinant of the window as one of all orbitals, the frozen ones doubly occupied, and the
/// sign between the two: the window's has the frozen electrons of a spin to the left of the others.
struct WholeDeterminant {
  Determinant determinant;
  double sign;
};
WholeDeterminant whole_determinant(const Window& window, const Determinant& inner);

/// The Hamiltonian of the electrons in the window: the frozen orbitals go into the core energy and
/// into the one-electron integrals as the mean field of their electrons. Irreps are kept: the
/// frozen core is closed, so its irrep is the totally symmetric one.
Integrals fold(const Integrals& integrals, const Window& window, const base::Backend& host);

}  // namespace cisolve::ci
