#include "ci/properties/excitation_products.hpp"

#include <algorithm>
#include <numeric>

#include "base/cuda/context.hpp"
#include "base/fill.hpp"
#include "ci/properties/cuda/excitation_kernels.cuh"

namespace cisolve::ci::cuda {
namespace {

using base::Array;
using base::Backend;
using base::cuda::check_launch;

class DeviceProducts final : public ExcitationProducts {
 public:
  DeviceProducts(const ExcitationRows& rows, const Space& space, const double* x,
                 const Backend& device)
      : ExcitationProducts(rows),
        device_(device),
        host_(space.host()),
        alphas_(std::ssize(space.strings(Spin::alpha))),
        betas_(std::ssize(space.strings(Spin::beta))),
        by_halves_(is_even_or_odd(space, x)),
        of_alpha_(
            Array<StringNumber>::copy_of(sources_of(space, Spin::alpha, rows), device, kTables)),
        of_beta_(
            Array<StringNumber>::copy_of(sources_of(space, Spin::beta, rows), device, kTables)),
        x_(Array<double>::copy_of({x, static_cast<std::size_t>(dimension())}, device, kVectors)),
        excited_(device, dimension() * rows.pairs(), kVectors) {
    excite_vector<<<grid(alphas_, rows.pairs()), kExcitationThreads, 0, stream()>>>(
        sources(), x_.data(), excited_.data());
    check_launch("excite_vector");
  }

  Sums densities() override {
    const std::vector<Index>& lower = rows().lower();
    const Array<Index> which = Array<Index>::copy_of(lower, device_, kTables);
    const Index columns = std::ssize(lower);
    return multiply(columns, kColumnsAtOnce, [&](const Chunk& chunk, double* right) {
      gather(chunk, excited_.data(), which, true, right);
    });
  }

  Sums contracted(std::span<const double> two_body, int first, int last) override {
    const Index n = rows().orbitals();
    const Index columns = n * (last - first);
    const Array<double> images = images_of(two_body, first, last);
    std::vector<Index> places;
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q) places.push_back(rows().place(p, q));
    const Array<Index> here = Array<Index>::copy_of(places, device_, kTables);
    return multiply(2 * columns, 2 * columns, [&](const Chunk& chunk, double* right) {
      excite_images<<<grid(chunk.alphas, columns), kExcitationThreads, 0, stream()>>>(
          sources(), chunk.determinants, dimension(), n, here.data(), images.data(), chunk.count,
          right);
      check_launch("excite_images");
    });
  }

  int most_contracted() const override {
    const Index n = rows().orbitals();
    const Index fixed = betas_ * rows().rows() * kNumber;  // one alpha string at a time
    const Index each = n * (dimension() + 2 * (rows().rows() + betas_)) * kNumber;
    return static_cast<int>(std::clamp<Index>((device_.memory().left() - fixed) / each, 1, n));
  }

 private:
  static constexpr const char* kTables = "the tables of excitations";
  static constexpr const char* kVectors = "excited vectors of all determinants";
  static constexpr const char* kProducts = "products of excited vectors";
  static constexpr Index kNumber = sizeof(double);
  static constexpr Index kChunkBytes = Index{2} << 30;
  static constexpr Index kColumnsAtOnce = 24;

  /// Alpha strings whose determinants are multiplied at once.
  struct Chunk {
    DeterminantChunk determinants;
    Index alphas;
    Index count;  // of determinants
  };

  Index dimension() const { return alphas_ * betas_; }
  cudaStream_t stream() const { return device_.device().stream(); }
  SourcesView sources() const {
    return {of_alpha_.data(), of_beta_.data(), betas_, rows().pairs()};
  }
  static dim3 grid(Index alphas, Index others) {
    return {static_cast<unsigned>(alphas), static_cast<unsigned>(others)};
  }

  void gather(const Chunk& chunk, const double* from, const Array<Index>& which, bool is_weighted,
              double* to) const {
    gather_vectors<<<grid(chunk.alphas, which.size()), kExcitationThreads, 0, stream()>>>(
        chunk.determinants, dimension(), from, which.data(), is_weighted, chunk.count, to);
    check_launch("gather_vectors");
  }

  Array<double> images_of(std::span<const double> two_body, int first, int last) const {
    const std::vector<double> matrix = integrals_by_place(rows(), two_body, first, last);
    const Index pairs = rows().pairs();
    const Index size = std::ssize(matrix) / pairs;
    std::vector<double> by_columns(matrix.size());
    for (Index place = 0; place < pairs; ++place)
      for (Index i = 0; i < size; ++i) by_columns[i * pairs + place] = matrix[place * size + i];
    const Array<double> here = Array<double>::copy_of(by_columns, device_, kTables);
    Array<double> images(device_, dimension() * size, kVectors);
    device_.device().blas().gemm(false, dimension(), size, pairs, 1, {excited_.data(), dimension()},
                                 {here.data(), pairs}, 0, images.data(), dimension());
    device_.synchronize();  // before the matrix ends
    return images;
  }

  /// As many alpha strings from `first` on as the memory of a chunk holds, at least one.
  Chunk chunk_from(Index first, Index most) const {
    const DeterminantChunk determinants{first, betas_, by_halves_};
    Index last = first + 1;
    while (last < alphas_ && determinants.offset(last + 1) <= most) ++last;
    return {determinants, last - first, determinants.offset(last)};
  }

  /// All rows times columns, which fill(chunk, columns) writes. `at_once`: columns of one product,
  /// which has the rows of its last column only.
  template <class Fill>
  Sums multiply(Index columns, Index at_once, const Fill& fill) const {
    const Index all = rows().rows();
    const bool are_all = at_once >= columns;
    Array<double> sums(device_, all * columns, kProducts);
    base::fill_bytes(sums, 0);
    const Index bytes = std::min(kChunkBytes, device_.memory().left() / 10 * 9);
    const Index most = std::max(bytes / ((all + columns) * kNumber), betas_);
    const Index held = std::min(most, dimension());
    Array<double> left(device_, all * held, kProducts);
    Array<double> right(device_, columns * held, kProducts);
    std::vector<Index> places(static_cast<std::size_t>(rows().pairs()));
    std::iota(places.begin(), places.end(), Index{0});
    const Array<Index> ones = Array<Index>::copy_of(places, device_, kTables);
    const Array<Index> none = Array<Index>::copy_of(std::vector<Index>{0}, device_, kTables);
    for (Index first = 0; first < alphas_;) {
      const Chunk chunk = chunk_from(first, most);
      gather(chunk, x_.data(), none, false, left.data());
      gather(chunk, excited_.data(), ones, false, left.data() + chunk.count);
      excite_twice<<<grid(chunk.alphas, rows().pairs()), kExcitationThreads, 0, stream()>>>(
          sources(), chunk.determinants, dimension(), excited_.data(), chunk.count, left.data());
      check_launch("excite_twice");
      fill(chunk, right.data());
      for (Index column = 0; column < columns; column += at_once) {
        const Index count = std::min(at_once, columns - column);
        const Index those = are_all ? all : rows().rows_of_column(column + count - 1);
        device_.device().blas().gemm(true, those, count, chunk.count, 1, {left.data(), chunk.count},
                                     {right.data() + column * chunk.count, chunk.count}, 1,
                                     sums.data() + column * all, all);
      }
      first += chunk.alphas;
    }
    return {sums.to(host_), all};
  }

  Backend device_;
  Backend host_;
  Index alphas_;
  Index betas_;
  bool by_halves_;
  Array<StringNumber> of_alpha_;
  Array<StringNumber> of_beta_;
  Array<double> x_;
  Array<double> excited_;  // E_pq|x>, [place][determinant]
};

}  // namespace

std::unique_ptr<ExcitationProducts> excitation_products(const ExcitationRows& rows,
                                                        const Space& space, const double* x,
                                                        const base::Backend& device) {
  return std::make_unique<DeviceProducts>(rows, space, x, device);
}

}  // namespace cisolve::ci::cuda
