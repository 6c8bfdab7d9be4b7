#pragma once

#include <span>
#include <vector>

#include "app/config/configuration.hpp"
#include "app/json/json.hpp"
#include "job/problem/determinant_problem.hpp"
#include "job/problem/site_problem.hpp"
#include "job/products/product.hpp"
#include "job/ranking/plan_fallback.hpp"
#include "sparse/rows/statistics.hpp"
#include "sparse/stored/plan.hpp"

// The parts of a run record. Keys may be added; renaming one raises
// the number of its schema.
namespace cisolve::app {

/// `problem` of a plain matrix.
Json problem_record(const Configuration& configuration, const sparse::MatrixShape& shape);
/// `problem` and `space` of a molecule, of spins, or of a plain matrix.
std::vector<Json::Member> problem_members(const Configuration& configuration,
                                          const sparse::MatrixShape& shape,
                                          const job::DeterminantProblem* molecule,
                                          const job::SiteProblemRows* spins);
Json plans_record(std::span<const job::Plan> plans);
Json fallbacks_record(std::span<const job::Fallback> fallbacks);
/// The record of a backend; without the member `reason` if that is null.
Json backend_record(const base::Backend& backend, const char* reason = nullptr);
Json statistics_record(const sparse::Statistics& statistics);
Json memory_record(std::span<const sparse::PlannedFormat> formats);
Json operator_record(const job::MeasuredProduct& product, const sparse::FormatOptions& storage,
                     job::ElementPath elements = job::ElementPath::precomputed);
Json product_record(const job::MeasuredProduct& product, const job::Request::Product& how);
Json verification_record(const job::ProductCheck& check);

}  // namespace cisolve::app
