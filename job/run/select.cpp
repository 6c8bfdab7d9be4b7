#include "job/run/select.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/random.hpp"
#include "base/stopwatch.hpp"
#include "base/text.hpp"
#include "ci/oracle/element.hpp"
#include "ci/selected/best_scores.hpp"
#include "ci/selected/extrapolation.hpp"
#include "ci/selected/growth.hpp"
#include "ci/selected/spin_partners.hpp"
#include "job/problem/lowest_determinant.hpp"

namespace cisolve::job {
namespace {

constexpr double kAutomaticLast = 1e-6;       // the smallest threshold of a schedule
constexpr double kEnoughPerturbation = 1e-3;  // Hartree: the automatic schedule ends below
constexpr double kOfEpsilon = 1e-3;           // threshold of the perturbation, relative to epsilon
constexpr double kRoundTolerance = 1e-6;      // bound of residuals of intermediate states

/// Thresholds, falling. A single one is approached in steps, which costs little and gives the
/// extrapolation its points.
std::vector<double> schedule_of(const Request::Selection& selection) {
  if (selection.epsilon.size() > 1) return selection.epsilon;
  if (selection.epsilon.size() == 1) {
    const double last = selection.epsilon.front();
    if (!selection.extrapolate) return {last};
    return {10 * last, 5 * last, 2 * last, last};
  }
  std::vector<double> schedule;
  for (double decade = 1e-3; decade > 0.5 * kAutomaticLast; decade /= 10)
    for (const double times : {1.0, 0.5, 0.2}) schedule.push_back(times * decade);
  return schedule;
}

/// Sizes, rising to the requested one.
std::vector<Index> sizes_of(Index start, Index size) {
  constexpr Index kTimes = 3;
  std::vector<Index> sizes;
  for (Index next = std::max<Index>(kTimes * start, 100); next < size; next *= kTimes)
    sizes.push_back(next);
  sizes.push_back(size);
  return sizes;
}

bool wants_perturbation(const Request& request) {
  return request.selection.perturbation != PerturbationKind::none;
}

double perturbation_epsilon(const Request& request, double epsilon) {
  constexpr double kOfSize = 1e-7;
  return request.selection.perturbation_epsilon.value_or(epsilon > 0 ? kOfEpsilon * epsilon
                                                                     : kOfSize);
}

solver::Checkpoint start_with(base::MultiVector vectors) {
  const base::Layout layout = base::Layout::whole(vectors.rows());
  return {.basis = std::move(vectors), .layout = layout};
}

/// A seeded sample of external determinants with their couplings V_a to all states: those with the
/// smallest hash values, in whatever order they arrive.
template <int W>
class CouplingSample {
 public:
  CouplingSample(std::uint64_t seed, int states)
      : seed_(seed), states_(static_cast<std::size_t>(states)) {}

  Index size() const { return std::ssize(kept_); }

  /// May be called from several threads at once.
  void look_at(const ci::ExternalDeterminants<W>& found) {
    for (std::size_t k = 0; k < found.betas.size(); ++k) {
      const std::uint64_t number = number_of(found.alpha, found.betas[k]);
      if (number >= most_.load(std::memory_order_relaxed)) continue;
      const auto couplings = found.couplings.subspan(k * states_, states_);
      keep({number,
            {found.alpha.string(), found.betas[k].string()},
            {couplings.begin(), couplings.end()}});
    }
  }

  /// The largest difference between a coupling and the sum of its terms by the oracle, relative to
  /// the sum of absolute terms. Terms |H_ai c_i| below `epsilon` in all states are left out.
  double difference(const ci::Integrals& integrals, const ci::SelectedList<W>& list,
                    const base::MultiVector& states, double epsilon) const {
    double largest = 0;
    for (const External& one : kept_)
      largest = std::max(largest, difference_of(one, integrals, list, states, epsilon));
    return largest;
  }

 private:
  struct External {
    std::uint64_t number;
    ci::Determinant determinant;
    std::vector<double> couplings;
  };
  static constexpr Index kMost = 64;

  std::uint64_t number_of(const ci::OrbitalBits<W>& alpha, const ci::OrbitalBits<W>& beta) const {
    std::uint64_t number = base::mix(seed_);
    for (const std::uint64_t word : alpha.words) number = base::mix(number ^ word);
    for (const std::uint64_t word : beta.words) number = base::mix(number ^ word);
    return number;
  }

  void keep(External one) {
    const std::scoped_lock lock(mutex_);
    const auto place = std::ranges::upper_bound(kept_, one.number, {}, &External::number);
    kept_.insert(place, std::move(one));
    if (size() > kMost) kept_.pop_back();
    if (size() == kMost) most_ = kept_.back().number;
  }

  double difference_of(const External& one, const ci::Integrals& integrals,
                       const ci::SelectedList<W>& list, const base::MultiVector& states,
                       double epsilon) const {
    std::vector<double> sums(states_, 0);
    std::vector<double> sizes(states_, 0);
    std::vector<double> terms(states_, 0);
    for (Index row = 0; row < list.size(); ++row) {
      const double element =
          ci::element(integrals, one.determinant, list.determinants()[row].determinant());
      if (element == 0) continue;
      double largest = 0;
      for (std::size_t s = 0; s < states_; ++s) {
        terms[s] = element * states(row, static_cast<int>(s));
        largest = std::max(largest, std::abs(terms[s]));
      }
      // A term at the threshold may be on either side of it: that sum is not compared.
      constexpr double kRounding = 1e-9;
      if (std::abs(largest - epsilon) <= kRounding * epsilon) return 0;
      if (largest < epsilon) continue;
      for (std::size_t s = 0; s < states_; ++s) {
        sums[s] += terms[s];
        sizes[s] += std::abs(terms[s]);
      }
    }
    double worst = 0;
    for (std::size_t s = 0; s < states_; ++s)
      worst = std::max(worst, std::abs(sums[s] - one.couplings[s]) / std::max(sizes[s], 1e-300));
    return worst;
  }

  std::uint64_t seed_;
  std::size_t states_;
  std::vector<External> kept_;                           // sorted by number
  std::atomic<std::uint64_t> most_ = ~std::uint64_t{0};  // the last of them, once there are enough
  std::mutex mutex_;
};

/// A list of determinants with its states, as it grows.
template <int W>
class GrowingSpace final : public SelectedSpace {
 public:
  GrowingSpace(const JobContext& job, DeterminantProblem molecule,
               const std::vector<ci::Determinant>& start)
      : request_(job.request),
        starting_(job.starting),
        ranks_(job.ranks),
        host_(job.starting.host()),
        molecule_(std::move(molecule)),
        list_(molecule_.integrals.orbitals(),
              {start.front().alpha.count(), start.front().beta.count()}, start, host_),
        tables_(molecule_.integrals, list_.electrons(), least_element(), host_) {
    if (completes_spin()) ci::complete_spin(list_);
  }

  void grow(const JobContext& job);

  Request list_request() const override;
  solver::Checkpoint take_start() override { return start_with(*std::move(vectors_)); }
  void perturb(const JobContext& job) const override;

 private:
  bool completes_spin() const { return request_.space.complete == Completion::spin; }
  double least_element() const;

  void solve(std::optional<base::MultiVector> start);
  base::MultiVector carried(const base::Array<Index>& row_of_old) const;
  bool grow_by(double epsilon);
  void grow_to(Index size);
  std::optional<ci::PerturbationResult> perturbed(double epsilon) const;
  template <class Step>
  bool take_step(const JobContext& job, double epsilon, bool is_last, Step step);
  void record(const JobContext& job, double epsilon, bool is_last, const base::Stopwatch& watch);
  void perturb_states(Selection& selection, const solver::Result& result,
                      std::span<const double> energies) const;

  const Request& request_;
  AsyncBackend& starting_;
  const base::Communicator& ranks_;
  base::Backend host_;
  DeterminantProblem molecule_;
  ci::SelectedList<W> list_;
  ci::HeatBathTables tables_;
  std::optional<base::MultiVector> vectors_;  // vectors of the states over the list, on the host
  std::vector<double> energies_;
};

/// Smaller elements are never needed, since no coefficient exceeds 1.
template <int W>
double GrowingSpace<W>::least_element() const {
  const Request::Selection& selection = request_.selection;
  const double last = selection.size ? 0 : schedule_of(selection).back();
  return wants_perturbation(request_) ? perturbation_epsilon(request_, last) : last;
}

template <int W>
Request GrowingSpace<W>::list_request() const {
  auto whole = std::make_shared<ci::PackedDeterminants>();
  whole->alpha.words = whole->beta.words = ci::words_of_orbitals(molecule_.orbitals);
  for (const auto& inner : list_.determinants()) {
    const ci::Determinant determinant =
        ci::whole_determinant(molecule_.window, inner.determinant()).determinant;
    whole->alpha.add(determinant.alpha);
    whole->beta.add(determinant.beta);
  }
  Request listed = request_;
  listed.space.kind = SpaceKind::list;
  listed.space.reference.clear();
  listed.space.references.clear();
  listed.space.determinants = std::shared_ptr<const ci::PackedDeterminants>(std::move(whole));
  return listed;
}

/// Solves for the states of the list, without verification.
template <int W>
void GrowingSpace<W>::solve(std::optional<base::MultiVector> start) {
  Request round = list_request();
  round.solver.states = std::min(request_.solver.states, list_.size());
  round.solver.tolerance = std::max(request_.solver.tolerance, kRoundTolerance);
  round.solver.search = solver::SearchEffort::none;
  round.space.partition = {};
  round.analysis.densities = Densities::none;
  Outcome outcome;
  Listener nobody;
  const JobContext job{round, starting_, nobody, ranks_, outcome};
  OpenJob opened = open(job);
  if (start) opened.given.start = start_with(*std::move(start));
  const SolvedJob solved = job::solve(job, plan(job, std::move(opened)));
  solver::Result& result = *outcome.result;
  energies_.clear();
  for (const solver::State& state : result.states) energies_.push_back(state.energy);
  const bool is_home = result.vectors.backend().is_host();
  vectors_.emplace(is_home ? std::move(result.vectors) : result.vectors.to(host_));
}

/// The vectors over the grown list, 0 for new determinants.
template <int W>
base::MultiVector GrowingSpace<W>::carried(const base::Array<Index>& row_of_old) const {
  base::MultiVector start(host_, list_.size(), vectors_->columns(),
                          "the states of a selected space");
  for (int state = 0; state < vectors_->columns(); ++state) {
    for (Index row = 0; row < start.rows(); ++row) start(row, state) = 0;
    for (Index row = 0; row < vectors_->rows(); ++row)
      start(row_of_old[row], state) = (*vectors_)(row, state);
  }
  return start;
}

/// One expansion; returns false if it added next to nothing.
template <int W>
bool GrowingSpace<W>::grow_by(double epsilon) {
  constexpr double kNextToNothing = 0.01;
  const Index before = list_.size();
  const ci::GrowthResult grown = ci::grow(list_, tables_, vectors_->block(),
                                          {.epsilon = epsilon, .complete_spin = completes_spin()});
  if (grown.added == 0) return false;
  solve(carried(grown.row_of_old));
  return static_cast<double>(grown.added) >= kNextToNothing * static_cast<double>(before);
}

template <int W>
void GrowingSpace<W>::grow_to(Index size) {
  const ci::BestScoresResult grown =
      ci::grow_to_size(list_, tables_, vectors_->block(), energies_, size, completes_spin(),
                       {.epsilon = perturbation_epsilon(request_, 0), .spin_squared = false});
  if (grown.growth.added > 0) solve(carried(grown.growth.row_of_old));
}

template <int W>
std::optional<ci::PerturbationResult> GrowingSpace<W>::perturbed(double epsilon) const {
  if (!wants_perturbation(request_)) return std::nullopt;
  return ci::perturb(list_, tables_, vectors_->block(), energies_,
                     {.epsilon = perturbation_epsilon(request_, epsilon)});
}

template <int W>
void GrowingSpace<W>::record(const JobContext& job, double epsilon, bool is_last,
                             const base::Stopwatch& watch) {
  SelectionRound round{.epsilon = epsilon, .determinants = list_.size(), .energies = energies_};
  if (!is_last)
    if (const auto found = perturbed(epsilon)) round.perturbation = found->states;
  round.seconds = watch.seconds();
  job.outcome.selection->rounds.push_back(round);
  job.listener.selected(round);
}

/// One step of the schedule. If memory is short, restores the list and its states, records the
/// reason and returns false.
template <int W>
template <class Step>
bool GrowingSpace<W>::take_step(const JobContext& job, double epsilon, bool is_last, Step step) {
  const base::Stopwatch watch;
  std::optional<ci::SelectedList<W>> list_before;
  std::optional<base::MultiVector> vectors_before;
  std::vector<double> energies_before = energies_;
  const std::string short_of = run_catching_shortage(MemoryOf::any, [&] {
    std::vector<Index> rows(static_cast<std::size_t>(list_.size()));
    std::iota(rows.begin(), rows.end(), Index{0});
    list_before.emplace(list_.only(rows, list_.is_spin_complete()));
    vectors_before.emplace(vectors_->to(host_));
    step();
    record(job, epsilon, is_last, watch);
  });
  if (short_of.empty()) return true;
  if (job.outcome.selection->rounds.empty() || !list_before || !vectors_before)
    base::fail(base::ErrorKind::resources, short_of);
  list_ = *std::move(list_before);
  vectors_ = std::move(vectors_before);
  energies_ = std::move(energies_before);
  job.note({"a larger selected space", base::grouped(list_.size()) + " determinants", short_of});
  job.outcome.selection->end = "memory does not suffice for a larger space";
  return false;
}

template <int W>
void GrowingSpace<W>::grow(const JobContext& job) {
  Selection& selection = job.outcome.selection.emplace();
  const std::vector<int>& irreps = molecule_.integrals.irreps();
  if (!molecule_.irrep && std::ranges::any_of(irreps, [](int irrep) { return irrep != 0; }))
    selection.note =
        "the space holds only the irreps of its references; set space.irrep or space.references "
        "for "
        "others";
  solve(std::nullopt);
  if (const auto size = request_.selection.size) {
    selection.end = "the space has the requested size";
    for (const Index next : sizes_of(list_.size(), *size))
      if (!take_step(job, 0, next == *size, [&] { grow_to(next); })) return;
    return;
  }
  const bool is_automatic = request_.selection.epsilon.empty();
  const std::vector<double> schedule = schedule_of(request_.selection);
  selection.end = "the last threshold of the schedule was reached";
  for (const double epsilon : schedule) {
    constexpr int kMostSteps = 20;
    const auto expand = [&] {
      for (int step = 0; step < kMostSteps && grow_by(epsilon); ++step) {
      }
    };
    const bool is_last = !is_automatic && epsilon == schedule.back();
    if (!take_step(job, epsilon, is_last, expand)) return;
    const std::vector<ci::StatePerturbation>& found = selection.rounds.back().perturbation;
    constexpr std::size_t kPoints = 3;  // least number of points for an extrapolation
    const bool has_points = !request_.selection.extrapolate || selection.rounds.size() >= kPoints;
    const bool is_enough = is_automatic && has_points && !found.empty() &&
                           std::ssize(energies_) == request_.solver.states &&
                           std::ranges::all_of(found, [](const ci::StatePerturbation& state) {
                             return std::abs(state.energy) < kEnoughPerturbation;
                           });
    if (!is_enough) continue;
    selection.end = "the perturbation is below 1 mHartree";
    return;
  }
}

template <int W>
void GrowingSpace<W>::perturb(const JobContext& job) const {
  Selection& selection = *job.outcome.selection;
  const solver::Result& result = *job.outcome.result;
  SelectionRound& last = selection.rounds.back();
  last.energies.clear();
  for (const solver::State& state : result.states) last.energies.push_back(state.energy);
  if (!wants_perturbation(request_)) return;
  const base::Stopwatch watch;
  selection.perturbation_epsilon = perturbation_epsilon(request_, last.epsilon);
  perturb_states(selection, result, last.energies);
  last.perturbation = selection.perturbation;
  last.seconds += watch.seconds();
  if (!request_.selection.extrapolate) return;
  for (std::size_t state = 0; state < last.energies.size(); ++state) {
    std::vector<ci::ExtrapolationPoint> points;
    for (const SelectionRound& round : selection.rounds)
      if (state < round.perturbation.size() && round.energies.size() == last.energies.size())
        points.push_back({round.energies[state], round.perturbation[state].energy});
    selection.extrapolated.push_back(ci::extrapolate(points));
  }
}

/// Perturbs the states, and sums the couplings of a sample again by the oracle.
template <int W>
void GrowingSpace<W>::perturb_states(Selection& selection, const solver::Result& result,
                                     std::span<const double> energies) const {
  constexpr double kAllowed = 1e-11;
  const double epsilon = selection.perturbation_epsilon;
  CouplingSample<W> sample(static_cast<std::uint64_t>(request_.solver.seed),
                           result.vectors.columns());
  const ci::PerturbationResult found =
      ci::perturb<W>(list_, tables_, result.vectors.block(), energies, {.epsilon = epsilon},
                     [&sample](const ci::ExternalDeterminants<W>& one) { sample.look_at(one); });
  selection.perturbation = found.states;
  selection.external = found.externals;
  selection.sampled = sample.size();
  selection.sample_difference =
      sample.difference(molecule_.integrals, list_, result.vectors, epsilon);
  selection.sample_passed = selection.sample_difference <= kAllowed;
}

/// The determinants that a request names, or the one of the lowest diagonal element nearby.
std::vector<ci::Determinant> start_of(const Request& request, const DeterminantProblem& molecule) {
  std::vector<ci::Determinant> start;
  for (Index row = 0; row < molecule.space.dimension(); ++row)
    start.push_back(molecule.space.determinant(row));
  if (!request.space.reference.empty() || !request.space.references.empty()) return start;
  return {lowest_determinant(molecule.integrals, molecule.irrep, start.front())};
}

/// Throws ErrorKind::configuration if a selected space cannot meet the request.
void require_selectable(const Request& request, int ranks) {
  const auto refuse = [&](const std::string& what) {
    base::fail(base::ErrorKind::configuration, request.origin, ": space.kind is selected, ", what);
  };
  if (!has_determinants(request))
    refuse(
        "but the problem has no determinants; expected fcidump, trexio or a lattice of electrons");
  if (ranks > 1) refuse("which runs in one process; expected one rank");
  if (request.solver.states == 0 || request.product.wanted)
    refuse(
        "which needs states to grow; expected solver.states of at least 1 and no section "
        "product");
  if (request.solver.near || !request.solver.follow.empty())
    refuse("which grows from its lowest states; expected neither solver.near nor solver.follow");
  if (!request.solver.start_from.empty())
    refuse("which starts from space.reference; expected no solver.start_from");
  if (request.elements.threshold > 0)
    refuse("which needs all matrix elements; expected no storage.threshold");
  if (request.selection.size && !request.selection.epsilon.empty())
    refuse("but selection.size and selection.epsilon are both given; expected one of them");
  const std::vector<double>& thresholds = request.selection.epsilon;
  if (std::ranges::adjacent_find(thresholds, std::less_equal<>()) != thresholds.end())
    refuse(
        "but the thresholds of selection.epsilon do not decrease; expected each below the previous "
        "one");
}

}  // namespace

bool is_selected(const Request& request) { return request.space.kind == SpaceKind::selected; }

std::unique_ptr<SelectedSpace> select(const JobContext& job) {
  require_selectable(job.request, job.ranks.size());
  DeterminantProblem molecule = open_molecule(job.request, job.starting.host());
  const std::vector<ci::Determinant> start = start_of(job.request, molecule);
  return ci::with_words_of(
      molecule.integrals.orbitals(),
      [&]<int W>(std::integral_constant<int, W>) -> std::unique_ptr<SelectedSpace> {
        auto space = std::make_unique<GrowingSpace<W>>(job, std::move(molecule), start);
        space->grow(job);
        return space;
      });
}

}  // namespace cisolve::job
