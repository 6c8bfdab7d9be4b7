#include <algorithm>

#include "base/ranks/agreement.hpp"
#include "job/plan/small_jobs.hpp"
#include "job/problem/admission.hpp"
#include "job/run/job.hpp"

// How a job opens: from its request to the plan that it begins with.
namespace cisolve::job {
namespace {

// The best that is known without counting the rows.
Counts counts_of(const sparse::RowSource& rows, const Admission& admission) {
  Counts counts = admission.counts();
  counts.rows = static_cast<double>(std::min(rows.shape().rows, rows.shape().columns));
  return counts;
}

Fallback orbits_on_host(const SpinProblemRows& spins) {
  return {"orbits of words on the device", "orbits of words on the host", spins.problem().fallback};
}

constexpr auto kSectorsOnHost = "sectors of a lattice are shared out among ranks on the host alone";

}  // namespace

void Job::open() {
  if (ranks_.size() > 1) starting_.begin();
  Admission admission(
      request_, host_, [this] { return starting_.get(); }, workers(),
      [this](const Counts& counts) {
        if (takes_longer_than_a_start(request_, counts.rows, host_.threads())) starting_.begin();
      });
  rows_ = open_rows(request_, host_, &admission);
  if (solves())
    given_ = read_given_states(request_, molecule_of(*rows_), rows_->shape().rows, host_);
  counts_ = counts_of(*rows_, admission);
  starting_.refuse_what_is_known_to_fail();
  const bool may_stay = ranks_.size() == 1 && starting_.may_stay_on_host();
  has_looked_ = may_stay || learns_anywhere(request_);
  if (has_looked_) computed_ = look_at(request_, *rows_, host_, counts_);
  is_small_ = may_stay && is_done_before_a_device_starts();
  found_.times.end("open_s");
  backend_ = is_small_ ? host_ : starting_.get();
  host_ = backend_.host();
  found_.times.end("wait_for_backend_s");
  if (const std::string& reason = starting_.refusal(); !reason.empty())
    found_.fallbacks.push_back({"the device", "the host", reason});
}

bool Job::is_done_before_a_device_starts() const {
  Counts counts = counts_;
  computed_.tell(host_, counts);
  const Resources resources = Resources::of(host_, request_.paces);
  const std::vector<Plan> plans = rank_plans(request_, counts, resources);
  return is_done_before_a_start(request_, counts, resources, plans.front());
}

/// A device on every rank, or the host on all.
void Job::share_backend() {
  if (ranks_.size() == 1) return;
  const bool has_device = !backend_.is_host();
  std::string reason;
  if (!ranks_.all_true(has_device)) reason = "a rank has none";
  if (reason.empty() && is_spins(request_)) reason = kSectorsOnHost;
  base::agree(ranks_, [&] {
    if (!reason.empty() && request_.backend.starts_with("cuda"))
      base::fail(base::Fault::backend, request_.origin, ": backend is ", request_.backend, ", but ",
                 reason, "; expected auto, openmp or reference");
  });
  if (reason.empty()) return;
  if (has_device) found_.fallbacks.push_back({"the devices of all ranks", "the host", reason});
  backend_ = host_;
}

/// What does not depend on the backend was looked at while that was starting.
void Job::learn_rows() {
  if (!has_looked_) computed_ = look_at(request_, *rows_, backend_, counts_);
  computed_.tell(backend_, counts_);
}

// Plans are the same on all ranks, also where one had no room to look at its rows, or so little
// that it would compute them by another way than the others.
void Job::forget_what_some_lack() {
  const bool by_blocks = counts_.work && counts_.work->by_blocks;
  if (!ranks_.all_same(by_blocks ? 1 : 0)) counts_.work.reset();
  if (!ranks_.all_true(counts_.profile.has_value())) counts_.profile.reset();
  if (!ranks_.all_true(counts_.work.has_value())) counts_.work.reset();
  if (!ranks_.all_true(counts_.factors.has_value())) counts_.factors.reset();
  if (!counts_.work) computed_.elements.reset();
  if (!counts_.factors) computed_.factors.reset();
  counts_.nonzeros = ranks_.maximum(counts_.nonzeros);
}

void Job::plan(const Resources& resources) {
  plans_.emplace(rank_plans(request_, counts_, resources));
  if (const auto passed = plans_->passed_over()) found_.fallbacks.push_back(*passed);
  if (!plans_->plan().on_device) backend_ = host_;
  const SpinProblemRows* spins = spins_of(*rows_);
  if (spins != nullptr && !spins->problem().fallback.empty())
    found_.fallbacks.push_back(orbits_on_host(*spins));
  const Molecule* molecule = molecule_of(*rows_);
  listener_.opened({rows_->shape(), molecule, spins, backend_, found_.fallbacks, is_small_});
  if (!solves()) return;
  require_solvable(*rows_, request_, host_);
  view_.emplace(request_, molecule, spins_of(*rows_));
  if (view_->basis() == nullptr) return;
  take_functions(request_, *view_->basis(), given_);
  listener_.chose_spin(*view_->basis());
}

void Job::tell_orbits(const SpinProblemRows& spins) {
  if (!spins.problem().fallback.empty()) note(orbits_on_host(spins));
}

/// Whether many ranks do it together.
bool Job::is_shared() const {
  const bool measures = !solves() || request_.product.wanted;
  return ranks_.size() > 1 && !measures;
}

/// Those that a plan is for; ranks of hosts are taken to share a node.
Network Job::workers() const {
  const int ranks = is_shared() ? ranks_.size() : 1;
  if (!backend_.is_host()) return Network::of_devices(ranks);
  return {.ranks = ranks, .on_node = ranks};
}

void Job::choose_workers() {
  if (is_shared())
    workers_ = &ranks_;
  else if (ranks_.size() > 1)
    note({base::concat(ranks_.size(), " ranks"), "one rank",
          "products are measured in one process"});
}

}  // namespace cisolve::job
