#include <algorithm>

#include "base/cuda/context.hpp"
#include "sparse/stored/cuda/csb_kernels.cuh"
#include "sparse/stored/cuda/interleave.cuh"
#include "sparse/stored/cuda/row_kernels.cuh"
#include "sparse/stored/cuda/tiled_launch.cuh"
#include "sparse/stored/instantiate.hpp"

namespace cisolve::sparse::cuda {
namespace {

// How many threads share a row: neighbouring threads must read neighbouring words.

template <int Width>
void launch(const RowProduct<SlicedView>& product, cudaStream_t stream) {
  launch_row_product<1, Width>(product, stream);  // stored column by column
}

template <int Width>
void launch(const RowProduct<HybridView>& product, cudaStream_t stream) {
  launch_row_product<32, Width>(product, stream);  // one warp for both parts of a row
}

template <int Width>
void launch(const RowProduct<CsrView>& product, cudaStream_t stream) {
  const Index mean = product.a.nonzeros / product.a.rows;
  if (mean >= 24) return launch_row_product<32, Width>(product, stream);
  if (mean >= 6) return launch_row_product<8, Width>(product, stream);
  launch_row_product<2, Width>(product, stream);
}

template <int Width, class View>
void multiply_group(const base::Backend& backend, double alpha, const View& a, base::ConstBlock x,
                    double beta, base::Block y) {
  const double* vectors = interleaved<Width>(backend, x);
  launch<Width>(RowProduct<View>{a, alpha, vectors, beta, y}, backend.device().stream());
}

template <int Width>
void multiply_group(const base::Backend& backend, double alpha, const CsbView& a,
                    base::ConstBlock x, double beta, base::Block y) {
  const double* vectors = interleaved<Width>(backend, x);
  launch_csb_product<Width>({a, alpha, vectors, beta, y}, backend.device().stream());
}

template <int Width>
void multiply_group(const base::Backend& backend, double alpha, const TiledView& a,
                    base::ConstBlock x, double beta, base::Block y) {
  if constexpr (Width <= kWidestTiles) {
    const double* vectors = interleaved<Width>(backend, x);
    const cudaStream_t stream = backend.device().stream();
    if (a.cells == 0)
      return launch<Width>(RowProduct<CsrView>{a.tail, alpha, vectors, beta, y}, stream);
    launch_tiled_product<Width>({a, alpha, vectors, beta, y}, stream);
    if (a.tail.nonzeros > 0)
      launch<Width>(RowProduct<CsrView>{a.tail, alpha, vectors, 1, y}, stream);
  }
}

int widest_group(const TiledView& a) { return a.cells == 0 ? kWidestTiles : a.vectors; }
int widest_group(const CsbView& a) { return widest_csb_group(a.block_size); }
template <class View>
int widest_group(const View& /*a*/) {
  return 16;
}

}  // namespace

template <class View>
void multiply(const base::Backend& backend, double alpha, const View& a, base::ConstBlock x,
              double beta, base::Block y) {
  if (a.rows == 0) return;
  const int widest = widest_group(a);
  for (int first = 0; first < y.columns;) {
    const int left = std::min(widest, y.columns - first);
    const int width = left >= 16 ? 16 : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
    const base::ConstBlock xs = x.slice(first, width);
    const base::Block ys = y.slice(first, width);
    switch (width) {
      case 16: multiply_group<16>(backend, alpha, a, xs, beta, ys); break;
      case 8: multiply_group<8>(backend, alpha, a, xs, beta, ys); break;
      case 4: multiply_group<4>(backend, alpha, a, xs, beta, ys); break;
      case 2: multiply_group<2>(backend, alpha, a, xs, beta, ys); break;
      default: multiply_group<1>(backend, alpha, a, xs, beta, ys); break;
    }
    first += width;
  }
}

template <class View>
void diagonal(const base::Backend& backend, const View& a, base::Block d) {
  launch_diagonal(a, d, backend.device().stream());
}

CISOLVE_FOR_EACH_VIEW(CISOLVE_INSTANTIATE_PRODUCTS)

}  // namespace cisolve::sparse::cuda
