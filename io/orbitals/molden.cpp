#include "io/orbitals/molden.hpp"

#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace cisolve::io {
namespace {

constexpr std::string_view kLetters = "spdfg";
constexpr int kDigits = 16;

/// Molden's order of the functions of a shell, as places in the order of ci::GaussianBasis.
const std::vector<int>& molden_order(int momentum, bool is_spherical) {
  static const std::vector<std::vector<int>> spherical = {
      {0}, {0, 1, 2}, {2, 3, 1, 4, 0}, {3, 4, 2, 5, 1, 6, 0}, {4, 5, 3, 6, 2, 7, 1, 8, 0}};
  static const std::vector<std::vector<int>> cartesian = {
      {0},
      {0, 1, 2},
      {0, 3, 5, 1, 2, 4},              // xx yy zz xy xz yz
      {0, 6, 9, 3, 1, 2, 5, 8, 7, 4},  // xxx yyy zzz xyy xxy xxz xzz yzz yyz xyz
      {0, 10, 14, 1, 2, 6, 11, 9, 13, 3, 5, 12, 4, 7,
       8}};  // xxxx yyyy zzzz xxxy xxxz yyyx yyyz
             // zzzx zzzy xxyy xxzz yyzz xxyz yyxz zzxy
  return (is_spherical ? spherical : cartesian)[static_cast<std::size_t>(momentum)];
}

std::string number(double value) { return base::scientific(value, kDigits); }

std::string atoms_text(const ci::GaussianBasis& basis) {
  std::string text = "[Atoms] (AU)\n";
  for (std::size_t k = 0; k < basis.nuclei.size(); ++k) {
    const ci::Nucleus& nucleus = basis.nuclei[k];
    text += base::concat(ci::element_symbol(nucleus.atomic_number), " ", k + 1, " ",
                         nucleus.atomic_number);
    for (const double place : nucleus.place) text += base::concat(" ", number(place));
    text += '\n';
  }
  return text;
}

std::string shell_text(const ci::ContractedShell& shell) {
  const std::vector<double> weights = ci::radial_weights(shell);
  std::string text = base::concat(kLetters[static_cast<std::size_t>(shell.momentum)], " ",
                                  shell.exponents.size(), " 1.00\n");
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double exponent = shell.exponents[k];
    const double of_normalised = weights[k] / std::pow(2 * exponent, 0.5 * (shell.momentum + 1.5));
    text += base::concat(number(exponent), " ", number(of_normalised), "\n");
  }
  return text;
}

/// Shells atom by atom, as Molden has them.
std::vector<std::size_t> shells_by_atom(const ci::GaussianBasis& basis) {
  std::vector<std::size_t> order;
  for (int atom = 0; atom < std::ssize(basis.nuclei); ++atom)
    for (std::size_t s = 0; s < basis.shells.size(); ++s)
      if (basis.shells[s].nucleus == atom) order.push_back(s);
  return order;
}

std::string basis_text(const ci::GaussianBasis& basis, const std::vector<std::size_t>& shells) {
  std::string text = "[GTO]\n";
  int atom = -1;
  for (const std::size_t s : shells) {
    if (const int next = basis.shells[s].nucleus; next != atom) {
      text += base::concat(atom < 0 ? "" : "\n", next + 1, " 0\n");
      atom = next;
    }
    text += shell_text(basis.shells[s]);
  }
  return text + (basis.is_spherical ? "\n[5D]\n[7F]\n[9G]\n" : "\n[6D]\n[10F]\n[15G]\n");
}

/// Electrons that pseudopotentials replace.
std::string core_text(const ci::GaussianBasis& basis) {
  std::string text;
  for (std::size_t k = 0; k < basis.nuclei.size(); ++k) {
    const ci::Nucleus& nucleus = basis.nuclei[k];
    const long replaced = std::lround(nucleus.atomic_number - nucleus.charge);
    if (replaced > 0) text += base::concat(k + 1, " : ", replaced, "\n");
  }
  return text.empty() ? text : base::concat("[Core]\n", text);
}

/// The function of the basis that is each one of Molden's.
std::vector<std::size_t> function_order(const ci::GaussianBasis& basis,
                                        const std::vector<std::size_t>& shells) {
  const std::vector<int> first = basis.first_functions();
  std::vector<std::size_t> order;
  for (const std::size_t s : shells)
    for (const int place : molden_order(basis.shells[s].momentum, basis.is_spherical))
      order.push_back(static_cast<std::size_t>(first[s] + place));
  return order;
}

}  // namespace

void require_molden_basis(const ci::GaussianBasis& basis, std::string_view key) {
  for (const ci::ContractedShell& shell : basis.shells)
    if (shell.momentum >= std::ssize(kLetters))
      base::fail(base::ErrorKind::configuration, key,
                 ": the basis has functions of angular momentum ", shell.momentum,
                 ", and Molden files have none beyond g; expected another basis, or ",
                 "cube files (output.cube)");
}

void write_molden(OutputFile& file, const ci::GaussianBasis& basis, std::string_view title,
                  std::span<const MoldenOrbital> orbitals) {
  require_molden_basis(basis, "the Molden file");
  const std::vector<std::size_t> shells = shells_by_atom(basis);
  const std::vector<std::size_t> functions = function_order(basis, shells);
  file.append(base::concat("[Molden Format]\n[Title]\n", title, "\n"));
  file.append(atoms_text(basis));
  file.append(basis_text(basis, shells));
  file.append(core_text(basis));
  file.append("[MO]\n");
  for (const MoldenOrbital& orbital : orbitals) {
    std::string text = base::concat("Sym= ", orbital.label, "\nEne= ", number(orbital.energy),
                                    "\nSpin= ", orbital.spin == ci::Spin::alpha ? "Alpha" : "Beta",
                                    "\nOccup= ", number(orbital.occupation), "\n");
    for (std::size_t k = 0; k < functions.size(); ++k)
      text += base::concat(k + 1, " ", number(orbital.coefficients[functions[k]]), "\n");
    file.append(text);
  }
}

}  // namespace cisolve::io
