#pragma once

#include <future>
#include <optional>

#include "base/multivector.hpp"

namespace cisolve::job {

using base::Index;

/// Host memory for the states that a device will find. Page faults take longer than filling the
/// pages, so they are taken while the device works.
class HostStateBuffer {
 public:
  /// Allocates if the host has several times as much memory left.
  void begin(const base::Backend& host, Index rows, Index columns);

  /// A host copy of `vectors`, in this memory if it has their shape.
  base::MultiVector copy_of(const base::MultiVector& vectors, const base::Backend& host);
  /// Allocated bytes.
  Index bytes() const;
  /// Frees the memory.
  void release();

 private:
  std::optional<base::MultiVector> buffer_;
  std::future<void> had_;  // page faults; waited for before buffer_ is freed
};

}  // namespace cisolve::job
