#include "base/cuda/context.hpp"
#include "ci/hamiltonian/rows/row_order.hpp"

namespace cisolve::ci::cuda {
namespace {

using base::Column;
using base::Index;

constexpr int kThreads = 256;

__global__ void gather(const Column* order, Index rows, base::ConstBlock x, base::Block y) {
  const Index row = Index{blockIdx.x} * kThreads + threadIdx.x;
  if (row >= rows) return;
  const Index from = order[row];
  for (int j = 0; j < x.columns; ++j) y(row, j) = x(from, j);
}

__global__ void scatter(const Column* order, Index rows, base::ConstBlock x, base::Block y) {
  const Index row = Index{blockIdx.x} * kThreads + threadIdx.x;
  if (row >= rows) return;
  const Index to = order[row];
  for (int j = 0; j < x.columns; ++j) y(to, j) = x(row, j);
}

unsigned blocks_for(Index rows) { return static_cast<unsigned>((rows + kThreads - 1) / kThreads); }

}  // namespace

void gather_rows(const base::Backend& device, const base::Array<Column>& order, base::ConstBlock x,
                 base::Block y) {
  if (order.size() == 0) return;
  gather<<<blocks_for(order.size()), kThreads, 0, device.device().stream()>>>(order.data(),
                                                                              order.size(), x, y);
  base::cuda::check_launch("gather");
}

void scatter_rows(const base::Backend& device, const base::Array<base::Column>& order,
                  base::ConstBlock x, base::Block y) {
  if (order.size() == 0) return;
  scatter<<<blocks_for(order.size()), kThreads, 0, device.device().stream()>>>(order.data(),
                                                                               order.size(), x, y);
  base::cuda::check_launch("scatter");
}

}  // namespace cisolve::ci::cuda
