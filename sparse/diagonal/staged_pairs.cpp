#include "sparse/diagonal/staged_pairs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "base/loops.hpp"
#include "sparse/diagonal/warp_assignment.hpp"

namespace cisolve::sparse {
namespace {

using Work = StagedPairs::Work;

constexpr int kRows = StagedPairs::kRows;
constexpr int kMost = kRows + 2;  // values of kRows rows, extended to even ends
static_assert(StagedPairs::kValues / kMost <= StagedPairs::kMostSegments);
static_assert(StagedPairs::kOutputs <= StagedPairs::kEnd);
static_assert(StagedPairs::kWarps <= 2 * StagedPairs::kHead);

std::int32_t to_int32(Index number) { return static_cast<std::int32_t>(number); }

/// A pair of a block, and the block's output that it belongs to.
struct Pair {
  Index number;
  Index step;
  int output;
};

/// Values of a diagonal of B in a stage: those for steps from `least` to `largest`.
struct Span {
  Index base;
  Index least;
  Index largest;
  int place = 0;  // position of row `least` relative to the block's first row
};

/// Pairs of a block assigned to one stage, and the values they need.
struct Draft {
  std::span<const Pair> pairs;
  std::vector<Index> steps = {};
  std::map<Index, Span> spans = {};  // keyed by the shift in B
};

/// The stages of one block of outputs.
class BlockOfOutputs {
 public:
  BlockOfOutputs(const ProductPairs& all, Index first, Index last) : all_(all), first_(first) {
    for (Index output = first; output < last; ++output)
      for (Index pair = all.offsets[output]; pair < all.offsets[output + 1]; ++pair)
        pairs_.push_back({pair, all.steps[pair], static_cast<int>(output - first)});
    std::ranges::stable_sort(pairs_, {}, &Pair::step);
    std::vector<Draft> drafts;
    for (std::size_t done = 0; done < pairs_.size(); done += drafts.back().pairs.size())
      drafts.push_back(draft(done));
    const WarpAssignment crew(works_of(drafts, last - first));
    for (Draft& draft : drafts) add_stage(draft, crew);
    plan.blocks = {{0, to_int32(std::ssize(plan.stages)), all.outputs[first].shift,
                    all.outputs[last - 1].shift}};
    plan.members.assign(Index{StagedPairs::kWarps} * StagedPairs::kOutputs, StagedPairs::kNone);
    for (int output = 0; output < last - first; ++output)
      plan.members[crew.warp(output) * StagedPairs::kOutputs + crew.slot(output)] =
          to_int32(first + output);
  }

  StagedPairs plan;

 private:
  Index shift_of_b(const Pair& pair) const {
    return all_.outputs[first_ + pair.output].shift - pair.step;
  }

  /// Takes as many pairs from `begin` on as fit into a stage.
  Draft draft(std::size_t begin) const {
    Draft stage{std::span(pairs_).subspan(begin)};
    Index values =
        StagedPairs::kHead + StagedPairs::kWarps + 1;  // one list end per warp, made even
    std::size_t count = 0;
    for (; count < stage.pairs.size(); ++count) {
      const Pair& pair = stage.pairs[count];
      const bool is_new_step = stage.steps.empty() || stage.steps.back() != pair.step;
      const auto found = stage.spans.find(shift_of_b(pair));
      const bool is_new_span = found == stage.spans.end();
      const Index more =
          1 + (is_new_step ? kMost : 0) + (is_new_span ? kMost : pair.step - found->second.largest);
      if (values + more > StagedPairs::kValues) break;
      values += more;
      if (is_new_step) stage.steps.push_back(pair.step);
      if (is_new_span)
        stage.spans[shift_of_b(pair)] = {all_.pairs[pair.number].b, pair.step, pair.step};
      else
        found->second.largest = pair.step;
    }
    stage.pairs = stage.pairs.first(count);
    return stage;
  }

  static std::vector<std::vector<Index>> works_of(const std::vector<Draft>& drafts, Index outputs) {
    std::vector works(outputs, std::vector<Index>(drafts.size()));
    for (std::size_t stage = 0; stage < drafts.size(); ++stage)
      for (const Pair& pair : drafts[stage].pairs) ++works[pair.output][stage];
    return works;
  }

  /// Adds a segment of `count` values from `base` on, of which the first is in row `first`; returns
  /// its position.
  int add_segment(Index base, Index first, Index count, Index low, Index high, bool of_b) {
    const Index odd = base & 1;
    count = (count + odd + 1) / 2 * 2;
    plan.segments.push_back({base - odd, to_int32(first - odd), to_int32(count), to_int32(low),
                             to_int32(high), target_, of_b ? 1 : 0});
    plan.longest = std::max(plan.longest, count);
    const int place = target_ + static_cast<int>(odd);
    target_ += static_cast<int>(count);
    return place;
  }

  void add_stage(Draft& draft, const WarpAssignment& crew) {
    const Index works = std::ssize(draft.pairs) + StagedPairs::kWarps;
    const Index words = StagedPairs::kHead + (works + 1) / 2 * 2;
    plan.stages.push_back({to_int32(std::ssize(plan.words)), to_int32(words),
                           to_int32(std::ssize(plan.segments)), 0, to_int32(draft.steps.front()),
                           to_int32(draft.steps.back())});
    target_ = static_cast<int>(words);
    const std::vector<int> slots = add_segments(draft);
    plan.stages.back().last_segment = to_int32(std::ssize(plan.segments));
    add_words(draft, slots, crew);
    plan.words.resize(plan.stages.back().first_word + words, Work{0, StagedPairs::kEnd});
  }

  /// Returns the positions of A's values by step; writes those of B's values to their spans.
  std::vector<int> add_segments(Draft& draft) {
    std::vector<int> slots;
    for (const Pair& pair : draft.pairs)
      if (slots.size() < draft.steps.size() && pair.step == draft.steps[slots.size()])
        slots.push_back(add_segment(all_.pairs[pair.number].a, 0, kRows,
                                    std::max<Index>(0, -pair.step),
                                    std::min(all_.rows, all_.inner - pair.step), false));
    for (auto& [shift, span] : draft.spans)
      span.place =
          add_segment(span.base, span.least, kRows + span.largest - span.least,
                      std::max<Index>(0, -shift), std::min(all_.inner, all_.columns - shift), true);
    return slots;
  }

  void add_words(const Draft& draft, const std::vector<int>& slots, const WarpAssignment& crew) {
    std::array<std::vector<Work>, StagedPairs::kWarps> lists;
    int slot = 0;
    for (const Pair& pair : draft.pairs) {
      while (draft.steps[slot] != pair.step) ++slot;
      const Span& span = draft.spans.at(shift_of_b(pair));
      lists[crew.warp(pair.output)].push_back(
          Work::of(slots[slot], span.place + static_cast<int>(pair.step - span.least),
                   static_cast<std::uint32_t>(crew.slot(pair.output))));
    }
    std::array<std::array<std::uint32_t, 2>, StagedPairs::kHead> begins{};
    std::uint32_t place = 8 * StagedPairs::kHead;
    for (int warp = 0; warp < StagedPairs::kWarps; ++warp) {
      std::ranges::stable_sort(lists[warp], {}, &Work::output);
      lists[warp].push_back({0, StagedPairs::kEnd});
      begins[warp / 2][warp % 2] = place;
      place += 8 * static_cast<std::uint32_t>(lists[warp].size());
    }
    for (const auto& [even, odd] : begins) plan.words.push_back({even, odd});
    for (const auto& list : lists) plan.words.insert(plan.words.end(), list.begin(), list.end());
  }

  const ProductPairs& all_;
  Index first_;
  std::vector<Pair> pairs_;
  int target_ = 0;  // position of the next segment
};

void append(StagedPairs& all, const StagedPairs& more) {
  const std::int32_t stages = to_int32(std::ssize(all.stages));
  const std::int32_t segments = to_int32(std::ssize(all.segments));
  const std::int32_t words = to_int32(std::ssize(all.words));
  for (StagedPairs::Block block : more.blocks) {
    block.first_stage += stages;
    block.last_stage += stages;
    all.blocks.push_back(block);
  }
  for (StagedPairs::Stage stage : more.stages) {
    stage.first_word += words;
    stage.first_segment += segments;
    stage.last_segment += segments;
    all.stages.push_back(stage);
  }
  all.members.insert(all.members.end(), more.members.begin(), more.members.end());
  all.segments.insert(all.segments.end(), more.segments.begin(), more.segments.end());
  all.words.insert(all.words.end(), more.words.begin(), more.words.end());
  all.longest = std::max(all.longest, more.longest);
}

/// If diagonals are dense, fewer outputs per block leave shared memory for more of them.
Index block_outputs_for(const ProductPairs& all) {
  constexpr Index kOfBlock = Index{StagedPairs::kWarps} * StagedPairs::kOutputs;
  const Index outputs = std::ssize(all.outputs);
  const Index range = outputs == 0 ? 1 : all.outputs.back().shift - all.outputs.front().shift + 1;
  const bool is_dense = std::ssize(all.pairs) * 8 > outputs * range;
  return is_dense ? kOfBlock / 2 : kOfBlock;
}

}  // namespace

StagedPairs StagedPairs::of(const ProductPairs& all, const base::Backend& host) {
  const Index count = std::ssize(all.outputs);
  const Index block_outputs = block_outputs_for(all);
  std::vector<StagedPairs> blocks((count + block_outputs - 1) / block_outputs);
  base::for_each_chunk(std::ssize(blocks), 1, host, [&](Index block, Index) {
    const Index first = block * block_outputs;
    blocks[block] =
        std::move(BlockOfOutputs(all, first, std::min(count, first + block_outputs)).plan);
  });
  std::ranges::stable_sort(blocks, std::ranges::greater{},
                           [](const StagedPairs& block) { return block.words.size(); });
  StagedPairs staged;
  for (const StagedPairs& block : blocks) append(staged, block);
  return staged;
}

}  // namespace cisolve::sparse
