#include "job/plan/shares.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number.hpp"
#include "base/text.hpp"
#include "ci/factorised/couplings_view.hpp"
#include "ci/flip/flip_shares.hpp"
#include "job/plan/plan.hpp"
#include "job/plan/prediction.hpp"

namespace cisolve::job {
namespace {

constexpr double kNumberBytes = sizeof(double);
constexpr int kRunsOfRank = 4;  // of alpha strings, as ci::DealtStrings has them

/// Even shares of the rows of one problem, as rank 0 has its own.
class EvenShares {
 public:
  EvenShares(const Request& request, const Counts& counts, const Network& network, const Plan& plan)
      : counts_(counts),
        plan_(plan),
        of_functions_(request.space.spin && is_molecular(request)),
        by_halves_(!of_functions_ && is_found_among_halves(request, counts, plan)),
        ranks_(network.ranks),
        vectors_(vectors_at_once(request)),
        rows_(network.ranks, counts.rows / network.ranks) {}

  double own_rows() const { return rows_.front(); }
  /// Numbers of a vector of a rank that the solver has.
  double own_numbers() const { return by_halves_ ? own_rows() / 2 : own_rows(); }
  /// Numbers that halves take beside a whole vector: an image, and halves of others.
  double beside_halves() const {
    return by_halves_ ? std::max(own_rows(), staged()) + staged() : 0;
  }

  /// String matrices of as many electrons of either spin flip vectors.
  bool flips() const {
    return factorises(plan_.storage) && counts_.factors && counts_.factors->flips;
  }

  Traffic traffic() const { return of_functions_ ? of_product() + of_changes() : of_product(); }

  /// Numbers that a rank has room for beside its own rows of vectors, at least: of one vector.
  /// Those of functions of a spin are at most as many as determinants.
  double gathered() const {
    return of_vectors() + beside_halves() + (of_functions_ ? 2 * counts_.rows : 0);
  }

 private:
  Traffic of_product() const {
    if (factorises(plan_.storage)) return of_factors();
    // A host brings whole vectors piece by piece, as the layout has them: one for each rank. It
    // fetches what stored elements need, a device brings all.
    if (plan_.computes() || plan_.mixes() || plan_.on_device)
      return computed_product(rows_, 0, plan_.on_device ? 1 : ranks_, vectors_);
    return fetch(fetched(), fetched(), vectors_);
  }

  /// All vectors of functions become ones of determinants on each rank, and back.
  Traffic of_changes() const {
    const ChangedVectors all{.functions = rows_,
                             .pieces_of_functions = plan_.on_device ? 1.0 : ranks_,
                             .determinants = rows_,
                             .pieces = plan_.on_device ? 1 : pieces()};
    return changes(all, 0, vectors_);
  }

  double of_vectors() const {
    const double whole = std::max(counts_.rows, 2 * own_rows());  // or what is flipped
    if (plan_.on_device) return whole;
    if (factorises(plan_.storage)) return whole + (flips() ? own_rows() : 0);  // once flipped
    if (plan_.computes() || plan_.mixes()) return counts_.rows;
    constexpr int kOfFetching = 3;  // what is given, what comes, and where it is to stand
    return own_rows() + kOfFetching * fetched();
  }

  /// At most: every element may need another row, until there are no others.
  double fetched() const {
    return std::min(counts_.rows - own_rows(), std::max(counts_.nonzeros, counts_.rows) / ranks_);
  }

  double staged() const {
    const auto strings = static_cast<double>((ranks_ - 1) * counts_.factors->longest);
    return std::max(
        strings, static_cast<double>(ci::FlipShares::staged_of(static_cast<Index>(counts_.rows))));
  }

  /// As an even share of one list: half of the own halves have flips in rows of other ranks.
  Traffic of_halves() const {
    const std::vector<double> halves(ranks_, own_rows() / 2);
    const double of_others = own_rows() / 2 * (ranks_ - 1);
    const double told = of_others / ranks_;
    const double rounds = std::ceil(of_others / std::max(own_rows(), staged()));
    return halved_product({.halves = halves,
                           .pieces = rounds * (plan_.on_device ? 1 : ranks_),
                           .sent = told,
                           .received = told},
                          0, vectors_);
  }

  Traffic of_factors() const {
    if (by_halves_) return of_halves();
    // As an even share of one list has them; others cost as much together.
    const double strings = std::sqrt(counts_.rows);
    const std::vector<FlippedStrings> all = {{std::vector<double>(ranks_, strings / ranks_),
                                              std::vector<double>(ranks_, strings / ranks_)}};
    FlippedVectors flipped;
    if (flips()) flipped = {.strings = all, .times = plan_.on_device ? 1 : 2, .sums = 1};
    return factorised_product(rows_, 0, plan_.on_device ? 1 : pieces(), flipped, vectors_);
  }

  /// Of neighbouring rows that a vector has on all ranks.
  double pieces() const { return factorises(plan_.storage) ? kRunsOfRank * ranks_ : ranks_; }

  const Counts& counts_;
  const Plan& plan_;
  bool of_functions_;
  bool by_halves_;
  int ranks_;
  int vectors_;
  std::vector<double> rows_;
};

/// States come to the first rank one after the other, while each has its rows of all.
double results_of(const Request& request, double rows) {
  return kNumberBytes * rows * static_cast<double>(request.solver.states + 1);
}

/// String matrices are the same on each rank; of elements each has its own.
Index matrix_of(const Plan& plan, int ranks) {
  const Index all = plan.demand.matrix;
  return plan.computes() ? all : (all + ranks - 1) / ranks;
}

}  // namespace

std::optional<double> RankShare::efficiency() const {
  if (!computed_seconds) return std::nullopt;
  return *computed_seconds / std::max(*computed_seconds + told_seconds, 1e-300);
}

void share_out(const Request& request, const Counts& counts, const Resources& resources,
               Plan& plan) {
  const Network& network = resources.network;
  if (network.ranks < 2) return;
  const EvenShares shares(request, counts, network, plan);
  RankShare share{
      .ranks = network.ranks,
      .matrix = matrix_of(plan, network.ranks),
      .vectors = least_vectors(request, shares.own_numbers(), plan.on_device, resources.host),
      .whole = whole_bytes(kNumberBytes * shares.gathered()),
      .beside = whole_bytes(kNumberBytes * shares.beside_halves()),
      .results = whole_bytes(results_of(request, counts.rows)),
      .traffic = shares.traffic()};
  share.told_seconds = network.seconds(share.traffic);
  if (plan.product_seconds) {
    share.computed_seconds = *plan.product_seconds / network.ranks;
    plan.product_seconds = *share.computed_seconds + share.told_seconds;
  }
  if (plan.making_seconds && !plan.computes())
    plan.making_seconds = *plan.making_seconds / network.ranks;
  const Index solving = share.vectors + share.whole;
  plan.demand = {share.matrix, plan.on_device ? solving : std::max(solving, share.results)};
  plan.share = share;
}

void share_mixed(const RankShare& stored, const RankShare& computed, double part, Plan& plan) {
  RankShare share = computed;
  share.matrix = plan.demand.matrix;
  if (stored.computed_seconds && computed.computed_seconds) {
    share.computed_seconds =
        part * *stored.computed_seconds + (1 - part) * *computed.computed_seconds;
    plan.product_seconds = *share.computed_seconds + share.told_seconds;
  }
  plan.share = share;
}

std::string what_is_missing(const Plan& plan, const Counts& counts, Index host) {
  constexpr Index most = ci::TargetMove::kMostTargets;
  std::string missing;
  const auto add = [&](const std::string& what) {
    missing += (missing.empty() ? "" : "; ") + what;
  };
  const Index held = plan.demand.matrix + plan.demand.vectors;
  if (!plan.fits())
    add(base::concat("each rank lacks ", base::human_bytes(held - plan.limit), " of ",
                     base::human_bytes(held)));
  if (factorises(plan.storage) && counts.factors && counts.factors->longest > most)
    add(base::concat("lists have ", base::grouped(counts.factors->longest),
                     " beta strings, of which string matrices number ", base::grouped(most)));
  if (plan.share && plan.share->results > host)
    add(base::concat("the first rank's host lacks ", base::human_bytes(plan.share->results - host),
                     " of ", base::human_bytes(plan.share->results), " for the states"));
  return missing;
}

}  // namespace cisolve::job
