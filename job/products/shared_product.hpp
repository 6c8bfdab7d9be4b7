#pragma once

#include "base/ranks/layout.hpp"
#include "job/products/product.hpp"

namespace cisolve::job {

/// A product of which each rank has a share of the rows, as its layout says; one without rows where
/// one process has them all. What is told of it is that of all ranks together.
struct SharedProduct {
  PreparedProduct prepared;
  base::Layout layout = {};
};

/// As prepare_product(), by all ranks together. More than one have the rows in canonical order;
/// `ranks` must outlive it.
SharedProduct share_product(const base::Communicator& ranks, const sparse::RowSource& rows,
                            const sparse::FormatOptions& storage, const base::Backend& backend,
                            const Watch& watch, Computed* computed);

}  // namespace cisolve::job
