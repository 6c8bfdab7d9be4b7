#include "job/request/phase_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>

namespace cisolve::job {
namespace {

void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

std::map<std::string, double> by_name(const std::vector<PhaseTimes::Entry>& entries) {
  return {entries.begin(), entries.end()};
}

TEST(PhaseTimes, AddUpToTheTotal) {
  PhaseTimes times;
  wait();
  times.end("open_s");
  wait();
  times.end("describe_s");
  const double opened = by_name(times.all()).at("open_s");
  wait();
  times.end("build_s");
  wait();
  times.end("describe_s");
  times.set_product(1000);
  const auto all = by_name(times.all());
  double sum = 0;
  for (const auto& [phase, seconds] : all)
    if (phase != "product_s" && phase != "total_s") sum += seconds;
  EXPECT_NEAR(sum, all.at("total_s"), 1e-12);
  EXPECT_EQ(all.at("open_s"), opened);
  EXPECT_GE(all.at("describe_s"), 0.004);
  EXPECT_EQ(all.at("product_s"), 1000);
}

TEST(PhaseTimes, UsualPhasesAreListedEvenIfSkipped) {
  PhaseTimes times;
  times.end("open_s");
  const auto all = by_name(times.all());
  for (const char* phase : {"open_s", "wait_for_backend_s", "build_s", "solve_s", "product_s",
                            "verify_s", "analysis_s", "write_s", "total_s"})
    EXPECT_TRUE(all.contains(phase)) << phase;
  EXPECT_EQ(all.at("solve_s"), 0);
  EXPECT_EQ(by_name(times.so_far()).size(), 2U);  // open_s and product_s
}

}  // namespace
}  // namespace cisolve::job
