#include "base/cuda/context.hpp"
#include "ci/hamiltonian/row_order.hpp"

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

}  // namespace

void gather_rows(const base::Backend& device, const base::Array<Column>& order, base::ConstBlock x,
                 base::Block y) {
  if (order.size() == 0) return;
  const auto blocks = static_cast<unsigned>((order.size() + kThreads - 1) / kThreads);
  gather<<<blocks, kThreads, 0, device.device().stream()>>>(order.data(), order.size(), x, y);
  base::cuda::check_launch("gather");
}

}  // namespace cisolve::ci::cuda
