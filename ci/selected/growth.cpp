#include "ci/selected/growth.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/loops.hpp"
#include "ci/selected/connection_walk.hpp"
#include "ci/selected/sorted_sets.hpp"
#include "ci/selected/spin_partners.hpp"

namespace cisolve::ci {
namespace {

constexpr Index kRowsOfThread = 64;             // counted at a time
constexpr Index kCandidatesOfThread = 1 << 17;  // sorted at a time: they stay in a cache

/// The candidates that the rows of a list generate, batch after batch.
template <int W>
class Candidates {
  using Packed = PackedDeterminant<W>;

 public:
  Candidates(const SelectedList<W>& list, const HeatBathView& tables,
             std::span<const double> thresholds)
      : list_(list),
        tables_(tables),
        thresholds_(thresholds),
        offsets_(list.host(), list.size() + 1, "the candidate counts"),
        found_(list.host(), 0, kMemoryLabel) {
    count();
  }

  Index total() const { return offsets_[list_.size()]; }
  Index batches() const { return batches_; }

  /// All that are not in the list, ascending and without repeats.
  base::Array<Packed> collect(Index batch_bytes) {
    const Index most = std::max<Index>(1, batch_bytes / Index{2 * sizeof(Packed)});
    for (Index first = 0; first < list_.size();) {
      const Index last = end_of_batch(first, most);
      if (offsets_[last] > offsets_[first]) add_batch(first, last);
      first = last;
    }
    return std::move(found_);
  }

 private:
  static constexpr const char* kMemoryLabel = "the candidates of a selected space";
  static constexpr std::size_t kSeen = 1 << 15;  // last candidates with some hashes

  static std::size_t place_of(const Packed& candidate) {
    std::uint64_t hash = 0;
    for (int w = 0; w < W; ++w) {
      hash = (hash ^ candidate.alpha.words[w]) * 0x9E3779B97F4A7C15;
      hash = (std::rotl(hash, 29) ^ candidate.beta.words[w]) * 0xBF58476D1CE4E5B9;
    }
    return (hash >> 32) % kSeen;
  }

  template <class Visit>
  void visit_row(Index row, Visit&& visit) const {
    for_each_connection(tables_, list_.determinants()[row], thresholds_[row],
                        list_.expanded_to()[row], visit);
  }

  void count() {
    offsets_[0] = 0;
    base::for_each_chunk(list_.size(), kRowsOfThread, list_.host(), [&](Index first, Index last) {
      for (Index row = first; row < last; ++row) {
        Index count = 0;
        visit_row(row, [&](const Packed&, double) { ++count; });
        offsets_[row + 1] = count;
      }
    });
    for (Index row = 0; row < list_.size(); ++row) offsets_[row + 1] += offsets_[row];
  }

  /// The end of a batch of at least one row, then of as many as have `most` candidates together.
  Index end_of_batch(Index first, Index most) const {
    const auto offsets = offsets_.span();
    const Index end =
        std::upper_bound(offsets.begin() + first, offsets.end(), offsets[first] + most) -
        offsets.begin() - 1;
    return std::clamp<Index>(end, first + 1, list_.size());
  }

  void add_batch(Index first, Index last) {
    ++batches_;
    const base::Backend& host = list_.host();
    const Index begin = offsets_[first];
    base::Array<Packed> batch(host, offsets_[last] - begin, kMemoryLabel);
    const std::vector<Index> cuts = cuts_of(first, last);
    std::vector<Index> kept(cuts.size());
    base::for_each_chunk(std::ssize(cuts) - 1, 1, host, [&](Index part, Index) {
      Packed* next = batch.data() + (offsets_[cuts[part]] - begin);
      Packed* const start = next;
      // Neighbouring rows generate the same again and again: most of that need not be sorted.
      std::vector<Packed> seen(kSeen);
      for (Index row = cuts[part]; row < cuts[part + 1]; ++row)
        visit_row(row, [&](const Packed& candidate, double) {
          Packed& same_place = seen[place_of(candidate)];
          if (same_place == candidate) return;
          *next++ = same_place = candidate;
        });
      std::vector<Packed> scratch(static_cast<std::size_t>(next - start));
      sort_by_bytes(std::span<Packed>(start, next), std::span<Packed>(scratch), 2 * W,
                    [](const Packed& one, int w) {
                      return w < W ? one.beta.words[w] : one.alpha.words[w - W];
                    });
      kept[part] = keep_new(std::span<Packed>(start, next), list_.determinants());
    });
    Index size = 0;
    for (Index part = 0; part + 1 < std::ssize(cuts); ++part) {
      const Packed* const from = batch.data() + (offsets_[cuts[part]] - begin);
      std::copy(from, from + kept[part], batch.data() + size);
      size += kept[part];
    }
    unite(batch.span().first(static_cast<std::size_t>(size)));
  }

  /// Rows at which the work of a thread begins, and the end.
  std::vector<Index> cuts_of(Index first, Index last) const {
    std::vector<Index> cuts = {first};
    for (Index row = first; row < last; ++row)
      if (offsets_[row + 1] - offsets_[cuts.back()] > kCandidatesOfThread && row > cuts.back())
        cuts.push_back(row);
    cuts.push_back(last);
    return cuts;
  }

  /// Adds the candidates of a batch, in any order, to what was found.
  void unite(std::span<Packed> batch) {
    const base::Backend& host = list_.host();
    {
      base::Array<Packed> scratch(host, std::ssize(batch), kMemoryLabel);
      sort_on_threads(batch, scratch.span(), host);
    }
    const Index fresh = keep_new(batch, std::span<const Packed>(found_.span()));
    base::Array<Packed> both(host, found_.size() + fresh, kMemoryLabel);
    std::ranges::merge(found_.span(), batch.first(static_cast<std::size_t>(fresh)), both.data());
    found_ = std::move(both);
  }

  const SelectedList<W>& list_;
  const HeatBathView tables_;
  std::span<const double> thresholds_;
  base::Array<Index> offsets_;  // where the candidates of each row start
  base::Array<Packed> found_;
  Index batches_ = 0;
};

/// New determinants with their spin partners, and with those that the list itself lacks.
template <int W>
base::Array<PackedDeterminant<W>> completed(const SelectedList<W>& list,
                                            base::Array<PackedDeterminant<W>> fresh) {
  if (list.is_spin_complete()) return with_spin_partners(list, std::as_const(fresh).span());
  base::Array<PackedDeterminant<W>> all(list.host(), list.size() + fresh.size(),
                                        "the determinants that complete configurations");
  std::ranges::merge(list.determinants(), fresh.span(), all.data());
  return with_spin_partners(list, std::as_const(all).span());
}

}  // namespace

template <int W>
base::Array<double> expansion_thresholds(const SelectedList<W>& list, const HeatBathTables& tables,
                                         base::ConstBlock coefficients, double epsilon) {
  if (coefficients.rows != list.size() || coefficients.columns < 1)
    base::fail(base::ErrorKind::bad_input, coefficients.rows, " coefficients of ",
               coefficients.columns, " states for ", list.size(),
               " determinants; expected equal numbers for each state");
  if (tables.orbitals() != list.orbitals() || tables.electrons() != list.electrons())
    base::fail(base::ErrorKind::bad_input, "tables of ", tables.electrons().alpha, " + ",
               tables.electrons().beta, " electrons in ", tables.orbitals(),
               " orbitals and determinants of ", list.electrons().alpha, " + ",
               list.electrons().beta, " in ", list.orbitals(), "; expected the same of both");
  if (!(epsilon >= 0))
    base::fail(base::ErrorKind::bad_input, "a selection threshold of ", epsilon,
               "; expected a number of 0 or more");
  base::Array<double> thresholds(list.host(), list.size(), "thresholds of selected determinants");
  for (Index row = 0; row < list.size(); ++row) {
    double largest = 0;
    for (int state = 0; state < coefficients.columns; ++state) {
      const double c = std::abs(coefficients(row, state));
      if (!std::isfinite(c))
        base::fail(base::ErrorKind::bad_input, "coefficient ", row + 1, " of state ", state + 1,
                   " is not a finite number");
      largest = std::max(largest, c);
    }
    thresholds[row] = largest > 0 ? epsilon / largest : kNotExpanded;
    if (thresholds[row] < tables.least())
      base::fail(base::ErrorKind::bad_input, "elements of at least ", thresholds[row],
                 " are needed, but the heat-bath tables hold only those of at least ",
                 tables.least(),
                 "; expected tables for the smallest threshold, with coefficients up to 1");
  }
  return thresholds;
}

template <int W>
GrowthResult grow(SelectedList<W>& list, const HeatBathTables& tables,
                  base::ConstBlock coefficients, const GrowthOptions& options) {
  const base::Backend& host = list.host();
  const auto thresholds = expansion_thresholds(list, tables, coefficients, options.epsilon);
  Candidates<W> candidates(list, tables.view(), thresholds.span());
  base::Array<PackedDeterminant<W>> fresh = candidates.collect(
      options.candidate_bytes > 0 ? options.candidate_bytes : host.host_memory().left() / 4);
  if (options.complete_spin) fresh = completed(list, std::move(fresh));
  const Index total = candidates.total();
  base::Array<Index> row_of_old = list.add(fresh.span(), options.complete_spin, thresholds.span());
  return {total, fresh.size(), candidates.batches(), std::move(row_of_old)};
}

template base::Array<double> expansion_thresholds(const SelectedList<1>&, const HeatBathTables&,
                                                  base::ConstBlock, double);
template base::Array<double> expansion_thresholds(const SelectedList<2>&, const HeatBathTables&,
                                                  base::ConstBlock, double);
template base::Array<double> expansion_thresholds(const SelectedList<4>&, const HeatBathTables&,
                                                  base::ConstBlock, double);
template GrowthResult grow(SelectedList<1>&, const HeatBathTables&, base::ConstBlock,
                           const GrowthOptions&);
template GrowthResult grow(SelectedList<2>&, const HeatBathTables&, base::ConstBlock,
                           const GrowthOptions&);
template GrowthResult grow(SelectedList<4>&, const HeatBathTables&, base::ConstBlock,
                           const GrowthOptions&);

}  // namespace cisolve::ci
