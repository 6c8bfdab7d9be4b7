#include <algorithm>

#include "base/cuda/context.hpp"
#include "base/error.hpp"
#include "sparse/stored/cuda/coded_kernels.cuh"
#include "sparse/stored/cuda/csb_kernels.cuh"
#include "sparse/stored/cuda/diagonal_window.cuh"
#include "sparse/stored/cuda/interleave.cuh"
#include "sparse/stored/cuda/row_kernels.cuh"
#include "sparse/stored/cuda/segment_launch.cuh"
#include "sparse/stored/cuda/sliced_kernels.cuh"
#include "sparse/stored/cuda/small_matrix_kernels.cuh"
#include "sparse/stored/cuda/tiled_launch.cuh"
#include "sparse/stored/instantiate.hpp"

namespace cisolve::sparse::cuda {
namespace {

template <int Width>
void launch(const RowProduct<SlicedView>& product, cudaStream_t stream) {
  launch_sliced_product<Width>(product, stream);
}

template <int Width>
void launch(const RowProduct<CodedSlicedView>& product, cudaStream_t stream) {
  launch_coded_product<Width>(product, stream);
}

template <int Width>
void launch(const RowProduct<HybridView>& product, cudaStream_t stream) {
  const HybridView& a = product.a;
  launch_row_product<Width>(product, a.elements / a.rows, stream);
}

/// Even rows do as well with a few threads each, except for a single vector, which is
/// latency-bound.
template <int Width>
bool uses_segments(const CsrView& a) {
  return a.segments.count > 0 && (Width == 1 || !a.segments.even);
}

template <int Width>
Index partial_sums_needed(const CsrView& a) {
  return uses_segments<Width>(a) ? a.segments.parts * Width : 0;
}

template <int Width>
void launch_csr(const RowProduct<CsrView>& product, double* parts,
                const base::cuda::Context& device) {
  const CsrView& a = product.a;
  if (uses_segments<Width>(a)) return launch_segment_product<Width>(product, parts, device);
  launch_row_product<Width>(product, a.nonzeros / a.rows, device.stream());
}

template <int Width, class View>
void multiply_group(const base::Backend& backend, double alpha, const View& a, base::ConstBlock x,
                    double beta, base::Block y) {
  const double* vectors = interleaved<Width>(backend, x).x;
  launch<Width>(RowProduct<View>{a, alpha, vectors, beta, y}, backend.device().stream());
}

template <int Width>
void multiply_group(const base::Backend& backend, double alpha, const CsrView& a,
                    base::ConstBlock x, double beta, base::Block y) {
  if (is_small_matrix(a))
    return launch_small_matrix<Width>({a, alpha, x, beta, y}, backend.device().stream());
  const auto [vectors, parts] = interleaved<Width>(backend, x, partial_sums_needed<Width>(a));
  launch_csr<Width>({a, alpha, vectors, beta, y}, parts, backend.device());
}

template <int Width>
void multiply_group(const base::Backend& backend, double alpha, const CsbView& a,
                    base::ConstBlock x, double beta, base::Block y) {
  const double* vectors = interleaved<Width>(backend, x).x;
  launch_csb_product<Width>({a, alpha, vectors, beta, y}, backend.device().stream());
}

template <int Width>
void multiply_group(const base::Backend& backend, double alpha, const TiledView& a,
                    base::ConstBlock x, double beta, base::Block y) {
  if constexpr (Width <= kWidestTiles) {
    if (a.cells == 0) return multiply_group<Width>(backend, alpha, a.tail, x, beta, y);
    const auto [vectors, parts] =
        interleaved<Width>(backend, x, partial_sums_needed<Width>(a.tail));
    const base::cuda::Context& device = backend.device();
    launch_tiled_product<Width>({a, alpha, vectors, beta, y}, device.stream());
    if (a.tail.nonzeros > 0) launch_csr<Width>({a.tail, alpha, vectors, 1, y}, parts, device);
  }
}

template <int Width>
void multiply_group(const base::Backend& backend, double alpha, const DiagonalView& a,
                    base::ConstBlock x, double beta, base::Block y) {
  const DiagonalLaunch product{a, alpha, x, beta, y};
  const cudaStream_t stream = backend.device().stream();
  if constexpr (Width >= 4 && Width <= kWidestWindow)
    if (a.is_clustered) return launch_diagonal_window<Width>(product, stream);
  launch_diagonal_product<Width>(product, stream);
}

int widest_group(const TiledView& a) { return a.cells == 0 ? kWidestTiles : a.vectors; }
int widest_group(const DiagonalView& a) { return a.is_clustered ? kWidestWindow : 16; }
int widest_group(const CsbView& a) { return widest_csb_group(a.block_size); }
template <class View>
int widest_group(const View& /*a*/) {
  return 16;
}

template <class View>
void multiply_some(int width, const base::Backend& backend, double alpha, const View& a,
                   base::ConstBlock x, double beta, base::Block y) {
  switch (width) {
    case 16: return multiply_group<16>(backend, alpha, a, x, beta, y);
    case 8: return multiply_group<8>(backend, alpha, a, x, beta, y);
    case 4: return multiply_group<4>(backend, alpha, a, x, beta, y);
    case 2: return multiply_group<2>(backend, alpha, a, x, beta, y);
    default: return multiply_group<1>(backend, alpha, a, x, beta, y);
  }
}

}  // namespace

template <class View>
void multiply(const base::Backend& backend, double alpha, const View& a, base::ConstBlock x,
              double beta, base::Block y) {
  if (a.rows == 0) return;
  int widest = widest_group(a);
  for (int first = 0; first < y.columns;) {
    const int left = std::min(widest, y.columns - first);
    const int width = left >= 16 ? 16 : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    try {
      multiply_some(width, backend, alpha, a, x.slice(first, width), beta, y.slice(first, width));
      first += width;
    } catch (const base::DeviceMemoryError&) {
      if (width == 1) throw;
      widest = width / 2;  // not enough memory to interleave; nothing was launched
    }
  }
}

template <class View>
void diagonal(const base::Backend& backend, const View& a, base::Block d) {
  launch_diagonal(a, d, backend.device().stream());
}

CISOLVE_FOR_EACH_VIEW(CISOLVE_INSTANTIATE_PRODUCTS)

}  // namespace cisolve::sparse::cuda
