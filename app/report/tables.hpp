#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "job/plan/plan.hpp"
#include "job/products/product.hpp"
#include "sparse/stored/plan.hpp"

namespace cisolve::app {

using base::Index;

/// Whether rows are divided at a BOUNDARY in a format.
bool has_boundary(std::string_view format);

/// Explains the value of an automatic BOUNDARY.
std::string boundary_reason(sparse::BoundaryPolicy policy);

/// Bytes by formula and bytes held, for every format; the chosen one is marked.
void write_memory_table(std::ostream& out, std::span<const sparse::PlannedFormat> formats,
                        const std::string& chosen);

/// The plans of a job in the order in which they are tried.
void write_plans(std::ostream& out, const std::vector<job::Plan>& plans);

/// The spread is half the interquartile range relative to the median.
void write_product_table(std::ostream& out, std::span<const job::MeasuredProduct> products);

/// Prints the fastest correct product, and those whose medians differ from it by no more than both
/// spreads.
void write_fastest(std::ostream& out, std::span<const job::MeasuredProduct> products);

/// Message for a product that failed its check.
std::string failure_of(const job::ProductCheck& check);

/// "hybrid, boundary 655" or just the name.
std::string format_title(const std::string& format, Index boundary);

}  // namespace cisolve::app
