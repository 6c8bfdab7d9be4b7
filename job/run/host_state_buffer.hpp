#pragma once

#include <future>
#include <optional>

#include "base/multivector.hpp"

namespace cisolve::job {

using base::Index;

/// Memory of the host for the states that a device will find. A system gives its pages one by
/// one, which takes longer than to fill them: they are had while the device works.
class HostStateBuffer {
 public:
  /// Begins where the host has several times as much left.
  void begin(const base::Backend& host, Index rows, Index columns);

  /// The same vectors on the host, in this memory where it has their shape.
  base::MultiVector copy_of(const base::MultiVector& vectors, const base::Backend& host);
  /// What it holds.
  Index bytes() const;
  /// None will come.
  void release();

 private:
  std::optional<base::MultiVector> room_;
  std::future<void> had_;  // ends before the room
};

}  // namespace cisolve::job
