#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "sparse/diagonal/matrix_product.hpp"
#include "sparse/formats/csr.hpp"

// Other implementations of products of diagonal matrices, compared with ours.
namespace cisolve::bench {

using base::Index;

struct Measured {
  std::string name;
  double seconds = 0;  // time of the whole product, the best of several runs
  /// Time without work that depends on the structure alone; 0: not measured.
  double value_seconds = 0;
  double error = -1;        // largest, relative to the largest element; -1: not checked
  std::string failed = {};  // reason if there is no result
};

/// Seconds on a device, the best of several runs.
double best_seconds(const base::Backend& device, int runs, const std::function<void()>& work);

/// The paper's Algorithm 2: `threads` threads for each element of A, which add to C atomically.
Measured paper_product(const sparse::Diagonal& a, const sparse::Diagonal& b,
                       const sparse::Diagonal& c, int threads, const sparse::Diagonal& expected);

/// Our kernel in other shapes; only the computation of values is timed.
std::vector<Measured> shaped_products(const sparse::DiagonalProductPlan& plan,
                                      const sparse::Diagonal& a, const sparse::Diagonal& b,
                                      sparse::Diagonal& c, const sparse::Diagonal& expected);

/// Our algorithms: pairs in stages, pairs in groups, and dense tiles.
std::vector<Measured> all_algorithms(const sparse::DiagonalProductPlan& plan,
                                     const sparse::Diagonal& a, const sparse::Diagonal& b,
                                     const sparse::Diagonal& expected);

/// cuBLAS, batched over packed panels of `block` rows; `seconds` excludes packing.
Measured cublas_product(const sparse::DiagonalProductPlan& plan, const sparse::Diagonal& a,
                        const sparse::Diagonal& b, const sparse::Diagonal& expected, Index block);

/// All algorithms of cuSPARSE SpGEMM, and its product with reused structure.
std::vector<Measured> cusparse_products(const sparse::Csr& a, const sparse::Csr& b,
                                        const base::Backend& device,
                                        const sparse::Diagonal& expected);

/// JSON record of the product with 1 to 8 vectors in several kernel shapes.
std::string vector_shapes(const base::Backend& device, const std::vector<Index>& shifts, Index rows,
                          Index reach, bool half);

/// c - expected| relative to the largest element; both have the same layout.
double error_of(const sparse::Diagonal& c, const sparse::Diagonal& expected);

}  // namespace cisolve::bench
