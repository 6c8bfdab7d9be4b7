#pragma once

#include <memory>
#include <string>

#include "app/config/configuration.hpp"
#include "app/job/molecule.hpp"
#include "base/operator.hpp"
#include "sparse/row_source.hpp"

namespace cisolve::app {

/// The rows of a configuration's matrix: read from its file, or computed when they are asked for.
std::unique_ptr<sparse::RowSource> open_rows(const Configuration& configuration,
                                             const base::Backend& host);

/// A second operator of the same matrix, on the host: its file is read again, its rows are
/// generated again, a Hamiltonian comes straight from its determinants. It shares no storage with
/// the rows.
std::unique_ptr<base::LinearOperator> open_second_operator(const Configuration& configuration,
                                                           const base::Backend& host);

/// Throws Fault::bad_input with max |H - H^T| unless the matrix is symmetric and has rows.
void require_solvable(const sparse::RowSource& rows, const Configuration& configuration,
                      const base::Backend& host);

/// The molecule behind rows that open_rows() made; null where a matrix is all there is.
const Molecule* molecule_of(const sparse::RowSource& rows);

/// The generator's options with a number for every `auto`.
sparse::GeneratorOptions generator_options(const Configuration& configuration);

/// "generated, seed 1" or the file.
std::string describe_source(const Configuration& configuration);

}  // namespace cisolve::app
