#include "dist/mpi/mpi_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/backend.hpp"
#include "dist/device_channel.hpp"
#include "dist/mpi/checked.hpp"

namespace cisolve::dist {
namespace {

using base::ErrorKind;
using base::Index;
using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(5);  // wait for ranks that do not answer a failure
constexpr int kFailedExit = 71;                      // exit code of ranks that are then ended

/// Back-off wait that soon yields the core: ranks may outnumber cores.
class Pause {
 public:
  void operator()() {
    if (++count_ < kEager)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(std::min(count_ - kEager, kLongest)));
  }

 private:
  static constexpr int kEager = 2000;
  static constexpr int kLongest = 500;
  int count_ = 0;
};

int as_count(Index values) { return static_cast<int>(values); }  // of a piece

}  // namespace

MpiRanks::MpiRanks(Index piece) : piece_(piece), buffers_(std::make_unique<Buffers>()) {
  checked(MPI_Comm_dup(MPI_COMM_WORLD, &ranks_), "MPI_Comm_dup");
  checked(MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  checked(MPI_Comm_rank(ranks_, &rank_), "MPI_Comm_rank");
  checked(MPI_Comm_size(ranks_, &size_), "MPI_Comm_size");
  failure_channel_ = std::make_unique<FailureChannel>();
  buffers_->offers.resize(size_);
  buffers_->counts.resize(size_);
  buffers_->their_counts.resize(size_);
}

MpiRanks::~MpiRanks() {
  channel_.reset();
  if (!failure_) failure_ = failure_channel_->failure();
  failure_channel_->send_left(operations_, failure_);
  bool has_failed = true;
  try {
    const bool all_left = wait_for_all_to_leave();
    has_failed = failure_ || failure_channel_->failure();
    if (!all_left) MPI_Abort(MPI_COMM_WORLD, kFailedExit);
    if (!has_failed) {
      failure_channel_->free();
      MPI_Comm_free(&ranks_);
    }
  } catch (const base::Error&) {
    MPI_Abort(MPI_COMM_WORLD, kFailedExit);
  }
  if (!has_failed) return;
  // MPI may still write there.
  [[maybe_unused]] const auto* buffers = buffers_.release();
  [[maybe_unused]] const auto* notices = failure_channel_.release();
}

bool MpiRanks::wait_for_all_to_leave() const {
  Pause pause;
  std::optional<Clock::time_point> since;
  while (true) {
    failure_channel_->poll();
    if (failure_channel_->have_all_left()) return true;
    if (!since && (failure_ || failure_channel_->failure())) since = Clock::now();
    if (since && Clock::now() - *since > kPatience) return false;
    pause();
  }
}

void MpiRanks::require_going_on() const {
  if (!failure_ && failure_channel_->failure()) failure_ = failure_channel_->failure();
  if (failure_)
    throw base::PeerFailed(failure_->fault,
                           base::concat("another rank failed: ", failure_->reason));
}

const base::DeviceChannel* MpiRanks::device_channel(const base::Backend& backend) const {
  if (backend.is_host()) return nullptr;
  if (const void* device = &backend.device(); linked_ != device) {
    linked_ = device;
    channel_.reset();
    channel_ = make_device_channel(*this, backend, [this] {
      failure_channel_->poll();
      require_going_on();
    });
  }
  return channel_.get();
}

void MpiRanks::abort(ErrorKind fault, std::string_view reason) const noexcept {
  if (failure_) return;
  failure_ = {fault, base::concat("rank ", rank_, ": ", reason)};
  failure_channel_->send_failure(*failure_);
}

/// Waits for all started requests; the first failure of any rank ends it.
void MpiRanks::wait() const {
  std::vector<MPI_Request>& requests = buffers_->requests;
  Pause pause;
  while (true) {
    int done = 0;
    checked(
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
        "MPI_Testall");
    if (done != 0) break;
    failure_channel_->poll();
    require_going_on();
    if (failure_channel_->misses(operations_)) {
      failure_ = {ErrorKind::internal, "a rank has ended while others wait for it"};
      failure_channel_->send_failure(*failure_);
      require_going_on();
    }
    pause();
  }
  requests.clear();
}

void MpiRanks::rendezvous(Operation operation, std::size_t size, int root,
                          std::span<const double> values) const {
  failure_channel_->poll();
  require_going_on();
  ++operations_;
  Buffers& at = *buffers_;
  at.mine = {operation, static_cast<std::int64_t>(size), root, {}};
  std::ranges::copy(values, at.mine.values);
  at.requests.assign(1, MPI_REQUEST_NULL);
  checked(MPI_Iallgather(&at.mine, sizeof(Offer), MPI_BYTE, at.offers.data(), sizeof(Offer),
                         MPI_BYTE, ranks_, at.requests.data()),
          "MPI_Iallgather");
  wait();
  for (const Offer& offer : at.offers)
    if (offer.operation != operation || offer.size != at.mine.size || offer.root != at.mine.root)
      base::fail(ErrorKind::internal, "the ranks do not call the same operation on the same sizes");
}

template <class Join>
void MpiRanks::combine(Operation operation, std::span<double> values, Join join) const {
  const bool is_short = values.size() <= kShort;
  rendezvous(operation, values.size(), 0, is_short ? values : std::span<double>());
  Buffers& at = *buffers_;
  if (is_short) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = at.offers[0].values[i];
      for (int r = 1; r < size_; ++r) values[i] = join(values[i], at.offers[r].values[i]);
    }
    return;
  }
  at.piece.resize(std::min<std::size_t>(values.size(), piece_));
  at.pieces.resize(at.piece.size() * size_);
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), at.piece.size());
    std::ranges::copy(values.first(count), at.piece.begin());
    at.requests.assign(1, MPI_REQUEST_NULL);
    checked(MPI_Iallgather(at.piece.data(), as_count(count), MPI_DOUBLE, at.pieces.data(),
                           as_count(count), MPI_DOUBLE, ranks_, at.requests.data()),
            "MPI_Iallgather");
    wait();
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = at.pieces[i];
      for (int r = 1; r < size_; ++r) values[i] = join(values[i], at.pieces[r * count + i]);
    }
    values = values.subspan(count);
  }
}

void MpiRanks::sum(std::span<double> values) const {
  combine(Operation::sum, values, [](double a, double b) { return a + b; });
}

void MpiRanks::minimum(std::span<double> values) const {
  combine(Operation::minimum, values, [](double a, double b) { return std::min(a, b); });
}

void MpiRanks::broadcast(std::span<std::byte> bytes, int root) const {
  rendezvous(Operation::broadcast, bytes.size(), root);
  Buffers& at = *buffers_;
  at.piece.resize(piece_);
  const auto piece = std::as_writable_bytes(std::span(at.piece));
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), piece.size());
    if (rank_ == root) std::ranges::copy(bytes.first(count), piece.begin());
    at.requests.assign(1, MPI_REQUEST_NULL);
    checked(MPI_Ibcast(piece.data(), as_count(static_cast<Index>(count)), MPI_BYTE, root, ranks_,
                       at.requests.data()),
            "MPI_Ibcast");
    wait();
    if (rank_ != root) std::ranges::copy(piece.first(count), bytes.begin());
    bytes = bytes.subspan(count);
  }
}

void MpiRanks::exchange(std::span<const double> send, std::span<const Index> sent,
                        std::span<double> receive, std::span<const Index> received) const {
  base::require_counts(sent, size_, send.size());
  base::require_counts(received, size_, receive.size());
  rendezvous(Operation::exchange, 0, 0);
  Buffers& at = *buffers_;
  std::ranges::copy(sent, at.counts.begin());
  at.requests.assign(1, MPI_REQUEST_NULL);
  checked(MPI_Ialltoall(at.counts.data(), 1, MPI_INT64_T, at.their_counts.data(), 1, MPI_INT64_T,
                        ranks_, at.requests.data()),
          "MPI_Ialltoall");
  wait();
  double fits = std::ranges::equal(at.their_counts, received) ? 1 : 0;
  rendezvous(Operation::agree, 0, 0, {&fits, 1});
  for (const Offer& offer : at.offers) fits = std::min(fits, offer.values[0]);
  if (fits == 0)
    base::fail(ErrorKind::internal, "the ranks do not call the same operation on the same sizes");
  Index most = 0;
  for (int r = 0; r < size_; ++r) most = std::max({most, sent[r], received[r]});
  for (Index first = 0; first < most; first += piece_)
    swap_piece(send, sent, receive, received, first);
}

/// Exchanges values from `first` on between any two ranks. Both know the count.
void MpiRanks::swap_piece(std::span<const double> send, std::span<const Index> sent,
                          std::span<double> receive, std::span<const Index> received,
                          Index first) const {
  const auto part = [&](Index count) { return std::clamp<Index>(count - first, 0, piece_); };
  Buffers& at = *buffers_;
  Index outgoing = 0;
  Index incoming = 0;
  for (int r = 0; r < size_; ++r) {
    outgoing += part(sent[r]);
    incoming += part(received[r]);
  }
  at.piece.resize(outgoing);
  at.pieces.resize(incoming);
  at.requests.clear();
  const auto begin = [&](auto call, double* values, Index count, int rank, const char* name) {
    at.requests.push_back(MPI_REQUEST_NULL);
    checked(call(values, as_count(count), MPI_DOUBLE, rank, 0, ranks_, &at.requests.back()), name);
  };
  double* next = at.pieces.data();
  for (int r = 0; r < size_; ++r) {
    if (const Index count = part(received[r]); count > 0)
      begin(MPI_Irecv, next, count, r, "MPI_Irecv");
    next += part(received[r]);
  }
  next = at.piece.data();
  const double* from = send.data();
  for (int r = 0; r < size_; ++r) {
    const Index count = part(sent[r]);
    std::copy_n(from + std::min(first, sent[r]), count, next);
    if (count > 0) begin(MPI_Isend, next, count, r, "MPI_Isend");
    next += count;
    from += sent[r];
  }
  wait();
  const double* come = at.pieces.data();
  double* to = receive.data();
  for (int r = 0; r < size_; ++r) {
    const Index count = part(received[r]);
    std::copy_n(come, count, to + std::min(first, received[r]));
    come += count;
    to += received[r];
  }
}

}  // namespace cisolve::dist
