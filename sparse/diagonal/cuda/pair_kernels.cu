#include "sparse/diagonal/pair_kernels.hpp"

#include "base/device.hpp"
#include "sparse/diagonal/cuda/band_product.cuh"
#include "sparse/diagonal/cuda/staged_product.cuh"

namespace cisolve::sparse::cuda {
namespace {

using Shape = PairShape<4, 4, 4>;
using base::Array;
using base::Backend;

template <class T>
Array<T> placed(const std::vector<T>& values, const Backend& device) {
  return Array<T>::copy_of(values, device, "the pairs of a product of diagonals");
}

/// Kernel for few pairs per output (bound by memory) and for devices whose shared memory cannot
/// hold stages.
class PlacedGroups final : public DevicePairs {
 public:
  PlacedGroups(const Backend& device, const ProductPairs& all)
      : PlacedGroups(device, all, PairGroups::of(all, Shape::kOutputs, device.host())) {}

  PairAlgorithm algorithm() const override { return PairAlgorithm::groups; }
  void multiply(const double* a, const double* b, double beta, double* c) const override {
    launch_pair_product<Shape>(
        {all_.rows, all_.inner, all_.columns, outputs_.size(), offsets_.size() - 1, outputs_.data(),
         offsets_.data(), pairs_.data(), steps_.data(), a, b, beta, c},
        outputs_.backend().device().stream());
  }

 private:
  PlacedGroups(const Backend& device, const ProductPairs& all, const PairGroups& groups)
      : all_{all.rows, all.inner, all.columns},
        outputs_(placed(all.outputs, device)),
        offsets_(placed(groups.offsets, device)),
        pairs_(placed(groups.pairs, device)),
        steps_(placed(groups.steps, device)) {}

  struct {
    Index rows;
    Index inner;
    Index columns;
  } all_;
  Array<DiagonalTerm> outputs_;
  Array<Index> offsets_;
  Array<DiagonalPair> pairs_;
  Array<Index> steps_;
};

/// Kernel for many pairs per output: a stage's values are loaded once for many of them.
class PlacedStages final : public DevicePairs {
 public:
  PlacedStages(const Backend& device, const ProductPairs& all)
      : PlacedStages(device, all, StagedPairs::of(all, device.host())) {}

  PairAlgorithm algorithm() const override { return PairAlgorithm::stages; }
  void multiply(const double* a, const double* b, double beta, double* c) const override {
    const Backend& backend = outputs_.backend();
    launch_staged_product(
        {all_.rows, all_.inner, all_.columns, blocks_.size(),
         (all_.rows + StagedPairs::kRows - 1) / StagedPairs::kRows, blocks_.data(), members_.data(),
         stages_.data(), segments_.data(), words_.data(), outputs_.data(), zeros_.data(),
         next_.data(), a, b, beta, c},
        backend.device().info().multiprocessors, backend.device().stream());
  }

 private:
  PlacedStages(const Backend& device, const ProductPairs& all, const StagedPairs& staged)
      : all_{all.rows, all.inner, all.columns},
        outputs_(placed(all.outputs, device)),
        blocks_(placed(staged.blocks, device)),
        members_(placed(staged.members, device)),
        stages_(placed(staged.stages, device)),
        segments_(placed(staged.segments, device)),
        words_(placed(staged.words, device)),
        zeros_(placed(std::vector<double>(staged.longest), device)),
        next_(placed(std::vector<unsigned long long>(1), device)) {}

  struct {
    Index rows;
    Index inner;
    Index columns;
  } all_;
  Array<DiagonalTerm> outputs_;
  Array<StagedPairs::Block> blocks_;
  Array<std::int32_t> members_;
  Array<StagedPairs::Stage> stages_;
  Array<StagedPairs::Segment> segments_;
  Array<StagedPairs::Work> words_;
  Array<double> zeros_;
  mutable Array<unsigned long long> next_;  // work counter; 0 again after each product
};

class PlacedBands final : public DevicePairs {
 public:
  PlacedBands(const Backend& device, const ProductPairs& all, const BandPairs& bands)
      : all_{static_cast<int>(all.rows), static_cast<int>(all.inner), static_cast<int>(all.columns),
             bands.blocks, bands.tiles},
        low_{bands.a.low, bands.b.low, bands.c.low},
        of_a_(placed(bands.a.bases, device)),
        of_b_(placed(bands.b.bases, device)),
        of_c_(placed(bands.c.bases, device)) {}

  PairAlgorithm algorithm() const override { return PairAlgorithm::bands; }
  void multiply(const double* a, const double* b, double beta, double* c) const override {
    launch_band_product(
        {all_.rows, all_.inner, all_.columns, all_.blocks, all_.tiles, view(low_.a, of_a_, a),
         view(low_.b, of_b_, b), view(low_.c, of_c_, c), beta, c},
        of_a_.backend().device().stream());
  }

 private:
  static BandView view(Index low, const Array<std::int32_t>& bases, const double* values) {
    constexpr Index margin = BandPairs::kMargin;
    return {static_cast<int>(low), static_cast<int>(bases.size() - 2 * margin),
            bases.data() + margin, values};
  }

  struct {
    int rows;
    int inner;
    int columns;
    Index blocks;
    Index tiles;
  } all_;
  struct {
    Index a;
    Index b;
    Index c;
  } low_;
  Array<std::int32_t> of_a_;
  Array<std::int32_t> of_b_;
  Array<std::int32_t> of_c_;
};

/// Double-precision matrix units.
bool has_matrix_units(const Backend& backend) {
  const base::cuda::DeviceInfo& device = backend.device().info();
  return device.major >= 8 && device.major <= 10 && device.minor == 0;
}

/// True if the device has a bulk-copy engine and shared memory for two stages; others rely on L1.
bool has_stages(const Backend& backend) {
  const base::cuda::DeviceInfo& device = backend.device().info();
  return device.major >= 9 && device.shared_bytes >= kStagedBytes && is_built_for_stages();
}

/// Estimates whether dense tiles are faster than pairs; constants measured on an H100.
bool are_quicker(const BandPairs& bands) {
  constexpr double of_pairs = 8;   // cost of one multiply-add of a pair
  constexpr double of_tile = 7e5;  // cost of starting and ending a tile
  const auto tiles = static_cast<double>(bands.blocks * bands.tiles);
  return bands.of_tiles + of_tile * tiles <= of_pairs * bands.multiply_adds;
}

/// Returns nullopt if the bands should not be multiplied as dense tiles.
std::optional<BandPairs> bands_of(const Backend& backend, const ProductPairs& all,
                                  PairAlgorithm algorithm) {
  const bool may = algorithm == PairAlgorithm::bands || algorithm == PairAlgorithm::quickest;
  if (!may || !has_matrix_units(backend)) return std::nullopt;
  std::optional<BandPairs> bands = BandPairs::of(all);
  if (bands && algorithm == PairAlgorithm::quickest && !are_quicker(*bands)) return std::nullopt;
  return bands;
}

}  // namespace

std::unique_ptr<DevicePairs> place_pairs(const Backend& backend, const ProductPairs& all,
                                         PairAlgorithm algorithm) {
  constexpr Index kFewPairs = 3;    // pairs per output
  backend.device().make_current();  // is_built_for_stages() queries the current device
  if (const auto bands = bands_of(backend, all, algorithm))
    return std::make_unique<PlacedBands>(backend, all, *bands);
  const bool are_few = std::ssize(all.pairs) < kFewPairs * std::ssize(all.outputs);
  const bool in_groups =
      algorithm == PairAlgorithm::groups || (are_few && algorithm != PairAlgorithm::stages);
  if (in_groups || !has_stages(backend)) return std::make_unique<PlacedGroups>(backend, all);
  return std::make_unique<PlacedStages>(backend, all);
}

}  // namespace cisolve::sparse::cuda
