#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/backend.hpp"

namespace cisolve::base {

/// Requested backend: its kind and device, or the best available.
struct BackendChoice {
  std::optional<BackendKind> kind;  // none: auto
  std::optional<int> device;        // for cuda; none: any device

  BackendChoice() = default;
  BackendChoice(BackendKind given) : kind(given) {}  // NOLINT(google-explicit-constructor)

  /// Parses "auto", "reference", "openmp", "cuda", or "cuda:N" for device N; none for other names.
  static std::optional<BackendChoice> named(std::string_view name);

  bool is_automatic() const { return !kind; }
  bool needs_device() const { return kind == BackendKind::cuda; }
  bool may_have_device() const { return is_automatic() || needs_device(); }
  /// The name that named() parses.
  std::string text() const;
  bool operator==(const BackendChoice&) const = default;
};

}  // namespace cisolve::base
