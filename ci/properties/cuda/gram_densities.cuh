#pragma once

#include <algorithm>
#include <array>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "base/cuda/context.hpp"
#include "base/openmp/background.hpp"
#include "ci/properties/cuda/residue_lines.cuh"

// Two-particle densities of spaces in which many alpha strings share a list of beta strings.
namespace cisolve::ci::cuda {

/// The lines of all residues, residue by residue.
struct GramGroups {
  std::vector<GramLine> lines;
  std::vector<Index> begins{0};  // first line of each residue, and the end

  void close() { begins.push_back(std::ssize(lines)); }
};

/// The lines of all residues on a device, and the tiles of their Gram matrices.
class GramLists {
 public:
  GramLists(const GramGroups& groups, const Backend& device)
      : lines_(device, 0, kMemoryLabel),
        diagonal_(device, 0, kMemoryLabel),
        others_(device, 0, kMemoryLabel) {
    std::vector<GramWork> diagonal;
    std::vector<GramWork> others;
    for (std::size_t group = 0; group + 1 < groups.begins.size(); ++group) {
      const Index begin = groups.begins[group];
      const Index end = groups.begins[group + 1];
      const auto count = [&](Index at) {
        return static_cast<int>(std::min<Index>(kTile, end - at));
      };
      for (Index row = begin; row < end; row += kTile) {
        const auto residue = static_cast<Index>(group);
        diagonal.push_back({residue, row, row, count(row), count(row)});
        for (Index column = begin; column < row; column += kTile)
          others.push_back({residue, row, column, count(row), count(column)});
      }
    }
    lines_ = copied(groups.lines, device, kMemoryLabel);
    diagonal_ = copied(diagonal, device, kMemoryLabel);
    others_ = copied(others, device, kMemoryLabel);
  }

  /// Adds the inner products of lines of `size` elements.
  template <class Lines, class Sums>
  void launch(const Lines& source, Index size, const Sums& sums, cudaStream_t stream) const {
    launch<true>(diagonal_, source, size, sums, stream);
    launch<false>(others_, source, size, sums, stream);
  }

 private:
  static constexpr const char* kMemoryLabel = "the strings with electrons taken out";
  static constexpr Index kBlocks = 1024;  // target number if lines are long enough to be divided
  static constexpr Index kLeastPart = 512;

  template <bool kDiagonal, class Lines, class Sums>
  void launch(const Array<GramWork>& works, const Lines& source, Index size, const Sums& sums,
              cudaStream_t stream) const {
    using Shape = GramShape<kDiagonal>;
    if (works.size() == 0 || size == 0) return;
    const Index most = std::max<Index>(1, size / kLeastPart);
    const Index parts = std::clamp<Index>(kBlocks / works.size(), 1, most);
    const Index part = (size + parts - 1) / parts;
    const dim3 grid(static_cast<unsigned>(works.size()), static_cast<unsigned>(parts));
    const auto kernel = add_gram<kDiagonal, Lines, Sums>;
    base::cuda::check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::kBytes),
        "cudaFuncSetAttribute");
    kernel<<<grid, Shape::kThreads, Shape::kBytes, stream>>>(works.data(), lines_.data(), size,
                                                             part, source, sums);
    base::cuda::check_launch("add_gram");
  }

  Array<GramLine> lines_;
  Array<GramWork> diagonal_;
  Array<GramWork> others_;
};

/// Tables of a space for one electron of each spin.
struct MixedTables {
  explicit MixedTables(const Space& space) {
    fill_electrons_of_alpha(space);
    find_betas(space);
  }

  GramGroups electrons_of_alpha;
  std::vector<StringNumber> found;  // see MixedLines
  Index residues = 0;               // number of beta residues

 private:
  using Group = std::pair<String, std::span<const StringsWithFewerElectrons::Entry>>;

  /// Residues with one electron removed, in the order of strings: neighbouring residues mostly come
  /// from neighbouring strings, and equal strings of both spins have equally numbered residues.
  static std::vector<Group> in_order(const Space& space, Spin spin,
                                     const StringsWithFewerElectrons& all) {
    std::vector<Group> groups;
    all.for_each_group([&](std::span<const StringsWithFewerElectrons::Entry> group) {
      const String string = space.strings(spin)[group[0].string];
      groups.emplace_back(string.without(group[0].taken.first), group);
    });
    std::ranges::sort(groups, {}, [](const Group& group) { return group.first; });
    return groups;
  }

  /// Sorted by alpha orbital, then by beta orbital, as MixedSums requires.
  void fill_electrons_of_alpha(const Space& space) {
    const Index strings = std::ssize(space.strings(Spin::alpha));
    electrons_of_alpha.lines.reserve(strings * space.electrons(Spin::alpha) * space.orbitals());
    const StringsWithFewerElectrons all(space, Spin::alpha, 1);
    for (const auto& [residue, group] : in_order(space, Spin::alpha, all)) {
      std::vector<StringsWithFewerElectrons::Entry> members(group.begin(), group.end());
      std::ranges::sort(members, {}, [](const auto& entry) { return entry.taken.first; });
      for (const auto& [key, string, taken] : members) {
        const bool odd = is_odd_below(space, Spin::alpha, string, taken.first);
        for (int r = 0; r < space.orbitals(); ++r)
          electrons_of_alpha.lines.push_back(
              {string, taken.first, static_cast<std::uint8_t>(r), odd});
      }
      electrons_of_alpha.close();
    }
  }

  void find_betas(const Space& space) {
    const StringsWithFewerElectrons all(space, Spin::beta, 1);
    const std::vector<Group> groups = in_order(space, Spin::beta, all);
    residues = std::ssize(groups);
    found.assign(space.orbitals() * groups.size(), 0);
    for (std::size_t k = 0; k < groups.size(); ++k)
      for (const auto& [key, string, taken] : groups[k].second) {
        const StringNumber number = string + 1;
        const bool odd = is_odd_below(space, Spin::beta, string, taken.first);
        found[taken.first * groups.size() + k] = odd ? -number : number;
      }
  }
};

/// A two-particle density is a sum over residues: removing two electrons from a state leaves one
/// line for each way to reach a residue, and the Gram matrix of these lines is its contribution.
/// The host builds the opposite-spin tables while the device works on the same-spin parts.
class GramDensities {
 public:
  GramDensities(const Space& space, const Backend& device)  // the space must outlive it
      : space_(space),
        device_(device),
        first_row_(device, 0, kMemoryLabel),
        list_of_(device, 0, kMemoryLabel),
        positions_(device, 0, kMemoryLabel),
        found_(device, 0, kMemoryLabel) {
    std::vector<Index> first;
    std::vector<StringNumber> lists;
    for (Index a = 0; a < count(Spin::alpha); ++a) {
      first.push_back(space.first_row(a));
      lists.push_back(space.list_of(a));
    }
    first_row_ = copied(first, device, kMemoryLabel);
    list_of_ = copied(lists, device, kMemoryLabel);
    if (space.dimension() != count(Spin::alpha) * count(Spin::beta))
      positions_ = copied(places_in_lists(space), device, kMemoryLabel);
    const auto tables = [&space] { return MixedTables(space); };
    mixed_to_come_ = base::run_in_background(device.host(), tables);
  }

  /// False if there are too many lists to hold their positions, if lists are too short for this to
  /// pay, or if there are as many lines as determinants.
  static bool suit(const Space& space) {
    constexpr Index kStringsOfList = 8;
    constexpr Index kMostPositions = Index{1} << 24;
    /// Bytes on the host, before they are copied.
    constexpr Index kOfLine = 3 * Index{sizeof(GramLine)};
    const Index alphas = std::ssize(space.strings(Spin::alpha));
    const Index lines = alphas * space.electrons(Spin::alpha) * space.orbitals();
    return space.dimension() > 0 && space.lists() * kStringsOfList <= alphas &&
           space.lists() * std::ssize(space.strings(Spin::beta)) <= kMostPositions &&
           lines <= space.dimension() && lines * kOfLine <= space.host().host_memory().left() / 4;
  }

  void add_same(Spin spin, const double* x, const SameSpinSums& sums, cudaStream_t stream) {
    if (space_.electrons(spin) < 2) return;
    const bool are_alike =
        std::ranges::equal(space_.strings(Spin::alpha), space_.strings(Spin::beta));
    auto& lists = same_[are_alike ? 0 : static_cast<std::size_t>(spin)];
    if (!lists) lists = std::make_unique<GramLists>(pairs_of_electrons(spin), device_);
    if (spin == Spin::alpha)
      lists->launch(AlphaLines{places(x)}, count(Spin::beta), SameSpinPairSums{sums}, stream);
    else
      lists->launch(BetaColumns{places(x)}, count(Spin::alpha), SameSpinPairSums{sums}, stream);
  }

  /// `counts_half`: for an even or odd state, half of each sum; the other half is its image under
  /// the exchange of alpha and beta.
  void add_mixed(const double* x, bool counts_half, const MixedSums& sums, cudaStream_t stream) {
    if (space_.electrons(Spin::alpha) < 1 || space_.electrons(Spin::beta) < 1) return;
    if (!mixed_) {
      const MixedTables tables =
          mixed_to_come_.valid() ? mixed_to_come_.get() : MixedTables(space_);
      mixed_ = std::make_unique<GramLists>(tables.electrons_of_alpha, device_);
      found_ = copied(tables.found, device_, kMemoryLabel);
      residues_ = tables.residues;
    }
    mixed_->launch(MixedLines{places(x), found_.data(), residues_, counts_half}, residues_, sums,
                   stream);
  }

 private:
  static constexpr const char* kMemoryLabel = "the strings with electrons taken out";

  Index count(Spin spin) const { return std::ssize(space_.strings(spin)); }

  SpacePlaces places(const double* x) const {
    return {x, first_row_.data(), list_of_.data(),
            positions_.size() > 0 ? positions_.data() : nullptr, count(Spin::beta)};
  }

  GramGroups pairs_of_electrons(Spin spin) const {
    GramGroups groups;
    StringsWithFewerElectrons(space_, spin, 2)
        .for_each_group([&](std::span<const StringsWithFewerElectrons::Entry> group) {
          for (const StringsWithFewerElectrons::Entry& entry : group)
            groups.lines.push_back(line_of(space_, spin, entry));
          groups.close();
        });
    return groups;
  }

  const Space& space_;
  Backend device_;
  Array<Index> first_row_;
  Array<StringNumber> list_of_;
  Array<StringNumber> positions_;  // lists x betas; empty if all pairs are determinants
  Array<StringNumber> found_;      // see MixedLines
  Index residues_ = 0;             // number of beta residues
  std::array<std::unique_ptr<GramLists>, 2> same_;
  std::unique_ptr<GramLists> mixed_;
  std::future<MixedTables> mixed_to_come_;  // valid until its first use
};

}  // namespace cisolve::ci::cuda
