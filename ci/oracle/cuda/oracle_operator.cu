#include "base/cuda/context.hpp"
#include "base/error.hpp"
#include "base/fill.hpp"
#include "ci/oracle/cuda/oracle_row.cuh"
#include "ci/oracle/cuda/rows_on_device.cuh"
#include "ci/oracle/cuda/screen_on_device.cuh"
#include "ci/oracle/oracle_operator.hpp"

namespace cisolve::ci {
namespace {

using base::Array;
using base::cuda::check_launch;
using cuda::DeterminantTable;
using cuda::IntegralsView;
using cuda::OracleRow;
using cuda::RowsOnDevice;
using cuda::ScreenView;
using cuda::StringsOnDevice;
using cuda::WarpWorkspace;

constexpr int kThreads = 128;
constexpr int kRowsPerBlock = kThreads / 32;
constexpr int kMostTargets = 2048;  // fit into a warp's shared memory
constexpr Index kFarBlocks = 256;   // grid size if targets are in global memory
constexpr Index kMostBlocks = Index{1} << 30;

__global__ void insert_determinants(const DeterminantTable table, Index rows) {
  const Index row = Index{blockIdx.x} * kThreads + threadIdx.x;
  if (row < rows) table.insert(row);
}

/// Y = H X for kColumns vectors, one warp per row; lanes' sums are added in a fixed order. Shared
/// memory: the bit sets of each warp, then its targets if they fit.
template <int kColumns>
__global__ void __launch_bounds__(kThreads)
    multiply(const __grid_constant__ DeterminantTable table,
             const __grid_constant__ IntegralsView integrals,
             const __grid_constant__ ScreenView screen, double threshold, Index rows,
             const double* x, Index x_stride, double* y, Index y_stride,
             StringNumber* far_targets) {
  extern __shared__ unsigned long long shared[];
  __shared__ WarpWorkspace workspaces[kRowsPerBlock];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const Index number = Index{blockIdx.x} * kRowsPerBlock + warp;
  WarpWorkspace& workspace = workspaces[warp];
  if (threadIdx.x % 32 == 0) {
    workspace.reachable = shared + warp * 2 * screen.words;
    workspace.movable = workspace.reachable + screen.words;
    auto* near = reinterpret_cast<StringNumber*>(shared + kRowsPerBlock * 2 * screen.words);
    workspace.targets =
        far_targets != nullptr ? far_targets + number * screen.pairs : near + warp * screen.pairs;
  }
  __syncwarp();
  for (Index row = number; row < rows; row += Index{gridDim.x} * kRowsPerBlock) {
    OracleRow<kColumns> here(table, integrals, screen, threshold, row, x, x_stride, workspace);
    double sums[kColumns];
    here.sum(sums);
    if (threadIdx.x % 32 == 0)
      for (int j = 0; j < kColumns; ++j) y[row + j * y_stride] = sums[j];
  }
}

std::vector<double> one_electron(const OracleIntegrals& integrals, Spin spin) {
  std::vector<double> all;
  for (int p = 0; p < integrals.orbitals(); ++p)
    for (int q = 0; q < integrals.orbitals(); ++q) all.push_back(integrals.one(spin, p, q));
  return all;
}

class OracleOnDevice final : public base::LinearOperator {
 public:
  OracleOnDevice(const base::Backend& device, const Space& space, const Integrals& integrals,
                 double threshold)
      : threshold_(threshold),
        strings_{{device, StringFinder(space.strings(Spin::alpha), space.host())},
                 {device, StringFinder(space.strings(Spin::beta), space.host())}},
        rows_(device, space),
        screen_(device, ExcitationScreen(space, OracleIntegrals(integrals), threshold), integrals),
        one_alpha_(Array<double>::copy_of(one_electron(OracleIntegrals(integrals), Spin::alpha),
                                          device, "the one-electron integrals")),
        one_beta_(Array<double>::copy_of(one_electron(OracleIntegrals(integrals), Spin::beta),
                                         device, "the one-electron integrals")),
        alpha_alpha_(integrals.same_spin(Spin::alpha).to(device, "the two-electron integrals")),
        beta_beta_(integrals.spin_dependent()
                       ? integrals.same_spin(Spin::beta).to(device, "the two-electron integrals")
                       : Array<double>(device, 0, "the two-electron integrals")),
        mixed_(integrals.mixed_spin().to(device, "the alpha-beta integrals")),
        far_targets_(device, far_targets(), "the moves of beta strings"),
        table_{{strings_[0].view(), strings_[1].view()},
               rows_.pairs.data(),
               rows_.first_row.data(),
               rows_.list_of.data(),
               rows_.positions.size() > 0 ? rows_.positions.data() : nullptr,
               rows_.betas,
               rows_.slots.data(),
               static_cast<std::uint64_t>(rows_.slots.size() - 1)},
        integrals_{integrals.orbitals(),
                   packed_place(0, integrals.orbitals()),
                   integrals.core_energy(),
                   {one_alpha_.data(), one_beta_.data()},
                   {alpha_alpha_.data(),
                    integrals.spin_dependent() ? beta_beta_.data() : alpha_alpha_.data()},
                   integrals.spin_dependent() ? mixed_.data() : nullptr} {
    if (rows() >> DeterminantTable::kRowBits != 0)
      base::fail(base::ErrorKind::bad_input, rows(),
                 " determinants on a device; expected fewer than 2^", DeterminantTable::kRowBits);
    if (rows_.slots.size() == 0) return;
    base::fill_bytes(rows_.slots, 0xff);
    const auto blocks = static_cast<unsigned>((rows() + kThreads - 1) / kThreads);
    insert_determinants<<<blocks, kThreads, 0, stream()>>>(table_, rows());
    check_launch("insert_determinants");
  }

  Index rows() const override { return rows_.pairs.size(); }

  void apply(base::ConstBlock x, base::Block y) const override {
    for (int j = 0; j < x.columns;) {
      const int left = x.columns - j;
      const int now = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
      const base::ConstBlock from = x.slice(j, now);
      const base::Block to = y.slice(j, now);
      if (now == 8) launch<8>(from, to);
      if (now == 4) launch<4>(from, to);
      if (now == 2) launch<2>(from, to);
      if (now == 1) launch<1>(from, to);
      j += now;
    }
  }

  base::OperatorDescription description() const override {
    return {"direct",
            rows_.bytes() + strings_[0].bytes() + strings_[1].bytes() + screen_.bytes() +
                far_targets_.bytes(),
            0, 0};
  }

 private:
  template <int kColumns>
  void launch(base::ConstBlock x, base::Block y) const {
    const ScreenView screen = screen_.view();
    const bool is_far = far_targets_.size() > 0;
    const Index blocks = (rows() + kRowsPerBlock - 1) / kRowsPerBlock;
    const std::size_t bytes = kRowsPerBlock * (2 * screen.words * sizeof(std::uint64_t) +
                                               (is_far ? 0 : screen.pairs * sizeof(StringNumber)));
    multiply<kColumns><<<static_cast<unsigned>(std::min(blocks, is_far ? kFarBlocks : kMostBlocks)),
                         kThreads, bytes, stream()>>>(table_, integrals_, screen, threshold_,
                                                      rows(), x.data, x.stride, y.data, y.stride,
                                                      is_far ? far_targets_.data() : nullptr);
    check_launch("multiply");
  }

  Index far_targets() const {
    const Index pairs = screen_.view().pairs;
    return pairs <= kMostTargets ? 0 : kFarBlocks * kRowsPerBlock * pairs;
  }
  cudaStream_t stream() const { return rows_.pairs.backend().device().stream(); }

  double threshold_;
  StringsOnDevice strings_[2];
  RowsOnDevice rows_;
  cuda::ScreenOnDevice screen_;
  Array<double> one_alpha_;
  Array<double> one_beta_;
  Array<double> alpha_alpha_;
  Array<double> beta_beta_;
  Array<double> mixed_;
  mutable Array<StringNumber> far_targets_;
  DeterminantTable table_;
  IntegralsView integrals_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> oracle_operator_on(const base::Backend& device,
                                                         const Space& space,
                                                         const Integrals& integrals,
                                                         double threshold) {
  return std::make_unique<OracleOnDevice>(device, space, integrals, threshold);
}

}  // namespace cisolve::ci
