#pragma once

#include "base/ranks/layout.hpp"
#include "job/methods/methods.hpp"
#include "job/problem/product_drafts.hpp"
#include "job/products/product.hpp"

namespace cisolve::job {

/// Input of a build; the rows must outlive the product.
struct BuildInput {
  const ProblemRows& rows;
  const ProductForm& form;
  const base::Backend& backend;
  const Watch& watch;
  ProductDrafts&
      computed;  // tables that were made for a plan: the method takes its own, frees the others
};

/// A product whose rows are distributed over the ranks by `layout`, which is empty for one process.
/// The description covers all ranks.
struct DistributedProduct {
  PreparedProduct prepared;
  base::Layout layout = {};
};

/// Builds the product of rows in a form. The rows must outlive it. `computed` holds tables that
/// were made for the plan; may be null.
PreparedProduct prepare_product(const ProblemRows& rows, const ProductForm& form,
                                const base::Backend& backend, const Watch& watch = {},
                                ProductDrafts* computed = nullptr);

/// Builds the product distributed over `ranks`, which must outlive it; with several ranks, rows are
/// in canonical order. Collective.
DistributedProduct build_distributed_product(const base::Communicator& ranks,
                                             const ProblemRows& rows, const ProductForm& form,
                                             const base::Backend& backend, const Watch& watch,
                                             ProductDrafts* computed);

/// Builds and times a product of stored rows and checks it against the rows.
MeasuredProduct measure_product(const ProblemRows& rows, const sparse::FormatOptions& storage,
                                const base::Backend& backend, const Request::Product& how);

}  // namespace cisolve::job
