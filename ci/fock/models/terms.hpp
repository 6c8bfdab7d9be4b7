#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ci/fock/models/lattice.hpp"

namespace cisolve::ci {

/// Term of a model between two sites a and b, or on one, times its strength.
enum class TermKind {
  hop,            // t: -(a+ b + b+ a), both spins
  repel,          // V: n_a n_b
  repel_on_site,  // U: n_up n_down
  energy,         // e: n_a
  couple,         // J: S_a . S_b
  couple_x,       // Jx: S^x_a S^x_b
  couple_y,       // Jy: S^y_a S^y_b
  couple_z,       // Jz
  couple_xy,      // Jxy: S^x_a S^x_b + S^y_a S^y_b
  field,          // h: S^z_a
  field_x,        // hx: S^x_a
};

struct Term {
  TermKind kind;
  int first;
  int second;  // equals `first` for a term of one site
  double strength;
};

std::string_view name_of(TermKind kind);
std::optional<TermKind> term_named(std::string_view name);
/// "t, V, U, e, J, Jx, Jy, Jz, Jxy, h or hx"
std::string_view known_terms();
bool is_of_one_site(TermKind kind);

std::vector<Term> on_bonds(const LatticeShape& shape, int shell, TermKind kind, double strength);
std::vector<Term> on_sites(int sites, TermKind kind, double strength);
void append(std::vector<Term>& terms, const std::vector<Term>& others);

/// "1 2 0.5 J": two sites, from 1, strength and kind; a term of one site names it twice. Throws
/// ErrorKind::bad_input saying what is wrong and what was expected.
Term parse_term(std::string_view text);

}  // namespace cisolve::ci
