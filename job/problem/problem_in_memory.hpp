#pragma once

#include <memory>
#include <optional>

#include "io/molecules/molecular_problem.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/forwarded_rows.hpp"

// Problems that come from memory and not from a file.
namespace cisolve::job {

/// Throws ErrorKind::usage if the problem should be in memory but is not given.
void require_given(const Request& request);

/// The problem of given integrals. Throws ErrorKind::bad_input for arrays of a wrong length, values
/// that are not finite, and integrals without the symmetry of real orbitals;
/// ErrorKind::configuration for irreps outside the claimed numbering.
io::MolecularProblem problem_of(const GivenIntegrals& given, const base::Backend& host,
                                std::optional<ci::IrrepNumbering> numbering = std::nullopt);

/// Rows in memory, owned jointly with the caller.
class GivenRows final : public sparse::ForwardedRows {
 public:
  explicit GivenRows(std::shared_ptr<const sparse::RowSource> rows) : rows_(std::move(rows)) {}

 private:
  const sparse::RowSource& inner() const override { return *rows_; }

  std::shared_ptr<const sparse::RowSource> rows_;
};

}  // namespace cisolve::job
