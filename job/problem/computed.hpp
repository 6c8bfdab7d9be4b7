#pragma once

#include <memory>

#include "ci/on_the_fly/computed_hamiltonian.hpp"
#include "ci/on_the_fly/mixed.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/profile.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::job {

/// What products with computed elements have to do, and what they begin with, where a request
/// leaves a choice that depends on it. Null where the rows have so few elements that it does not
/// matter. The rows must outlive it.
std::unique_ptr<ci::ComputedHamiltonian> computed_for(
    const Request& request, const sparse::RowSource& rows,
    const std::optional<sparse::RowProfile>& profile);

/// The product of a molecule's rows with elements that it computes, in canonical order; of what
/// was found for a plan, where that is given. The rows must outlive it.
std::unique_ptr<base::LinearOperator> computed_product(const sparse::RowSource& rows,
                                                       ci::ComputedHamiltonian* found,
                                                       const base::Backend& backend);
/// The same with some of the rows stored, as much as the share of `storage` says.
std::unique_ptr<ci::MixedProduct> mixed_product(const sparse::RowSource& rows,
                                                const sparse::FormatOptions& storage,
                                                ci::ComputedHamiltonian* found,
                                                const base::Backend& backend);

}  // namespace cisolve::job
