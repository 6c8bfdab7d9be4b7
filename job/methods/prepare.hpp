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

/// A product of which each rank has a share of the rows, as the layout says, which is empty for one
/// process. The description is that of all ranks together.
struct DistributedProduct {
  PreparedProduct prepared;
  base::Layout layout = {};
};

/// The product of rows in a form; these must outlive it. `computed` is what was found to compute
/// elements, if anything was.
PreparedProduct prepare_product(const ProblemRows& rows, const ProductForm& form,
                                const base::Backend& backend, const Watch& watch = {},
                                ProductDrafts* computed = nullptr);

/// The product of all ranks together; with several of them rows are in canonical order. `ranks`
/// must outlive it.
DistributedProduct build_distributed_product(const base::Communicator& ranks,
                                             const ProblemRows& rows, const ProductForm& form,
                                             const base::Backend& backend, const Watch& watch,
                                             ProductDrafts* computed);

/// A product of stored rows with its times, checked against the rows.
MeasuredProduct measure_product(const ProblemRows& rows, const sparse::FormatOptions& storage,
                                const base::Backend& backend, const Request::Product& how);

}  // namespace cisolve::job
