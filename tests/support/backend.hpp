#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/backend.hpp"
#include "base/device.hpp"

namespace cisolve::test {

/// The backend under test: CISOLVE_TEST_BACKEND, or openmp when a program is started by hand.
inline std::string backend_name() {
  const char* name = std::getenv("CISOLVE_TEST_BACKEND");
  return name == nullptr ? "openmp" : name;
}

/// Reason why the backend under test is not available; empty if it is.
inline std::string missing_device() {
  std::string reason;
  if (backend_name() != "cuda" || base::cuda::device_count(reason) > 0) return {};
  return "no CUDA device: " + reason;
}

inline base::Backend backend_under_test() {
  return base::Backend::by_name(backend_name(), 0, base::Backend::Limits{});
}

/// Test of the backend under test; skipped, with the reason, if its device is missing.
class BackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = missing_device(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

}  // namespace cisolve::test
