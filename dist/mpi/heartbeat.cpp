#include "dist/mpi/heartbeat.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <utility>

#include "dist/mpi/checked.hpp"

namespace cisolve::dist {
namespace {

using Beat = std::atomic<std::int64_t>;
static_assert(Beat::is_always_lock_free, "processes share them");

constexpr auto kStep = std::chrono::milliseconds(250);
constexpr int kStepsOfPatience = 20;  // steps without a heartbeat until a rank is lost
constexpr std::int64_t kLeft = -1;    // counter of a rank that has finished
constexpr int kNameLength = 64;

/// Communicator of this node's ranks.
class Node {
 public:
  Node() {
    checked(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &ranks_),
            "MPI_Comm_split_type");
    checked(MPI_Comm_rank(ranks_, &rank), "MPI_Comm_rank");
    checked(MPI_Comm_size(ranks_, &size), "MPI_Comm_size");
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() { MPI_Comm_free(&ranks_); }

  std::vector<int> numbers() const {
    int mine = 0;
    checked(MPI_Comm_rank(MPI_COMM_WORLD, &mine), "MPI_Comm_rank");
    std::vector<int> all(size);
    checked(MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, ranks_), "MPI_Allgather");
    return all;
  }
  void broadcast(char* name) const {
    checked(MPI_Bcast(name, kNameLength, MPI_CHAR, 0, ranks_), "MPI_Bcast");
  }
  bool all_true(bool mine) const {
    int all = mine ? 1 : 0;
    checked(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, ranks_), "MPI_Allreduce");
    return all == 1;
  }

  int rank = 0;
  int size = 1;

 private:
  MPI_Comm ranks_ = MPI_COMM_NULL;
};

/// Maps shared memory of this name, created by the first rank; null on failure.
void* shared_memory(const char* name, bool makes, std::size_t bytes) {
  const int file = shm_open(name, makes ? O_CREAT | O_EXCL | O_RDWR : O_RDWR, S_IRUSR | S_IWUSR);
  if (file < 0) return nullptr;
  const bool has_size = !makes || ftruncate(file, static_cast<off_t>(bytes)) == 0;
  void* memory =
      has_size ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  return memory == MAP_FAILED ? nullptr : memory;
}

/// Starts a thread with all signals blocked.
template <class Work>
std::jthread thread_without_signals(Work work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::jthread thread(work);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

std::unique_ptr<Heartbeat> Heartbeat::begin(const OnRankLost& lost) {
  const Node node;
  if (node.size == 1) return nullptr;
  char name[kNameLength] = {};
  base::concat("/ci-solve-", getpid()).copy(name, kNameLength - 1);
  node.broadcast(name);
  const std::size_t bytes = node.size * sizeof(Beat);
  void* memory = node.rank == 0 ? shared_memory(name, true, bytes) : nullptr;
  node.all_true(true);  // waits until the heartbeat exists on the whole node
  if (node.rank > 0) memory = shared_memory(name, false, bytes);
  const bool have_all = node.all_true(memory != nullptr);
  if (node.rank == 0) shm_unlink(name);
  if (have_all) {
    const Beats beats(static_cast<Beat*>(memory), node.size);
    return std::unique_ptr<Heartbeat>(new Heartbeat(beats, node.numbers(), node.rank, lost));
  }
  if (memory != nullptr) munmap(memory, bytes);
  return nullptr;
}

Heartbeat::Heartbeat(Beats beats, std::vector<int> ranks, int mine, OnRankLost lost)
    : beats_(beats),
      ranks_(std::move(ranks)),
      mine_(mine),
      lost_(std::move(lost)),
      thread_(thread_without_signals([this](const std::stop_token& stop) { watch(stop); })) {}

Heartbeat::~Heartbeat() {
  thread_.request_stop();
  thread_.join();
  beats_[mine_] = kLeft;
  munmap(beats_.data(), beats_.size_bytes());
}

void Heartbeat::watch(const std::stop_token& stop) {
  std::vector<std::int64_t> last(beats_.size(), 0);
  std::vector<int> silent(beats_.size(), 0);
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, stop, kStep, [&] { return stop.stop_requested(); })) {
    ++beats_[mine_];
    for (std::size_t r = 0; r < beats_.size(); ++r) {
      const std::int64_t beat = beats_[r];
      silent[r] = beat == std::exchange(last[r], beat) && beat != kLeft ? silent[r] + 1 : 0;
    }
    const auto lost = std::ranges::find(silent, kStepsOfPatience);
    if (lost == silent.end()) continue;
    // One of the remaining ranks reports it; others may notice a step later.
    const auto reporter =
        std::ranges::find_if(silent, [](int steps) { return steps < kStepsOfPatience / 2; });
    return lost_(ranks_[lost - silent.begin()], reporter - silent.begin() == mine_);
  }
}

}  // namespace cisolve::dist
