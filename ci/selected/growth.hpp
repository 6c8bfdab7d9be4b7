#pragma once

#include "base/array.hpp"
#include "base/block.hpp"
#include "ci/selected/heat_bath.hpp"
#include "ci/selected/selected_list.hpp"

// One step of heat-bath selection (Holmes, Tubman and Umrigar 2016): from determinants i with
// coefficients c_i^s of one or several states s to all determinants a with
//
//   max_s |H_ai c_i^s| >= epsilon   for any i.
//
// The condition is evaluated as |H_ai| >= t_i with the effective threshold t_i = epsilon / max_s
// |c_i^s|, rounded once. A list that has been expanded to t_i holds all of them, so that a later
// step generates t_i <= |H_ai| < t_i' alone, t_i' being the smallest threshold so far. Irreps and
// Ms are kept, since elements between different ones are 0.
namespace cisolve::ci {

struct GrowthOptions {
  double epsilon = 1e-4;  // Hartree, >= 0
  /// Adds, with each determinant, all others of its configuration and Ms.
  bool complete_spin = false;
  Index candidate_bytes =
      0;  // memory of one batch of candidates; 0: a quarter of what the budget has left
};

struct GrowthResult {
  Index candidates = 0;  // connections in the range of thresholds, repeats included
  Index added = 0;       // determinants, spin partners included
  Index batches = 0;
  base::Array<Index> row_of_old;  // new row of each old coefficient
};

/// The effective threshold t_i of each row of a list; infinity if its coefficients are all 0.
/// `coefficients` has a row for each determinant and a column for each state. Throws
/// ErrorKind::bad_input for other numbers of rows, orbitals or electrons, for an epsilon that is
/// negative or no number, for coefficients that are not finite, or if the tables leave out elements
/// that would be needed.
template <int W>
base::Array<double> expansion_thresholds(const SelectedList<W>& list, const HeatBathTables& tables,
                                         base::ConstBlock coefficients, double epsilon);

/// Adds to a list what its coefficients select. The list is the same for any number of threads and
/// size of batches, and the same as if nothing had been expanded before. It is as before if this
/// throws: ErrorKind::bad_input for other numbers of rows, orbitals or electrons, for an epsilon
/// that is negative or no number, for coefficients that are not finite, or if the tables leave out
/// elements that would be needed; ErrorKind::resources if the budget is too small.
///
/// Memory besides the list: the candidates of a batch twice, what is new so far twice, and 16 bytes
/// a row.
template <int W>
GrowthResult grow(SelectedList<W>& list, const HeatBathTables& tables,
                  base::ConstBlock coefficients, const GrowthOptions& options);

}  // namespace cisolve::ci
