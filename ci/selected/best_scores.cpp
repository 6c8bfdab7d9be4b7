#include "ci/selected/best_scores.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "ci/selected/sorted_sets.hpp"
#include "ci/selected/spin_partners.hpp"

namespace cisolve::ci {
namespace {

template <int W>
struct ScoredDeterminant {
  double score;
  PackedDeterminant<W> determinant;
  /// The better one first.
  friend bool operator<(const ScoredDeterminant& a, const ScoredDeterminant& b) {
    return a.score != b.score ? a.score > b.score : a.determinant < b.determinant;
  }
};

/// The best of all that are offered, in whatever order. Any thread may offer.
template <int W>
class BestScores {
  using Scored = ScoredDeterminant<W>;

 public:
  BestScores(Index most, const base::Backend& host) : most_(most), host_(host) {}

  void offer(const ExternalDeterminants<W>& found, std::span<const double> energies) {
    const std::size_t states = energies.size();
    const std::lock_guard lock(guard_);
    for (std::size_t k = 0; k < found.betas.size(); ++k) {
      double score = 0;
      for (std::size_t s = 0; s < states; ++s) {
        const double coupling = found.couplings[k * states + s];
        if (coupling != 0)
          score = std::max(score, coupling * coupling / std::abs(found.diagonal[k] - energies[s]));
      }
      if (score > 0) add({score, {found.alpha, found.betas[k]}});
    }
  }
  Index offered() const { return offered_; }

  /// The best first.
  std::vector<Scored> take() {
    shrink();
    std::sort(best_.begin(), best_.end());
    return std::move(best_);
  }

 private:
  void add(const Scored& scored) {
    ++offered_;
    if (most_ == 0 || (worst_ && *worst_ < scored)) return;
    if (std::ssize(best_) == 2 * most_) shrink();
    if (best_.size() == best_.capacity()) enlarge();
    best_.push_back(scored);
  }

  void enlarge() {
    constexpr Index kFirst = 1024;
    const Index size = std::min(2 * most_, std::max(kFirst, 2 * std::ssize(best_)));
    // The old and the new array exist together for a moment.
    base::Reservation more(host_.host_memory(), (size + std::ssize(best_)) * Index{sizeof(Scored)},
                           "the best determinants of a selection");
    best_.reserve(static_cast<std::size_t>(size));
    held_.emplace(std::move(more));
  }

  void shrink() {
    if (std::ssize(best_) <= most_) return;
    std::nth_element(best_.begin(), best_.begin() + most_ - 1, best_.end());
    best_.resize(static_cast<std::size_t>(most_));
    worst_ = best_.back();
  }

  Index most_;
  const base::Backend& host_;
  std::mutex guard_;
  Index offered_ = 0;
  std::vector<Scored> best_;
  std::optional<Scored> worst_;  // nothing behind it is among the best
  std::optional<base::Reservation> held_;
};

/// Whole configurations as long as they fit.
template <int W>
base::Array<PackedDeterminant<W>> best_configurations(const SelectedList<W>& list,
                                                      std::span<const ScoredDeterminant<W>> best,
                                                      Index most) {
  std::vector<PackedDeterminant<W>> chosen;
  std::set<PackedDeterminant<W>> seen;
  Index size = 0;
  for (const ScoredDeterminant<W>& one : best) {
    const PackedDeterminant<W> first = first_coupling(one.determinant);
    if (!seen.insert(first).second) continue;
    size += couplings_of(first);
    if (size > most) break;
    chosen.push_back(first);
  }
  return with_spin_partners(list, std::span<const PackedDeterminant<W>>(chosen));
}

/// The best ones alone, ascending.
template <int W>
base::Array<PackedDeterminant<W>> best_determinants(std::span<const ScoredDeterminant<W>> best,
                                                    const base::Backend& host) {
  base::Array<PackedDeterminant<W>> all(host, std::ssize(best), "selected determinants");
  for (Index i = 0; i < all.size(); ++i) all[i] = best[i].determinant;
  std::ranges::sort(all.span());
  return all;
}

template <int W>
ExternalVisitor<W> offer_to(BestScores<W>& scores, std::span<const double> energies) {
  return
      [&scores, energies](const ExternalDeterminants<W>& found) { scores.offer(found, energies); };
}

}  // namespace

template <int W>
BestScoresResult grow_to_size(SelectedList<W>& list, const HeatBathTables& tables,
                              base::ConstBlock coefficients, std::span<const double> energies,
                              Index size, bool complete_spin, const PerturbationOptions& options) {
  if (complete_spin && !list.is_spin_complete())
    base::fail(base::ErrorKind::bad_input,
               "the list does not hold all spin couplings; expected one from complete_spin()");
  const Index most = std::clamp<Index>(size - list.size(), 0, Index{1} << 56);
  BestScores<W> scores(most, list.host());
  PerturbationResult perturbation =
      perturb(list, tables, coefficients, energies, options, offer_to<W>(scores, energies));
  const std::vector<ScoredDeterminant<W>> best = scores.take();
  const auto fresh =
      complete_spin ? best_configurations(list, std::span<const ScoredDeterminant<W>>(best), most)
                    : best_determinants(std::span<const ScoredDeterminant<W>>(best), list.host());
  base::Array<Index> row_of_old = list.add(fresh.span(), complete_spin);
  return {{scores.offered(), fresh.size(), 1, std::move(row_of_old)}, std::move(perturbation)};
}

template BestScoresResult grow_to_size(SelectedList<1>&, const HeatBathTables&, base::ConstBlock,
                                       std::span<const double>, Index, bool,
                                       const PerturbationOptions&);
template BestScoresResult grow_to_size(SelectedList<2>&, const HeatBathTables&, base::ConstBlock,
                                       std::span<const double>, Index, bool,
                                       const PerturbationOptions&);
template BestScoresResult grow_to_size(SelectedList<4>&, const HeatBathTables&, base::ConstBlock,
                                       std::span<const double>, Index, bool,
                                       const PerturbationOptions&);

}  // namespace cisolve::ci
