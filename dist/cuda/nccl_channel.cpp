#include "dist/cuda/nccl_channel.hpp"

#include <cuda_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/cuda/context.hpp"
#include "base/multivector.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/ranks/point_to_point_channel.hpp"
#include "dist/cuda/all_succeed.hpp"
#include "dist/cuda/nccl.hpp"

namespace cisolve::dist {
namespace {

using base::Index;
using base::cuda::check;
using Clock = std::chrono::steady_clock;

constexpr auto kWays = "the channels between devices";
constexpr auto kPatienceWithNccl =
    std::chrono::seconds(60);  // limit for NCCL, which may hang at the start

/// Machine and device.
using Place = std::array<char, 128>;

Place place_of(const base::Backend& backend) {
  Place place{};
  gethostname(place.data(), place.size() / 2);
  check(cudaDeviceGetPCIBusId(place.data() + place.size() / 2, static_cast<int>(place.size() / 2),
                              backend.device().info().number),
        "cudaDeviceGetPCIBusId");
  return place;
}

class NcclLinks final : public base::PointToPointChannel {
 public:
  NcclLinks(const NcclLibrary& nccl, const base::Communicator& ranks, const base::Backend& backend,
            std::function<void()> listen)
      : PointToPointChannel(ranks), nccl_(nccl), backend_(backend), listen_(std::move(listen)) {}
  /// Aborts pending operations without waiting for other ranks.
  ~NcclLinks() override { abandon(); }

  // Starts NCCL within its time limit, one rank after the other.
  void begin(const ncclUniqueId& id) {
    until_ = Clock::now() + kPatienceWithNccl;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    config.splitShare = 1;
    stream();  // makes the device current
    nccl_.check(nccl_.begin(&first_, ranks().size(), id, ranks().rank(), &config),
                "ncclCommInitRankConfig");
    settle(first_);
    links_ = first_;
  }
  /// NCCL connects on first use, which takes a tenth of a second.
  void connect() {
    const Index numbers = (Index{1} << 20) / ranks().size();
    const Index all = numbers * ranks().size();
    std::optional<base::MultiVector> vectors;
    base::run_collectively(ranks(), [&] { vectors.emplace(backend_, all, 2, kWays); });
    const base::Block block = vectors->block();
    check(cudaMemsetAsync(block.data, 0, static_cast<std::size_t>(all) * sizeof(double), stream()),
          "cudaMemsetAsync");
    const std::vector<Index> counts(ranks().size(), numbers);
    all_gather_others(base::Layout::even(all, ranks().size()), block.column(0), block.column(1));
    exchange(block.column(0), counts, block.column(1), counts);
  }
  /// Splits off a blocking communicator: a non-blocking one starts a thread for each operation,
  /// which takes a tenth of a millisecond. Connections are reused, so that starting an operation
  /// does not wait.
  void use_blocking_communicator() {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    nccl_.check(nccl_.split(first_, 0, ranks().rank(), &quick_, &config), "ncclCommSplit");
    settle(first_);
    links_ = quick_;
  }
  void end_trial() { until_.reset(); }

  std::string name() const override { return nccl_.name(); }

 private:
  // An NCCL thread that is still splitting writes quick_ until it is joined, as by ending first_.
  void abandon() const {
    if (std::exchange(links_, nullptr) != first_) end(quick_);
    end(first_);
    end(quick_);
  }
  void end(ncclComm_t& links) const {
    if (links != nullptr) nccl_.abort(std::exchange(links, nullptr));
  }

  cudaStream_t stream() const { return backend_.device().stream(); }

  void send_to(int rank, const double* numbers, Index count) const override {
    if (count > 0)
      nccl_.check(
          nccl_.send(numbers, static_cast<std::size_t>(count), ncclDouble, rank, links_, stream()),
          "ncclSend");
  }
  void receive_from(int rank, double* numbers, Index count) const override {
    if (count > 0)
      nccl_.check(nccl_.receive(numbers, static_cast<std::size_t>(count), ncclDouble, rank, links_,
                                stream()),
                  "ncclRecv");
  }
  void keep(const double* from, double* to, Index count) const override {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(double),
                          cudaMemcpyDeviceToDevice, stream()),
          "cudaMemcpyAsync");
  }

  void begin_as_group(const std::function<void()>& start) const override {
    if (links_ == nullptr)
      base::fail(base::ErrorKind::internal, "the channel between devices is closed");
    try {
      start_and_wait(start);
    } catch (...) {
      abandon();  // before freeing memory, which synchronises the device
      throw;
    }
  }

  void start_and_wait(const std::function<void()>& start) const {
    nccl_.check(nccl_.group_start(), "ncclGroupStart");
    start();
    nccl_.check(nccl_.group_end(), "ncclGroupEnd");
    settle(links_);
    while (!is_done()) {
      settle(links_);
      poll_failures();
      std::this_thread::yield();
    }
  }

  bool is_done() const {
    const cudaError_t status = cudaStreamQuery(stream());
    if (status != cudaErrorNotReady) check(status, "cudaStreamQuery");
    if (status == cudaErrorNotReady) cudaGetLastError();  // clears a status that is no error
    return status == cudaSuccess;
  }

  void poll_failures() const {
    listen_();
    if (until_ && Clock::now() > *until_)
      base::fail(base::ErrorKind::resources,
                 "NCCL does not start; set NCCL_DEBUG=INFO for details");
  }

  /// Waits until NCCL has started the operation.
  void settle(ncclComm_t links) const {
    ncclResult_t state = ncclInProgress;
    while (true) {
      nccl_.check(nccl_.state(links, &state), "ncclCommGetAsyncError");
      nccl_.check(state, "NCCL");
      if (state != ncclInProgress) break;
      poll_failures();
      std::this_thread::yield();
    }
  }

  const NcclLibrary& nccl_;
  base::Backend backend_;
  std::function<void()> listen_;
  mutable ncclComm_t first_ = nullptr;  // initial communicator
  mutable ncclComm_t quick_ = nullptr;  // split from it, once all ranks have one
  mutable ncclComm_t links_ = nullptr;  // the one in use
  std::optional<Clock::time_point> until_;
};

}  // namespace

std::unique_ptr<base::DeviceChannel> nccl_channel(const base::Communicator& ranks,
                                                  const base::Backend& backend,
                                                  const std::function<void()>& listen) {
  const Place place = place_of(backend);
  if (!ranks.all_differ(std::as_bytes(std::span(place)))) return nullptr;
  const NcclLibrary* nccl = NcclLibrary::get();
  ncclUniqueId id{};
  bool can_begin = nccl != nullptr;
  if (can_begin && ranks.rank() == 0) can_begin = nccl->unique_id(&id) == ncclSuccess;
  if (!ranks.all_true(can_begin)) return nullptr;
  ranks.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
  auto links = std::make_unique<NcclLinks>(*nccl, ranks, backend, listen);
  if (!all_succeed(ranks, [&] { links->begin(id); })) return nullptr;
  if (!all_succeed(ranks, [&] { links->connect(); })) return nullptr;
  if (ranks.all_true(nccl->split != nullptr) &&
      !all_succeed(ranks, [&] { links->use_blocking_communicator(); }))
    return nullptr;
  links->end_trial();
  return links;
}

}  // namespace cisolve::dist
