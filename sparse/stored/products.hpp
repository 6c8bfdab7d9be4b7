#pragma once

#include "base/backend.hpp"
#include "base/block.hpp"
#include "sparse/diagonal/diagonal.hpp"
#include "sparse/formats/coded_sliced.hpp"
#include "sparse/formats/csb.hpp"
#include "sparse/formats/csr.hpp"
#include "sparse/formats/hybrid.hpp"
#include "sparse/formats/sliced.hpp"
#include "sparse/tiled/tiled.hpp"

// Products of all formats, declared once: templates over the format's view, instantiated by every
// backend for the views in instantiate.hpp.
//
//   y = alpha A x + beta y      if beta = 0, the old y is not read
//   d = the diagonal of A       for a square A
namespace cisolve::sparse {

namespace reference {
template <class View>
void multiply(const base::Backend& backend, double alpha, const View& a, base::ConstBlock x,
              double beta, base::Block y);
template <class View>
void diagonal(const base::Backend& backend, const View& a, base::Block d);
}  // namespace reference

namespace openmp {
template <class View>
void multiply(const base::Backend& backend, double alpha, const View& a, base::ConstBlock x,
              double beta, base::Block y);
template <class View>
void diagonal(const base::Backend& backend, const View& a, base::Block d);
}  // namespace openmp

namespace cuda {
template <class View>
void multiply(const base::Backend& backend, double alpha, const View& a, base::ConstBlock x,
              double beta, base::Block y);
template <class View>
void diagonal(const base::Backend& backend, const View& a, base::Block d);
}  // namespace cuda

}  // namespace cisolve::sparse
