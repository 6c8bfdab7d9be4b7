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

/// Why an automatic BOUNDARY is what it is.
std::string boundary_reason(sparse::BoundaryPolicy policy);

/// Bytes by formula and really held, of every format; the chosen one is marked.
void write_memory_table(std::ostream& out, std::span<const sparse::PlannedFormat> formats,
                        const std::string& chosen);

/// The ways to have a job's matrix, as they are tried.
void write_plans(std::ostream& out, const std::vector<job::Plan>& plans);

/// The spread is half the distance between the quartiles, as a share of the median.
void write_product_table(std::ostream& out, std::span<const job::MeasuredProduct> products);

/// The fastest of several products, and those that cannot be told from it: the medians differ by no
/// more than both spreads. Wrong ones are not among them.
void write_fastest(std::ostream& out, std::span<const job::MeasuredProduct> products);

/// What is said of a product that is wrong.
std::string failure_of(const job::ProductCheck& check);

/// "hybrid, boundary 655" or just the name.
std::string format_title(const std::string& format, Index boundary);

}  // namespace cisolve::app
