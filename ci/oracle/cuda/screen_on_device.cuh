#pragma once

#include <algorithm>
#include <vector>

#include "ci/oracle/cuda/warp_workspace.cuh"
#include "ci/oracle/excitation_screen.hpp"

namespace cisolve::ci::cuda {

/// An ExcitationScreen in device memory.
class ScreenOnDevice {
 public:
  ScreenOnDevice(const base::Backend& device, const ExcitationScreen& screen,
                 const Integrals& integrals)
      : pairs_(static_cast<int>(screen.pairs())),
        words_(static_cast<int>(screen.words())),
        singles_{copy(screen.singles(Spin::alpha), device),
                 copy(screen.singles(Spin::beta), device)},
        doubles_{copy(screen.doubles(Spin::alpha), device),
                 integrals.spin_dependent() ? copy(screen.doubles(Spin::beta), device)
                                            : base::Array<std::uint64_t>(device, 0, kMemoryLabel)},
        mixed_(copy(screen.mixed(), device)),
        with_mixed_{
            copy(screen.with_mixed(), device),
            base::Array<std::uint64_t>::copy_of(betas_with_mixed(screen), device, kMemoryLabel)},
        orbitals_(base::Array<uchar2>::copy_of(orbitals_of_pairs(integrals.orbitals()), device,
                                               kMemoryLabel)),
        has_doubles_{has_any(screen.doubles(Spin::alpha)), has_any(screen.doubles(Spin::beta))} {}

  ScreenView view() const {
    return {pairs_,
            words_,
            {singles_[0].data(), singles_[1].data()},
            {doubles_[0].data(), doubles_[1].size() > 0 ? doubles_[1].data() : doubles_[0].data()},
            {has_doubles_[0], has_doubles_[1]},
            mixed_.data(),
            {with_mixed_[0].data(), with_mixed_[1].data()},
            orbitals_.data()};
  }
  Index bytes() const {
    return singles_[0].bytes() + singles_[1].bytes() + doubles_[0].bytes() + doubles_[1].bytes() +
           mixed_.bytes() + with_mixed_[0].bytes() + with_mixed_[1].bytes() + orbitals_.bytes();
  }

 private:
  static constexpr const char* kMemoryLabel = "the screen of moves";

  static base::Array<std::uint64_t> copy(const base::Array<std::uint64_t>& set,
                                         const base::Backend& device) {
    return set.to(device, kMemoryLabel);
  }
  static bool has_any(const base::Array<std::uint64_t>& set) {
    return std::ranges::any_of(set.span(), [](std::uint64_t word) { return word != 0; });
  }
  static std::vector<std::uint64_t> betas_with_mixed(const ExcitationScreen& screen) {
    std::vector<std::uint64_t> with(screen.words(), 0);
    for (Index one = 0; one < screen.pairs(); ++one)
      for (Index w = 0; w < screen.words(); ++w) with[w] |= screen.mixed_with(one)[w];
    return with;
  }
  static std::vector<uchar2> orbitals_of_pairs(int orbitals) {
    std::vector<uchar2> pairs;
    for (int p = 1; p < orbitals; ++p)
      for (int q = 0; q < p; ++q)
        pairs.push_back({static_cast<unsigned char>(p), static_cast<unsigned char>(q)});
    return pairs;
  }

  int pairs_;
  int words_;
  base::Array<std::uint64_t> singles_[2];
  base::Array<std::uint64_t> doubles_[2];
  base::Array<std::uint64_t> mixed_;
  base::Array<std::uint64_t> with_mixed_[2];
  base::Array<uchar2> orbitals_;
  bool has_doubles_[2];
};

}  // namespace cisolve::ci::cuda
