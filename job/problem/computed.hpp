#pragma once

#include <memory>

#include "ci/on_the_fly/computed_hamiltonian.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/profile.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::job {

/// Of fewer it does not matter whether they are stored or computed.
inline constexpr double kLeastElements = 3e6;

/// What products with computed elements have to do, and what they begin with, where a request
/// leaves a choice that depends on it. Null where the rows have fewer than kLeastElements. The rows
/// must outlive it.
std::unique_ptr<ci::ComputedHamiltonian> computed_for(
    const Request& request, const sparse::RowSource& rows,
    const std::optional<sparse::RowProfile>& profile);

/// The product of a molecule's rows with elements that it computes, in canonical order; of what
/// was found for a plan, where that is given. The rows must outlive it.
std::unique_ptr<base::LinearOperator> computed_product(const sparse::RowSource& rows,
                                                       ci::ComputedHamiltonian* found,
                                                       const base::Backend& backend);

}  // namespace cisolve::job
