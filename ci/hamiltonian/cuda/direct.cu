#include "base/cuda/context.hpp"
#include "base/error.hpp"
#include "base/fill.hpp"
#include "ci/hamiltonian/cuda/direct_row.cuh"
#include "ci/hamiltonian/direct.hpp"

namespace cisolve::ci {
namespace {

using base::Array;
using base::cuda::check_launch;
using cuda::DeterminantTable;
using cuda::DirectRow;
using cuda::IntegralsView;

constexpr int kThreads = 128;
constexpr int kRowsPerBlock = kThreads / 32;
constexpr Index kMostRows = Index{INT32_MAX} * kRowsPerBlock;  // in one launch; fewer than 2^40

__global__ void insert_determinants(const DeterminantTable table, Index rows) {
  const Index row = Index{blockIdx.x} * kThreads + threadIdx.x;
  if (row < rows) table.insert(row);
}

/// y = H x for one vector, one warp to a row: lanes try different moves, and their sums are added
/// in the order of the lanes' numbers.
__global__ void __launch_bounds__(kThreads)
    multiply(const DeterminantTable table, const IntegralsView integrals, double threshold,
             Index rows, const double* x, double* y) {
  __shared__ DirectRow::Room room[kRowsPerBlock];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const Index row = Index{blockIdx.x} * kRowsPerBlock + warp;
  if (row >= rows) return;
  DirectRow here(table, integrals, threshold, row, x, room[warp]);
  const double sum = here.sum();
  if (threadIdx.x % 32 == 0) y[row] = sum;
}

std::vector<std::uint64_t> keys_of_orbitals() {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t spin = 0; spin < 2; ++spin)
    for (std::uint64_t p = 0; p < kMostOrbitals; ++p) keys.push_back(base::mix(spin + 1, p));
  return keys;
}

Array<cuda::StringPair> string_pairs(const Space& space, const base::Backend& device) {
  Array<cuda::StringPair> pairs(space.host(), space.dimension(), "the determinants");
  cuda::StringPair* next = pairs.data();
  for (Index a = 0; a < std::ssize(space.strings(Spin::alpha)); ++a)
    for (const StringNumber b : space.betas_of(a)) *next++ = {static_cast<StringNumber>(a), b};
  return pairs.to(device, "the determinants");
}

std::vector<double> one_electron(const Integrals& integrals, Spin spin) {
  std::vector<double> all;
  for (int p = 0; p < integrals.orbitals(); ++p)
    for (int q = 0; q < integrals.orbitals(); ++q) all.push_back(integrals.one(spin, p, q));
  return all;
}

class DirectOnDevice final : public base::LinearOperator {
 public:
  DirectOnDevice(const base::Backend& device, const Space& space, const Integrals& integrals,
                 double threshold)
      : threshold_(threshold),
        keys_(Array<std::uint64_t>::copy_of(keys_of_orbitals(), device, "the orbitals' keys")),
        alphas_(Array<String>::copy_of(space.strings(Spin::alpha), device, "the alpha strings")),
        betas_(Array<String>::copy_of(space.strings(Spin::beta), device, "the beta strings")),
        pairs_(string_pairs(space, device)),
        slots_(device, slots_for(space.dimension()), "the table of determinants"),
        one_alpha_(Array<double>::copy_of(one_electron(integrals, Spin::alpha), device,
                                          "the one-electron integrals")),
        one_beta_(Array<double>::copy_of(one_electron(integrals, Spin::beta), device,
                                         "the one-electron integrals")),
        alpha_alpha_(integrals.same_spin(Spin::alpha).to(device, "the two-electron integrals")),
        beta_beta_(integrals.spin_dependent()
                       ? integrals.same_spin(Spin::beta).to(device, "the two-electron integrals")
                       : Array<double>(device, 0, "the two-electron integrals")),
        mixed_(integrals.mixed_spin().to(device, "the alpha-beta integrals")),
        table_{keys_.data(),
               {alphas_.data(), betas_.data()},
               pairs_.data(),
               slots_.data(),
               static_cast<std::uint64_t>(slots_.size() - 1)},
        integrals_{integrals.orbitals(),
                   pair_index(0, integrals.orbitals()),
                   integrals.core_energy(),
                   {one_alpha_.data(), one_beta_.data()},
                   {alpha_alpha_.data(),
                    integrals.spin_dependent() ? beta_beta_.data() : alpha_alpha_.data()},
                   integrals.spin_dependent() ? mixed_.data() : nullptr} {
    if (rows() > kMostRows)
      base::fail(base::Fault::bad_input, rows(), " determinants on a device; expected at most ",
                 kMostRows);
    base::fill_bytes(slots_, 0xff);
    const auto blocks = static_cast<unsigned>((rows() + kThreads - 1) / kThreads);
    insert_determinants<<<blocks, kThreads, 0, stream()>>>(table_, rows());
    check_launch("insert_determinants");
  }

  Index rows() const override { return pairs_.size(); }

  void apply(base::ConstBlock x, base::Block y) const override {
    const auto blocks = static_cast<unsigned>((rows() + kRowsPerBlock - 1) / kRowsPerBlock);
    for (int j = 0; j < x.columns; ++j) {
      multiply<<<blocks, kThreads, 0, stream()>>>(table_, integrals_, threshold_, rows(),
                                                  x.column(j), y.column(j));
      check_launch("multiply");
    }
  }

  base::OperatorDescription description() const override {
    return {"direct", pairs_.bytes() + slots_.bytes() + alphas_.bytes() + betas_.bytes(), 0, 0};
  }

 private:
  static Index slots_for(Index rows) {
    return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * rows)));
  }
  cudaStream_t stream() const { return pairs_.backend().device().stream(); }

  double threshold_;
  Array<std::uint64_t> keys_;
  Array<String> alphas_;
  Array<String> betas_;
  Array<cuda::StringPair> pairs_;
  Array<unsigned long long> slots_;
  Array<double> one_alpha_;
  Array<double> one_beta_;
  Array<double> alpha_alpha_;
  Array<double> beta_beta_;
  Array<double> mixed_;
  DeterminantTable table_;
  IntegralsView integrals_;
};

}  // namespace

std::unique_ptr<base::LinearOperator> direct_operator_on(const base::Backend& device,
                                                         const Space& space,
                                                         const Integrals& integrals,
                                                         double threshold) {
  return std::make_unique<DirectOnDevice>(device, space, integrals, threshold);
}

}  // namespace cisolve::ci
