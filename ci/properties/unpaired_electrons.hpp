#pragma once

#include <span>

// Numbers of effectively unpaired electrons, from the occupations n_k, 0 to 2, of the natural
// orbitals of a state. Both are 2 S for a determinant of 2 S singly occupied orbitals.
namespace cisolve::ci {

/// sum_k min(n_k, 2 - n_k): M. Head-Gordon, Chem. Phys. Lett. 372, 508 (2003).
double unpaired_head_gordon(std::span<const double> occupations);

/// sum_k n_k (2 - n_k): K. Takatsuka, T. Fueno, K. Yamaguchi, Theor. Chim. Acta 48, 175 (1978).
double unpaired_takatsuka(std::span<const double> occupations);

}  // namespace cisolve::ci
