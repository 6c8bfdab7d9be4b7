#include <vector>

#include "base/fill.hpp"
#include "base/multivector.hpp"
#include "base/text.hpp"
#include "bench/diagonal/rivals.hpp"
#include "sparse/diagonal/layout.hpp"
#include "sparse/stored/cuda/diagonal_kernels.cuh"
#include "sparse/stored/products.hpp"

// The product with vectors in other kernel shapes: rows per thread, diagonals in flight, and blocks
// per multiprocessor.
namespace cisolve::bench {
namespace {

struct Setting {
  const sparse::Diagonal& matrix;
  const base::MultiVector& x;
  base::MultiVector& y;
  const base::Backend& device;
  double copy;  // bytes a second
};

template <int Width, int Rows, int AtOnce, int Blocks>
std::string shaped(const Setting& s) {
  const sparse::cuda::DiagonalLaunch product{s.matrix.view(), 1, s.x.block(0, Width), 0,
                                             s.y.block(0, Width)};
  const double seconds = best_seconds(s.device, 10, [&] {
    sparse::cuda::launch_diagonal_product<Width, Rows, AtOnce, Blocks>(product,
                                                                       s.device.device().stream());
  });
  const double bytes = 8.0 * static_cast<double>(s.matrix.values.size()) +
                       16.0 * Width * static_cast<double>(s.matrix.shape.rows);
  return base::concat("\n  {\"vectors\": ", Width, ", \"rows\": ", Rows, ", \"at_once\": ", AtOnce,
                      ", \"blocks\": ", Blocks, ", \"ms\": ", 1e3 * seconds,
                      ", \"of_copy\": ", bytes / seconds / s.copy, "}");
}

/// The kernel of the library, for comparison.
template <int Width>
std::string as_it_is(const Setting& s) {
  const sparse::DiagonalView view = s.matrix.view();
  const double seconds = best_seconds(s.device, 10, [&] {
    sparse::cuda::multiply(s.device, 1, view, s.x.block(0, Width), 0, s.y.block(0, Width));
  });
  const double bytes = 8.0 * static_cast<double>(s.matrix.values.size()) +
                       16.0 * Width * static_cast<double>(s.matrix.shape.rows);
  return base::concat("\n  {\"vectors\": ", Width, ", \"ms\": ", 1e3 * seconds,
                      ", \"of_copy\": ", bytes / seconds / s.copy, "}");
}

double copy_rate(const base::Backend& device) {
  constexpr Index bytes = Index{2} << 30;
  base::Array<char> from(device, bytes, "a source");
  base::Array<char> to(device, bytes, "a target");
  base::fill_bytes(from, 1);
  const double seconds = best_seconds(device, 5, [&] {
    base::cuda::check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice,
                                      device.device().stream()),
                      "cudaMemcpyAsync");
  });
  return 2.0 * bytes / seconds;
}

}  // namespace

std::string vector_shapes(const base::Backend& device, const std::vector<Index>& shifts, Index rows,
                          Index reach, bool half) {
  auto layout = sparse::lay_out(sparse::kDiagonal, {rows, rows, 0, half}, half, shifts);
  sparse::Diagonal matrix = sparse::allocate_diagonal(layout, device);
  base::fill_bytes(matrix.values, 0x3f);
  base::MultiVector x(device, rows, 8);
  base::MultiVector y(device, rows, 8);
  base::cuda::check(
      cudaMemsetAsync(x.block().data, 0x3f, x.block().stride * 64, device.device().stream()),
      "cudaMemsetAsync");
  const Setting s{matrix, x, y, device, copy_rate(device)};
  std::string text = base::concat("{\"rows\": ", rows, ", \"diagonals\": ", shifts.size(),
                                  ", \"reach\": ", reach, ", \"half\": ", half ? "true" : "false",
                                  ", \"copy\": ", s.copy, ", \"shapes\": [");
  text += as_it_is<1>(s) + "," + as_it_is<2>(s) + "," + as_it_is<4>(s) + "," + as_it_is<8>(s) +
          "," + shaped<1, 1, 4, 8>(s) + "," + shaped<1, 1, 8, 4>(s) + "," + shaped<1, 2, 8, 2>(s) +
          "," + shaped<2, 1, 4, 4>(s) + "," + shaped<4, 1, 4, 2>(s) + "," + shaped<8, 1, 2, 4>(s);
  return text + "]}";
}

}  // namespace cisolve::bench
