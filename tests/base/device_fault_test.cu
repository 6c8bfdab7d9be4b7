#include <gtest/gtest.h>

#include <optional>

#include "base/array.hpp"
#include "base/cuda/context.hpp"
#include "base/error.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/broken_device.cuh"

// A device with a sticky error. Each test is a process of its own: nothing on the device works
// afterwards.
namespace cisolve::base {
namespace {

class DeviceFault : public test::BackendTest {};

std::string failure_of(auto&& work) {
  try {
    work();
  } catch (const DeviceMemoryError& error) {
    ADD_FAILURE() << "said to be memory: " << error.what();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resources);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST_F(DeviceFault, IsThrownByEveryCheckedCallAndByNoDestructor) {
  const std::string lost = "this process cannot use it any more";
  {
    const Backend device = Backend::cuda(0, {});
    Array<double> values(device, 1000, "values");
    EXPECT_NE(device.scratch(1000), nullptr);
    device.device().blas();
    std::optional<cuda::Event> event(std::in_place);
    test::break_device(device.device().stream());
    const std::string first = failure_of([&] { device.synchronize(); });
    EXPECT_NE(first.find("illegal memory access"), std::string::npos) << first;
    EXPECT_NE(first.find(lost), std::string::npos) << first;
    for (int round = 0; round < 2; ++round) {
      EXPECT_NE(failure_of([&] { values.to(device.host()); }).find(lost), std::string::npos);
      EXPECT_NE(failure_of([&] { Array<double>(device, 10, "more"); }).find(lost),
                std::string::npos);
      EXPECT_NE(failure_of([&] { Backend::cuda(0, {}); }).find(lost), std::string::npos);
    }
    EXPECT_EQ(device.memory().used(), 8000 + (Index{1} << 20));
  }  // destroys the event, the memory, the handle and the stream
  SUCCEED();
}

}  // namespace
}  // namespace cisolve::base
