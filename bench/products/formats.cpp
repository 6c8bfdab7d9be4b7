#include <cmath>

#include "bench/products/kernel.hpp"
#include "sparse/rows/value_slots.hpp"
#include "sparse/stored/matrix.hpp"

// The storage formats of the library, as users get them: all of sparse::format_names(), with the
// options that change them.
namespace cisolve::bench {
namespace {

class FormatProduct final : public PreparedMatrix {
 public:
  explicit FormatProduct(std::unique_ptr<sparse::SparseMatrix> matrix)
      : matrix_(std::move(matrix)) {}
  Index bytes() const override { return matrix_->memory().held; }
  void multiply(double alpha, base::ConstBlock x, double beta, base::Block y) override {
    matrix_->multiply(alpha, x, beta, y);
  }

 private:
  std::unique_ptr<sparse::SparseMatrix> matrix_;
};

/// Whether codes of the off-diagonal values fit into a byte.
bool has_few_values(const sparse::Csr& matrix) {
  sparse::MatrixValues values;
  for (Index row = 0; row < matrix.shape.rows; ++row)
    for (Index k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      values.take(row, matrix.columns[k], matrix.values[k]);
      if (values.off_diagonal.overflow != 0) return false;
    }
  return values.has_codes();
}

Kernel format_kernel(base::BackendKind kind, int threads, const std::string& suffix,
                     const sparse::FormatOptions& options) {
  Kernel kernel{
      .name = base::concat(base::name_of(kind), "/", options.format, suffix),
      .backend = kind,
      .threads = threads,
  };
  kernel.obstacle = [options](const Workload& matrix, int) -> std::string {
    // ELLPACK pads every row to the longest: up to a limit, for the sake of time
    constexpr double most_padding = 8;
    const auto padded = static_cast<double>(matrix.rows() * matrix.longest_row());
    if (options.format.starts_with("ellpack") &&
        padded > most_padding * static_cast<double>(matrix.nonzeros()) + 1e6)
      return base::concat("would store ",
                          std::lround(padded / static_cast<double>(matrix.nonzeros())),
                          " positions a non-zero");
    if (options.values == sparse::ValueEncoding::coded && !has_few_values(matrix.csr()))
      return "would not code so many values";
    return {};
  };
  kernel.prepare = [options](const Workload& matrix, const base::Backend& backend, int vectors) {
    sparse::FormatOptions fitting = options;
    fitting.vectors = vectors;
    return std::make_unique<FormatProduct>(sparse::build_matrix(matrix.source(), fitting, backend));
  };
  return kernel;
}

std::vector<Kernel> format_kernels(base::BackendKind kind, int threads) {
  std::vector<Kernel> kernels;
  for (const std::string& name : sparse::format_names())
    kernels.push_back(format_kernel(kind, threads, "", {.format = name}));
  kernels.push_back(format_kernel(kind, threads, "-coded",
                                  {.format = "tiled", .values = sparse::ValueEncoding::coded}));
  for (const Index height : {8, 16, 64})
    for (const char* name : {"sell", "sell-r"})
      kernels.push_back(format_kernel(kind, threads, base::concat("-", height),
                                      {.format = name, .slice_height = height}));
  kernels.push_back(format_kernel(kind, threads, "-coded",
                                  {.format = "sell", .values = sparse::ValueEncoding::coded}));
  Kernel by_column = format_kernel(kind, threads, "-column",
                                   {.format = "hybrid", .policy = sparse::BoundaryPolicy::column});
  by_column.obstacle = [](const Workload& matrix, int) -> std::string {
    return matrix.csr().shape.reference_columns == 0 ? "has no reference columns" : "";
  };
  kernels.push_back(std::move(by_column));
  return kernels;
}

}  // namespace

std::vector<Kernel> openmp_format_kernels(int threads) {
  return format_kernels(base::BackendKind::openmp, threads);
}

std::vector<Kernel> device_format_kernels() { return format_kernels(base::BackendKind::cuda, 0); }

}  // namespace cisolve::bench
