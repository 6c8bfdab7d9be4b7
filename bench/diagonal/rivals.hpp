#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "sparse/diagonal/matrix_product.hpp"
#include "sparse/formats/csr.hpp"

// Other ways to multiply two matrices of diagonals, measured beside the one of the house.
namespace cisolve::bench {

using base::Index;

struct Measured {
  std::string name;
  double seconds = 0;        // the best of some; of all that a product takes
  double value_seconds = 0;  // with what depends on the structure alone done before; 0: not apart
  double error = -1;         // the largest, against the largest element; -1: not looked at
  std::string failed = {};   // why there is no result
};

/// Milliseconds on a device, the best of some runs.
double best_seconds(const base::Backend& device, int runs, const std::function<void()>& work);

/// The paper's Algorithm 2: so many threads for each element of A, which add to C atomically.
Measured paper_product(const sparse::Diagonal& a, const sparse::Diagonal& b,
                       const sparse::Diagonal& c, int threads, const sparse::Diagonal& expected);

/// The kernel of the house cut into other shapes; all but the values of the plan is left aside.
std::vector<Measured> shaped_products(const sparse::DiagonalProductPlan& plan,
                                      const sparse::Diagonal& a, const sparse::Diagonal& b,
                                      sparse::Diagonal& c, const sparse::Diagonal& expected);

/// The house's ways: pair by pair, as stages have them or groups, and as dense tiles.
std::vector<Measured> all_ways(const sparse::DiagonalProductPlan& plan, const sparse::Diagonal& a,
                               const sparse::Diagonal& b, const sparse::Diagonal& expected);

/// cuBLAS, batched over panels of so many rows that are packed for it; `seconds` are its own.
Measured cublas_product(const sparse::DiagonalProductPlan& plan, const sparse::Diagonal& a,
                        const sparse::Diagonal& b, const sparse::Diagonal& expected, Index block);

/// All algorithms of cuSPARSE's SpGEMM, and its product with the structure reused.
std::vector<Measured> cusparse_products(const sparse::Csr& a, const sparse::Csr& b,
                                        const base::Backend& device,
                                        const sparse::Diagonal& expected);

/// The product with 1 to 8 vectors in several shapes; a record.
std::string vector_shapes(const base::Backend& device, const std::vector<Index>& shifts, Index rows,
                          Index reach, bool half);

/// |c - expected| over the largest element; both have the same layout.
double error_of(const sparse::Diagonal& c, const sparse::Diagonal& expected);

}  // namespace cisolve::bench
