#include "job/run/background_reading.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/array.hpp"
#include "base/error.hpp"

namespace cisolve::job {
namespace {

constexpr Index kPlenty = Index{1} << 30;

Request request_of_water(const std::string& file = "h2o_sto3g.fcidump") {
  Request request;
  request.source = ProblemSource::fcidump;
  request.fcidump = std::string(CISOLVE_SOURCES) + "/tests/data/" + file;
  return request;
}

base::Backend host_with(Index bytes) { return base::Backend::openmp(2, {.host_bytes = bytes}); }

Index bytes_of_reading() {
  const base::Backend host = host_with(kPlenty);
  const IndependentProblem reading(request_of_water(), host);
  return host.host_memory().peak();
}

TEST(BackgroundReading, GivesTheReadingThatWouldFollowLater) {
  const base::Backend host = host_with(kPlenty);
  const Request request = request_of_water();
  BackgroundReading background;
  background.begin(request, host);
  EXPECT_TRUE(background.is_started());
  const auto found = background.finish(request, host);
  EXPECT_FALSE(background.is_started());
  const IndependentProblem later(request, host);
  ASSERT_NE(found->determinants(), nullptr);
  EXPECT_EQ(found->determinants()->space.dimension(), later.determinants()->space.dimension());
  EXPECT_EQ(found->determinants()->integrals.core_energy(),
            later.determinants()->integrals.core_energy());
}

TEST(BackgroundReading, ReadsAtTheEndIfNotStarted) {
  const base::Backend host = host_with(kPlenty);
  BackgroundReading background;
  EXPECT_NE(background.finish(request_of_water(), host)->determinants(), nullptr);
}

TEST(BackgroundReading, DoesNotStartIfMemoryIsShort) {
  const base::Backend host = host_with(kPlenty);
  const base::Array<double> held(host, kPlenty / 32, "what is held");  // a quarter
  const Request request = request_of_water();
  BackgroundReading background;
  background.begin(request, host);
  EXPECT_FALSE(background.is_started());
}

TEST(BackgroundReading, ReadsAgainIfMemoryWasShort) {
  const Index needed = bytes_of_reading();
  const base::Backend host = host_with(needed);
  const Request request = request_of_water();
  BackgroundReading background;
  {
    const base::Array<std::byte> held(host, needed / 10, "what is held");
    background.begin(request, host);
    ASSERT_TRUE(background.is_started());
    std::this_thread::sleep_for(
        std::chrono::milliseconds(200));  // long enough for the reading to exceed the budget
  }
  EXPECT_NE(background.finish(request, host)->determinants(), nullptr);
}

TEST(BackgroundReading, ReportsFileErrorsAtTheEnd) {
  const base::Backend host = host_with(kPlenty);
  const Request request = request_of_water("none.fcidump");
  BackgroundReading background;
  background.begin(request, host);
  EXPECT_THROW(background.finish(request, host), base::Error);
}

}  // namespace
}  // namespace cisolve::job
