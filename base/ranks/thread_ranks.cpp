#include "base/ranks/thread_ranks.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/ranks/collective_errors.hpp"

namespace cisolve::base {
namespace {

enum class Operation { sum, minimum, broadcast, exchange };

/// Contribution of a rank to one operation.
struct Offer {
  Operation operation = Operation::sum;
  std::size_t size = 0;  // equal on all ranks, as is the root
  int root = 0;
  const void* data = nullptr;
  std::span<const Index> sent = {};
  std::span<const Index> received = {};
};

/// Rendezvous of the ranks. An operation has two barriers: at the first all offers are there, at
/// the second all have been read. After the first a rank reads without throwing and passes the
/// second, so that none leaves while another reads its offer.
class Group {
 public:
  explicit Group(int size) : offers_(size) {}

  int size() const { return static_cast<int>(offers_.size()); }
  const Offer& offer(int rank) const { return offers_[rank]; }

  void offer_and_meet(int rank, const Offer& offer) {
    std::unique_lock lock(mutex_);
    offers_[rank] = offer;
    if (has_left_) abort_locked(ErrorKind::internal, "a rank has ended while others wait for it");
    throw_if_aborted();
    const auto meeting = meetings_;
    if (is_last()) return;
    changed_.wait(lock, [&] { return meetings_ != meeting || failure_; });
    if (meetings_ == meeting) throw_if_aborted();
  }

  void meet_again() noexcept {
    std::unique_lock lock(mutex_);
    const auto meeting = meetings_;
    if (is_last()) return;
    changed_.wait(lock, [&] { return meetings_ != meeting; });
  }

  void abort(ErrorKind fault, std::string_view reason) noexcept {
    const std::scoped_lock lock(mutex_);
    abort_locked(fault, reason);
  }

  void leave() noexcept {
    const std::scoped_lock lock(mutex_);
    has_left_ = true;
    if (waiting_ > 0)
      abort_locked(ErrorKind::internal, "a rank has ended while others wait for it");
  }

 private:
  struct Failure {
    ErrorKind fault;
    std::string message;
  };

  bool is_last() {
    if (++waiting_ < size()) return false;
    waiting_ = 0;
    ++meetings_;
    changed_.notify_all();
    return true;
  }

  void abort_locked(ErrorKind fault, std::string_view reason) {
    if (!failure_) failure_ = {fault, concat("another rank failed: ", reason)};
    changed_.notify_all();
  }

  void throw_if_aborted() const {
    if (failure_) throw PeerFailed(failure_->fault, failure_->message);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Offer> offers_;
  int waiting_ = 0;
  std::size_t meetings_ = 0;
  bool has_left_ = false;
  std::optional<Failure> failure_;
};

class ThreadRank final : public Communicator {
 public:
  ThreadRank(Group& group, int rank) : group_(group), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return group_.size(); }

  void sum(std::span<double> values) const override {
    combine(Operation::sum, values, [](double a, double b) { return a + b; });
  }

  void minimum(std::span<double> values) const override {
    combine(Operation::minimum, values, [](double a, double b) { return std::min(a, b); });
  }

  void broadcast(std::span<std::byte> bytes, int root) const override {
    meet({Operation::broadcast, bytes.size(), root, bytes.data()}, [&] {
      const auto* source = static_cast<const std::byte*>(group_.offer(root).data);
      if (rank_ != root) std::copy_n(source, bytes.size(), bytes.begin());
    });
  }

  void exchange(std::span<const double> send, std::span<const Index> sent,
                std::span<double> receive, std::span<const Index> received) const override {
    require_counts(sent, size(), send.size());
    require_counts(received, size(), receive.size());
    meet({Operation::exchange, 0, 0, send.data(), sent, received}, [&] {
      auto* target = receive.data();
      for (int from = 0; from < size(); ++from) {
        const Offer& offer = group_.offer(from);
        const auto first =
            std::accumulate(offer.sent.begin(), offer.sent.begin() + rank_, Index{0});
        const auto* source = static_cast<const double*>(offer.data) + first;
        target = std::copy_n(source, received[from], target);
      }
    });
  }

  void abort(ErrorKind fault, std::string_view reason) const noexcept override {
    group_.abort(fault, concat("rank ", rank_, ": ", reason));
  }

 private:
  template <class Join>
  void combine(Operation operation, std::span<double> values, Join join) const {
    std::vector<double> joined(values.size());
    meet({operation, values.size(), 0, values.data()}, [&] {
      for (int r = 0; r < size(); ++r) {
        const auto* theirs = static_cast<const double*>(group_.offer(r).data);
        for (std::size_t i = 0; i < joined.size(); ++i)
          joined[i] = r == 0 ? theirs[i] : join(joined[i], theirs[i]);
      }
    });
    std::ranges::copy(joined, values.begin());
  }

  /// `read` must not throw.
  template <class Read>
  void meet(const Offer& mine, Read read) const {
    group_.offer_and_meet(rank_, mine);
    const bool fit = offers_fit();
    if (fit) read();
    group_.meet_again();
    if (!fit)
      fail(ErrorKind::internal, "the ranks do not call the same operation on the same sizes");
  }

  /// Checked by every rank on all offers, with the same result.
  bool offers_fit() const {
    const Offer& first = group_.offer(0);
    for (int r = 0; r < size(); ++r) {
      const Offer& offer = group_.offer(r);
      if (offer.operation != first.operation || offer.size != first.size ||
          offer.root != first.root)
        return false;
    }
    if (first.operation != Operation::exchange) return true;
    for (int from = 0; from < size(); ++from)
      for (int to = 0; to < size(); ++to)
        if (group_.offer(from).sent[to] != group_.offer(to).received[from]) return false;
    return true;
  }

  Group& group_;
  int rank_;
};

void rethrow_first(const std::vector<std::exception_ptr>& errors) {
  std::exception_ptr peer_failure;  // PeerFailed from another rank's failure
  for (const std::exception_ptr& error : errors) {
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const PeerFailed&) {
      if (!peer_failure) peer_failure = error;
    }
  }
  if (peer_failure) std::rethrow_exception(peer_failure);
}

}  // namespace

void run_as_ranks(int ranks, const std::function<void(const Communicator&)>& work) {
  if (ranks < 1) fail(ErrorKind::usage, ranks, " ranks were requested; expected at least 1");
  Group group(ranks);
  std::vector<std::exception_ptr> errors(ranks);
  const auto run = [&](int rank) {
    const ThreadRank communicator(group, rank);
    try {
      work(communicator);
    } catch (...) {
      errors[rank] = std::current_exception();
      abort_for(communicator, errors[rank]);
    }
    group.leave();
  };
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
  }
  rethrow_first(errors);
}

}  // namespace cisolve::base
