#pragma once

#include <memory>
#include <optional>

#include "base/operator.hpp"
#include "ci/on_the_fly/mixed.hpp"
#include "ci/on_the_fly/work.hpp"
#include "job/request/request.hpp"
#include "sparse/rows/profile.hpp"
#include "sparse/rows/row_source.hpp"

namespace cisolve::job {

/// What a product with computed elements would have to do, where a request leaves a choice that
/// depends on it. None where the rows have so few elements that it does not matter.
std::optional<ci::ProductWork> work_for(const Request& request, const sparse::RowSource& rows,
                                        const std::optional<sparse::RowProfile>& profile);

/// The product of a molecule's rows with elements that it computes, in canonical order. The rows
/// must outlive it.
std::unique_ptr<base::LinearOperator> computed_product(const sparse::RowSource& rows,
                                                       const base::Backend& backend);
/// The same with some of the rows stored, as much as the share of `storage` says.
std::unique_ptr<ci::MixedProduct> mixed_product(const sparse::RowSource& rows,
                                                const sparse::FormatOptions& storage,
                                                const base::Backend& backend);

}  // namespace cisolve::job
