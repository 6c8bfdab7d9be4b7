#include <algorithm>

#include "base/cuda/context.hpp"
#include "bench/products/kernel.hpp"

// The merge-based product (Merrill and Garland 2016). Row ends and elements are two lists; each
// step of a merge consumes an element or finishes a row. The path of all steps is cut into equal
// pieces, one per thread, so the work is balanced for any rows. A row that is cut is summed in a
// fixed order: first within a block, then across blocks.
namespace cisolve::bench {
namespace {

constexpr int kThreads = 128;
constexpr int kItems = 8;  // steps per thread
constexpr int kTile = kThreads * kItems;

/// Intersection of the path with a diagonal: finished rows + consumed elements = diagonal.
struct PathPosition {
  Index row;
  Index element;
};

/// `row_ends`: the offsets without the first; elements are their own numbers.
__device__ PathPosition path_position(const Index* row_ends, Index rows, Index elements,
                                      Index diagonal) {
  Index low = diagonal > elements ? diagonal - elements : 0;
  Index high = diagonal < rows ? diagonal : rows;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (row_ends[middle] <= diagonal - 1 - middle)
      low = middle + 1;
    else
      high = middle;
  }
  return {low, diagonal - low};
}

/// Partial sum of a row that a piece did not finish.
struct Carry {
  Index row;
  double sum;
};

struct Product {
  sparse::CsrView a;
  double alpha;
  const double* x;
  double beta;
  double* y;
};

/// Combines the carries of the threads of a block: the last thread of each run of equal rows adds
/// the sum of the run to the row, which a later thread of the block has finished; the rest is the
/// block's carry. Runs are summed by a scan over the threads.
__device__ void join_carries(const Product& p, Carry mine, Index last_row, Carry* carries,
                             Carry* of_block) {
  const int thread = static_cast<int>(threadIdx.x);
  carries[thread] = mine;
  __syncthreads();
  for (int distance = 1; distance < kThreads; distance *= 2) {
    double before = 0;
    if (thread >= distance && carries[thread - distance].row == mine.row)
      before = carries[thread - distance].sum;
    __syncthreads();
    carries[thread].sum += before;
    __syncthreads();
  }
  const bool ends_run = thread == kThreads - 1 || carries[thread + 1].row != mine.row;
  if (!ends_run) return;
  if (mine.row < last_row)
    p.y[mine.row] += p.alpha * carries[thread].sum;
  else
    *of_block = carries[thread];
}

__global__ void __launch_bounds__(kThreads) merge_tiles(const Product p, Carry* carry_out) {
  __shared__ double terms[kTile];
  __shared__ Index ends[kTile];
  __shared__ Carry carries[kThreads];
  __shared__ PathPosition corners[2];
  const int thread = static_cast<int>(threadIdx.x);
  const Index* row_ends = p.a.offsets + 1;
  const Index path = p.a.rows + p.a.nonzeros;
  const Index begin = Index{blockIdx.x} * kTile;
  const Index end = begin + kTile < path ? begin + kTile : path;
  if (thread < 2)
    corners[thread] = path_position(row_ends, p.a.rows, p.a.nonzeros, thread == 0 ? begin : end);
  __syncthreads();
  const PathPosition first = corners[0];
  const PathPosition last = corners[1];
  const Index tile_rows = last.row - first.row;
  const Index tile_elements = last.element - first.element;
  for (Index i = thread; i < tile_rows; i += kThreads)
    ends[i] = row_ends[first.row + i] - first.element;
  for (Index k = thread; k < tile_elements; k += kThreads)
    terms[k] = p.a.value[first.element + k] * p.x[p.a.column[first.element + k]];
  __syncthreads();

  const Index steps = end - begin;
  const Index my_begin = min(Index{thread} * kItems, steps);
  const Index my_end = min(my_begin + kItems, steps);
  PathPosition at = path_position(ends, tile_rows, tile_elements, my_begin);
  double sum = 0;
  for (Index step = my_begin; step < my_end; ++step) {
    if (at.row < tile_rows && ends[at.row] <= at.element) {
      double& y = p.y[first.row + at.row];
      y = p.beta == 0 ? p.alpha * sum : p.alpha * sum + p.beta * y;
      sum = 0;
      ++at.row;
    } else {
      sum += terms[at.element];
      ++at.element;
    }
  }
  __syncthreads();  // the rows that carries are added to are written
  join_carries(p, {first.row + at.row, sum}, last.row, carries, carry_out + blockIdx.x);
}

/// Adds to each row the carries of the blocks before the one that finished it, in order.
__global__ void __launch_bounds__(kThreads)
    add_carries(const Product p, const Carry* carries, Index blocks) {
  Index block = Index{blockIdx.x} * kThreads + threadIdx.x;
  if (block >= blocks) return;
  const Index row = carries[block].row;
  if (row >= p.a.rows || (block > 0 && carries[block - 1].row == row)) return;
  double sum = 0;
  for (; block < blocks && carries[block].row == row; ++block) sum += carries[block].sum;
  p.y[row] += p.alpha * sum;
}

}  // namespace

std::vector<Kernel> merge_path_kernels() {
  return {{.name = "cuda/merge-path",
           .backend = base::BackendKind::cuda,
           .obstacle = one_vector_only,
           .prepare = [](const Workload& matrix, const base::Backend& backend, int) {
             const auto csr = matrix.csr_on(backend);
             const Index blocks = (matrix.rows() + matrix.nonzeros() + kTile - 1) / kTile;
             base::Array<Carry> carries(backend, blocks, "what tiles leave of rows");
             return prepared(csr->memory().held, [=, carries = std::move(carries)](
                                                     double alpha, base::ConstBlock x, double beta,
                                                     base::Block y) mutable {
               if (blocks == 0) return;
               const Product product{csr->view(), alpha, x.data, beta, y.data};
               const cudaStream_t stream = backend.device().stream();
               merge_tiles<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(product,
                                                                                   carries.data());
               base::cuda::check_launch("merge_tiles");
               add_carries<<<static_cast<unsigned>((blocks + kThreads - 1) / kThreads), kThreads, 0,
                             stream>>>(product, carries.data(), blocks);
               base::cuda::check_launch("add_carries");
             });
           }}};
}

}  // namespace cisolve::bench
