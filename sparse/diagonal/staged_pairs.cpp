#include "sparse/diagonal/staged_pairs.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/loops.hpp"

namespace cisolve::sparse {
namespace {

using Segment = StagedPairs::Segment;

constexpr int kRows = StagedPairs::kRows;
constexpr int kMost = kRows + 2;  // values of as many rows, which begin and end at even places

/// A pair of a block, and which of the block's outputs it is for.
struct Pair {
  Index number;
  Index step;
  int output;
};

/// Where the values of a diagonal of B stand in a stage: those for steps from `least` on.
struct Span {
  Index base;
  Index least;
  Index largest;
  int place = 0;  // of the row that is `least` beyond the first one
};

/// The stages of one block of outputs.
class Block {
 public:
  Block(const ProductPairs& all, Index first, Index last) : all_(all), first_(first) {
    for (Index output = first; output < last; ++output)
      for (Index pair = all.offsets[output]; pair < all.offsets[output + 1]; ++pair)
        pairs_.push_back({pair, all.steps[pair], static_cast<int>(output - first)});
    std::ranges::stable_sort(pairs_, {}, &Pair::step);
    for (std::size_t begin = 0; begin < pairs_.size();) begin = add_stage(begin);
  }

  StagedPairs plan;

 private:
  Index shift_of_b(const Pair& pair) const {
    return all_.outputs[first_ + pair.output].shift - pair.step;
  }

  /// As many pairs from `begin` on as there is room for; returns where the next ones begin.
  std::size_t add_stage(std::size_t begin) {
    spans_.clear();
    steps_.clear();
    Index values = 0;
    std::size_t end = begin;
    for (; end < pairs_.size(); ++end) {
      const Pair& pair = pairs_[end];
      const bool is_new_step = steps_.empty() || steps_.back() != pair.step;
      const auto found = spans_.find(shift_of_b(pair));
      const bool is_new_span = found == spans_.end();
      const Index more =
          (is_new_step ? kMost : 0) + (is_new_span ? kMost : pair.step - found->second.largest);
      if (values + more > StagedPairs::kValues) break;
      values += more;
      if (is_new_step) steps_.push_back(pair.step);
      if (is_new_span)
        spans_[shift_of_b(pair)] = {all_.pairs[pair.number].b, pair.step, pair.step};
      else
        found->second.largest = pair.step;
    }
    add_segments(begin, end);
    add_works(begin, end);
    return end;
  }

  /// Brings `count` values from `base` on, the first of which is of row `first`; where that stands.
  int add_segment(Index base, Index first, Index count, Index low, Index high, bool of_b) {
    const Index odd = base & 1;
    count = (count + odd + 1) / 2 * 2;
    const auto narrow = [](Index number) { return static_cast<std::int32_t>(number); };
    plan.segments.push_back({base - odd, narrow(first - odd), narrow(count), narrow(low),
                             narrow(high), target_, of_b ? 1 : 0});
    const int place = target_ + static_cast<int>(odd);
    target_ += static_cast<int>(count);
    return place;
  }

  void add_segments(std::size_t begin, std::size_t end) {
    const auto first = static_cast<std::int32_t>(std::ssize(plan.segments));
    target_ = 0;
    slots_.clear();
    for (std::size_t k = begin; k < end; ++k)
      if (k == begin || pairs_[k].step != pairs_[k - 1].step)
        slots_.push_back(add_segment(all_.pairs[pairs_[k].number].a, 0, kRows,
                                     std::max<Index>(0, -pairs_[k].step),
                                     std::min(all_.rows, all_.inner - pairs_[k].step), false));
    for (auto& [shift, span] : spans_)
      span.place =
          add_segment(span.base, span.least, kRows + span.largest - span.least,
                      std::max<Index>(0, -shift), std::min(all_.inner, all_.columns - shift), true);
    plan.stages.push_back({first, static_cast<std::int32_t>(std::ssize(plan.segments)),
                           static_cast<std::int32_t>(steps_.front()),
                           static_cast<std::int32_t>(steps_.back())});
  }

  void add_works(std::size_t begin, std::size_t end) {
    std::array<std::vector<StagedPairs::Work>, StagedPairs::kWarps> works;
    int slot = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const Pair& pair = pairs_[k];
      while (steps_[slot] != pair.step) ++slot;
      const Span& span = spans_[shift_of_b(pair)];
      works[pair.output % StagedPairs::kWarps].push_back(
          StagedPairs::work(pair.output / StagedPairs::kWarps, slots_[slot],
                            span.place + static_cast<int>(pair.step - span.least)));
    }
    for (auto& list : works) {
      std::ranges::stable_sort(list, {}, [](StagedPairs::Work work) { return work & 15U; });
      plan.first_works.push_back(static_cast<std::int32_t>(std::ssize(plan.works)));
      plan.works.insert(plan.works.end(), list.begin(), list.end());
    }
  }

  const ProductPairs& all_;
  Index first_;
  std::vector<Pair> pairs_;
  std::map<Index, Span> spans_;  // by the shift in B
  std::vector<Index> steps_;
  std::vector<int> slots_;  // where the values of A stand, of each step
  int target_ = 0;
};

void append(StagedPairs& all, const StagedPairs& block) {
  const auto segments = static_cast<std::int32_t>(std::ssize(all.segments));
  const auto works = static_cast<std::int32_t>(std::ssize(all.works));
  all.first_stages.push_back(static_cast<std::int32_t>(std::ssize(all.stages)));
  for (StagedPairs::Stage stage : block.stages) {
    stage.first_segment += segments;
    stage.last_segment += segments;
    all.stages.push_back(stage);
  }
  for (const std::int32_t first : block.first_works) all.first_works.push_back(first + works);
  all.segments.insert(all.segments.end(), block.segments.begin(), block.segments.end());
  all.works.insert(all.works.end(), block.works.begin(), block.works.end());
}

/// Where diagonals lie side by side, fewer outputs leave room for more of them.
Index block_outputs_for(const ProductPairs& all) {
  constexpr Index kOfDense = 64;
  const Index outputs = std::ssize(all.outputs);
  const Index range = outputs == 0 ? 1 : all.outputs.back().shift - all.outputs.front().shift + 1;
  const bool is_dense = std::ssize(all.pairs) * 8 > outputs * range;
  return is_dense ? kOfDense : Index{StagedPairs::kWarps} * StagedPairs::kOutputs;
}

}  // namespace

StagedPairs StagedPairs::of(const ProductPairs& all, const base::Backend& host) {
  StagedPairs staged;
  staged.block_outputs = block_outputs_for(all);
  const Index count = std::ssize(all.outputs);
  std::vector<StagedPairs> blocks((count + staged.block_outputs - 1) / staged.block_outputs);
  base::for_each_chunk(std::ssize(blocks), 1, host, [&](Index block, Index) {
    const Index first = block * staged.block_outputs;
    blocks[block] =
        std::move(Block(all, first, std::min(count, first + staged.block_outputs)).plan);
  });
  for (const StagedPairs& block : blocks) append(staged, block);
  staged.first_stages.push_back(static_cast<std::int32_t>(std::ssize(staged.stages)));
  staged.first_works.push_back(static_cast<std::int32_t>(std::ssize(staged.works)));
  return staged;
}

}  // namespace cisolve::sparse
