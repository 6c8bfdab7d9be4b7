#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/backend.hpp"
#include "base/small_matrix.hpp"

namespace cisolve::ci {

inline constexpr int kHighestMomentum = 6;  // i functions
inline constexpr int kMostFunctions = 10000;
inline constexpr std::size_t kMostGaussians = 200;  // of one shell
inline constexpr int kHighestAtomicNumber = 118;

struct Nucleus {
  int atomic_number = 0;          // 0: a ghost atom
  double charge = 0;              // less the electrons that a pseudopotential replaces
  std::array<double, 3> place{};  // in bohr
};

/// A contracted shell: sum_k coefficients[k] g_k, g_k a Gaussian normalised to 1. The scale of the
/// coefficients does not matter, since each function of the shell is normalised to 1.
struct ContractedShell {
  int nucleus = 0;   // from 0
  int momentum = 0;  // 0 for s, 1 for p, 2 for d and so on
  std::vector<double> exponents = {};
  std::vector<double> coefficients = {};
};

/// Real Gaussian functions centred at nuclei, each normalised to 1, in the order of PySCF: shell by
/// shell; within a shell of p functions x y z; of spherical functions by m = -l .. l, of real solid
/// harmonics (m > 0: Re (x + i y)^m, m < 0: Im (x + i y)^|m|, no further sign); of Cartesian
/// functions x^a y^b z^c by falling a, then falling b.
struct GaussianBasis {
  bool is_spherical = true;
  std::vector<Nucleus> nuclei = {};
  std::vector<ContractedShell> shells = {};

  int functions(const ContractedShell& shell) const;
  int functions() const;
  /// The first function of each shell, and the end.
  std::vector<int> first_functions() const;
};

/// "H", "He" and so on; "X" of 0.
std::string_view element_symbol(int atomic_number);

/// Throws ErrorKind::bad_input, as "source: what is wrong; what was expected", unless there are
/// nuclei and 1 to kMostFunctions functions, and all numbers are finite and in their ranges.
void require_sound(const GaussianBasis& basis, std::string_view source);

/// factor x^a y^b z^c
struct PolynomialTerm {
  std::array<int, 3> powers;
  double factor;
};
using Polynomial = std::vector<PolynomialTerm>;

/// Polynomials of the functions of a shell, in the order of GaussianBasis. Multiplied by a sum of
/// exponentials with radial_weights(), they are normalised to 1.
std::vector<Polynomial> angular_functions(int momentum, bool is_spherical);

/// w_k such that sum_k w_k exp(-a_k r^2) times an angular function is normalised to 1.
std::vector<double> radial_weights(const ContractedShell& shell);

/// <f|g> of all functions, on the threads of `host`.
base::SmallMatrix overlap_of(const GaussianBasis& basis, const base::Backend& host);

}  // namespace cisolve::ci
