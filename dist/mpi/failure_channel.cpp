#include "dist/mpi/failure_channel.hpp"

#include <algorithm>

#include "dist/mpi/checked.hpp"

namespace cisolve::dist {
namespace {

constexpr int kTag = 1;

}  // namespace

FailureChannel::FailureChannel() {
  checked(MPI_Comm_dup(MPI_COMM_WORLD, &ranks_), "MPI_Comm_dup");
  checked(MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  checked(MPI_Comm_rank(ranks_, &rank_), "MPI_Comm_rank");
  checked(MPI_Comm_size(ranks_, &size_), "MPI_Comm_size");
}

FailureChannel::Notice FailureChannel::notice_of(const Failure& failure) {
  Notice notice;
  notice.fault = static_cast<std::int64_t>(failure.fault);
  failure.reason.copy(notice.reason, sizeof notice.reason - 1);
  return notice;
}

void FailureChannel::send_failure(const Failure& failure) noexcept { send(notice_of(failure)); }

void FailureChannel::send_left(std::int64_t operations,
                               const std::optional<Failure>& failure) noexcept {
  Notice notice = failure ? notice_of(*failure) : Notice();
  notice.operations = operations;
  send(notice);
}

void FailureChannel::send(const Notice& notice) noexcept {
  sent_.push_back(notice);
  for (int to = 0; to < size_; ++to) {
    if (to == rank_) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Isend(&sent_.back(), sizeof(Notice), MPI_BYTE, to, kTag, ranks_, &request) ==
        MPI_SUCCESS)
      sending_.push_back(request);
  }
}

void FailureChannel::poll() {
  int done = 0;
  if (!sending_.empty())
    checked(
        MPI_Testall(static_cast<int>(sending_.size()), sending_.data(), &done, MPI_STATUSES_IGNORE),
        "MPI_Testall");
  if (done != 0) sending_.clear();
  while (true) {
    int has_come = 0;
    MPI_Status status;
    checked(MPI_Iprobe(MPI_ANY_SOURCE, kTag, ranks_, &has_come, &status), "MPI_Iprobe");
    if (has_come == 0) return;
    Notice notice;
    checked(MPI_Recv(&notice, sizeof notice, MPI_BYTE, status.MPI_SOURCE, kTag, ranks_,
                     MPI_STATUS_IGNORE),
            "MPI_Recv");
    take(notice);
  }
}

void FailureChannel::take(const Notice& notice) {
  if (notice.fault != kNone && !failure_)
    failure_ = {static_cast<base::ErrorKind>(notice.fault), notice.reason};
  if (notice.operations == kNone) return;
  fewest_ = left_ == 0 ? notice.operations : std::min(fewest_, notice.operations);
  ++left_;
}

void FailureChannel::free() {
  if (!sending_.empty())
    checked(MPI_Waitall(static_cast<int>(sending_.size()), sending_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
  checked(MPI_Comm_free(&ranks_), "MPI_Comm_free");
}

}  // namespace cisolve::dist
