#include "job/run/host_state_buffer.hpp"

#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

namespace cisolve::job {

namespace {

/// Requests huge pages, which are freed some twenty times faster. Faulting them takes longer, but
/// nothing waits for that. No effect if there are none.
void prefer_large_pages(void* data, std::size_t size) {
  constexpr std::size_t kPage = std::size_t{1} << 21;
  if (std::align(kPage, kPage, data, size) != nullptr)
    madvise(data, size / kPage * kPage, MADV_HUGEPAGE);
}

}  // namespace

// One thread: the others do the work that the device waits for.
void HostStateBuffer::begin(const base::Backend& host, Index rows, Index columns) {
  constexpr Index kTimes = 8;
  constexpr Index kFewBytes = Index{1} << 22;
  const double bytes = static_cast<double>(rows) * static_cast<double>(columns) * sizeof(double);
  const double left = static_cast<double>(host.host_memory().left());
  if (buffer_ || bytes < kFewBytes || kTimes * bytes > left) return;
  buffer_.emplace(host, rows, static_cast<int>(columns), "states that a device finds");
  const base::Block all = buffer_->block();
  const auto size = static_cast<std::size_t>(all.stride * all.columns) * sizeof(double);
  prefer_large_pages(all.data, size);
  try {
    had_ = std::async(std::launch::async, [all, size] { std::memset(all.data, 0, size); });
  } catch (const std::system_error&) {
    had_ = {};  // no thread could be started
  }
}

Index HostStateBuffer::bytes() const {
  return buffer_ ? buffer_->rows() * buffer_->columns() * Index{sizeof(double)} : 0;
}

void HostStateBuffer::release() {
  if (had_.valid()) had_.get();
  buffer_.reset();
}

base::MultiVector HostStateBuffer::copy_of(const base::MultiVector& vectors,
                                           const base::Backend& host) {
  if (had_.valid()) had_.get();
  std::optional<base::MultiVector> buffer = std::exchange(buffer_, std::nullopt);
  if (!buffer || buffer->rows() != vectors.rows() || buffer->columns() != vectors.columns()) {
    buffer.reset();
    return vectors.to(host);
  }
  base::copy_columns(vectors.backend(), vectors.block(), host, buffer->block());
  return *std::move(buffer);
}

}  // namespace cisolve::job
