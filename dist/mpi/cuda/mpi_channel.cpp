#include "dist/mpi_channel.hpp"

#include <cuda_runtime.h>
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "base/cuda/context.hpp"
#include "base/ranks/point_to_point_channel.hpp"
#include "dist/cuda/all_succeed.hpp"
#include "dist/mpi.hpp"
#include "dist/mpi/checked.hpp"

namespace cisolve::dist {
namespace {

using base::Index;
using base::cuda::check;
using Clock = std::chrono::steady_clock;

constexpr auto kMemoryLabel = "the channels between devices";
constexpr Index kMost = Index{1} << 30;      // numbers per message
constexpr Index kTriedOut = Index{1} << 20;  // numbers per rank in the trial
constexpr auto kPatienceAtFirst = std::chrono::seconds(60);
constexpr auto kPatienceAtLast = std::chrono::seconds(1);  // time allowed for cancelled messages

class MpiLinks final : public base::PointToPointChannel {
 public:
  MpiLinks(const base::Communicator& ranks, const base::Backend& backend,
           std::function<void()> listen)
      : PointToPointChannel(ranks), backend_(backend), listen_(std::move(listen)) {
    checked(MPI_Comm_dup(MPI_COMM_WORLD, &channel_), "MPI_Comm_dup");
    checked(MPI_Comm_set_errhandler(channel_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  /// Collective, unless a rank has failed.
  ~MpiLinks() override {
    if (!has_failed_) MPI_Comm_free(&channel_);
  }
  void end_trial() { until_.reset(); }    // the trial has passed: transfers have no deadline
  void give_up() { has_failed_ = true; }  // because another rank's trial failed

  std::string name() const override { return Mpi::library(); }

 private:
  void keep(const double* from, double* to, Index count) const override {
    base::copy_bytes(backend_, from, backend_, to, count * Index{sizeof(double)});
  }
  void send_to(int rank, const double* numbers, Index count) const override {
    in_messages(count, [&](Index first, int length, MPI_Request* request) {
      checked(MPI_Isend(numbers + first, length, MPI_DOUBLE, rank, 0, channel_, request),
              "MPI_Isend");
    });
  }
  void receive_from(int rank, double* numbers, Index count) const override {
    in_messages(count, [&](Index first, int length, MPI_Request* request) {
      checked(MPI_Irecv(numbers + first, length, MPI_DOUBLE, rank, 0, channel_, request),
              "MPI_Irecv");
    });
  }
  template <class Begin>
  void in_messages(Index count, Begin begin) const {
    for (Index first = 0; first < count; first += kMost) {
      MPI_Request request = MPI_REQUEST_NULL;
      begin(first, static_cast<int>(std::min(kMost, count - first)), &request);
      requests_.push_back(request);
    }
  }

  /// MPI ignores streams: waits for queued work first.
  void begin_as_group(const std::function<void()>& start) const override {
    if (has_failed_) base::fail(base::ErrorKind::internal, "the channel between devices is closed");
    try {
      check(cudaStreamSynchronize(backend_.device().stream()), "cudaStreamSynchronize");
      start();
      wait();
      requests_.clear();
    } catch (...) {
      has_failed_ = true;
      withdraw();
      throw;
    }
  }

  void wait() const {
    int is_done = 0;
    while (true) {
      checked(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &is_done,
                          MPI_STATUSES_IGNORE),
              "MPI_Testall");
      if (is_done != 0) return;
      listen_();
      if (until_ && Clock::now() > *until_)
        base::fail(base::ErrorKind::resources, name(), " fails to transfer between devices");
      std::this_thread::yield();
    }
  }

  // Cancels pending messages, since MPI must not write to memory that is freed next, and waits for
  // them: they end soon, or never, as a send without a receiver.
  void withdraw() const {
    for (MPI_Request& request : requests_)
      if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
    const Clock::time_point end = Clock::now() + kPatienceAtLast;
    int is_done = 0;
    while (is_done == 0 && Clock::now() < end &&
           MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &is_done,
                       MPI_STATUSES_IGNORE) == MPI_SUCCESS)
      std::this_thread::yield();
  }

  base::Backend backend_;
  std::function<void()> listen_;
  MPI_Comm channel_ = MPI_COMM_NULL;
  std::optional<Clock::time_point> until_ = Clock::now() + kPatienceAtFirst;
  mutable std::vector<MPI_Request> requests_;
  mutable bool has_failed_ = false;
};

/// Trial data of a rank on its device, and buffers for received data.
struct Sample {
  Sample(const base::Communicator& ranks, const base::Backend& device)
      : count(kTriedOut / ranks.size() + 1),
        counts(ranks.size(), count),
        sent(base::Array<double>::copy_of(numbers_from(ranks, count), device, kMemoryLabel)),
        received(device, sent.size(), kMemoryLabel) {}

  static std::vector<double> numbers_from(const base::Communicator& ranks, Index count) {
    std::vector<double> numbers;
    for (int to = 0; to < ranks.size(); ++to)
      for (Index k = 0; k < count; ++k) numbers.push_back(number(ranks.rank(), to, k));
    return numbers;
  }
  static double number(int from, int to, Index k) {
    return static_cast<double>(from) + 1e3 * to + 1e6 * static_cast<double>(k);
  }

  Index count;
  std::vector<Index> counts;
  base::Array<double> sent;
  base::Array<double> received;
};

/// Throws if numbers arrive changed.
void try_out(const MpiLinks& links, const base::Communicator& ranks, const base::Backend& device,
             Sample& sample) {
  links.exchange(sample.sent.data(), sample.counts, sample.received.data(), sample.counts);
  const auto come = sample.received.to(device.host());
  for (int from = 0; from < ranks.size(); ++from)
    for (Index k = 0; k < sample.count; ++k)
      if (come[from * sample.count + k] != Sample::number(from, ranks.rank(), k))
        base::fail(base::ErrorKind::resources, links.name(), " fails to transfer between devices");
}

}  // namespace

bool mpi_takes_device_memory() {
#if defined(OPEN_MPI) && defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int takes = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &takes) == MPI_SUCCESS && takes != 0;
#else
  return false;
#endif
}

std::unique_ptr<base::DeviceChannel> mpi_channel(const base::Communicator& ranks,
                                                 const base::Backend& backend,
                                                 const std::function<void()>& listen) {
  if (!ranks.all_true(mpi_takes_device_memory())) return nullptr;
  auto sample = std::make_unique<std::optional<Sample>>();
  if (!all_succeed(ranks, [&] { sample->emplace(ranks, backend); })) return nullptr;
  auto links = std::make_unique<MpiLinks>(ranks, backend, listen);
  if (!all_succeed(ranks, [&] { try_out(*links, ranks, backend, **sample); })) {
    links->give_up();
    static_cast<void>(sample.release());  // MPI may still write there
    return nullptr;
  }
  links->end_trial();
  return links;
}

}  // namespace cisolve::dist
