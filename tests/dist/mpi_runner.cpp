#include "tests/dist/mpi_runner.hpp"

#include <optional>
#include <string>

#include "base/device.hpp"
#include "base/ranks/collective_errors.hpp"
#include "dist/mpi.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/rank_runner.hpp"

// A small transfer size, so that long operations take many pieces.
namespace cisolve::test {
namespace {

constexpr base::Index kPiece = 50;

const dist::Mpi* mpi = nullptr;

struct ThrownError {
  base::ErrorKind fault = base::ErrorKind::internal;
  std::string message;
  bool of_peer = false;
};

std::optional<ThrownError> error_thrown_by(const RankWork& work) {
  const auto ranks = mpi->ranks(kPiece);
  try {
    work(*ranks);
    return std::nullopt;
  } catch (const base::PeerFailed& error) {
    return ThrownError{error.kind(), error.what(), true};
  } catch (const base::Error& error) {
    base::abort_for(*ranks, std::current_exception());
    return ThrownError{error.kind(), error.what(), false};
  }
}

/// All ranks rethrow the own error of the lowest rank.
void run_mpi_ranks(int size, const RankWork& work) {
  if (size != mpi->size()) base::fail(base::ErrorKind::internal, "there are not ", size, " ranks");
  const auto thrown = error_thrown_by(work);
  const auto ranks = mpi->ranks();
  const double none = 2 * size;
  const double mine = !thrown ? none : ranks->rank() + (thrown->of_peer ? size : 0);
  const double first = ranks->minimum(mine);
  if (first == none) return;
  const int root = static_cast<int>(first) % size;
  ThrownError first_thrown = thrown.value_or(ThrownError{});
  double head[] = {static_cast<double>(first_thrown.fault),
                   static_cast<double>(first_thrown.message.size())};
  ranks->broadcast(std::span<double>(head), root);
  first_thrown.message.resize(static_cast<std::size_t>(head[1]));
  ranks->broadcast(std::as_writable_bytes(std::span(first_thrown.message)), root);
  const auto fault = static_cast<base::ErrorKind>(head[0]);
  if (first >= size) throw base::PeerFailed(fault, first_thrown.message);
  throw base::Error(fault, first_thrown.message);
}

base::Index total_of_processes(base::Index own_count) {
  const auto ranks = mpi->ranks();
  double count = static_cast<double>(own_count);
  ranks->sum({&count, 1});
  return static_cast<base::Index>(count);
}

}  // namespace

void test_mpi(const dist::Mpi& begun) {
  mpi = &begun;
  // With fewer devices than ranks, some share one.
  if (backend_name() == "cuda" && missing_device().empty())
    rank_backend = [] {
      std::string reason;
      static const base::Backend device =
          base::Backend::cuda(mpi->place_on_node() % base::cuda::device_count(reason));
      return device;
    };
  rank_runner = {[] { return std::vector{mpi->size()}; }, run_mpi_ranks, total_of_processes};
}

}  // namespace cisolve::test
