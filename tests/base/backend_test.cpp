#include "base/backend.hpp"
#include "base/backend_choice.hpp"

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/array.hpp"
#include "base/device.hpp"
#include "base/error.hpp"
#include "base/multivector.hpp"
#include "base/number.hpp"
#include "base/openmp/threads.hpp"
#include "base/text.hpp"
#include "tests/support/sanitizers.hpp"

namespace cisolve::base {
namespace {

ErrorKind fault_of(auto&& work, std::string& message) {
  try {
    work();
  } catch (const Error& error) {
    message = error.what();
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::internal;
}

TEST(Backend, AnExplicitNameNeverFallsBack) {
  EXPECT_EQ(Backend::by_name("reference", 0, {}).kind(), BackendKind::reference);
  EXPECT_EQ(Backend::by_name("openmp", 3, {}).threads(), 3);
  std::string reason;
  if (cuda::device_count(reason) == 0) {
    std::string message;
    EXPECT_EQ(fault_of([] { Backend::by_name("cuda", 0, {}); }, message), ErrorKind::backend);
    EXPECT_FALSE(reason.empty());
    EXPECT_NE(message.find("cuda"), std::string::npos);
    EXPECT_EQ(Backend::by_name("auto", 0, {}).kind(), BackendKind::openmp);
  } else {
    EXPECT_EQ(Backend::by_name("auto", 0, {}).kind(), BackendKind::cuda);
  }
}

TEST(Backend, ThreadsAreBoundByTheProcessors) {
  EXPECT_EQ(most_threads_on(1), 64);
  EXPECT_EQ(most_threads_on(4), 64);
  EXPECT_EQ(most_threads_on(8), 128);
  EXPECT_EQ(most_threads_on(192), 3072);
  EXPECT_EQ(most_threads_on(1 << 30), 4096);
  EXPECT_EQ(most_threads(), most_threads_on(omp_get_num_procs()));
}

TEST(Backend, UsesNoMoreThreadsThanProcessorsByDefault) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(99'999);
  EXPECT_EQ(Backend::openmp().threads(), most_threads());
  omp_set_num_threads(before);
  EXPECT_EQ(Backend::openmp().threads(), before);
}

TEST(Backend, RefusesMoreThreadsThanProcessors) {
  const int most = most_threads();
  EXPECT_EQ(Backend::by_name("openmp", most, {}).threads(), most);
  std::string message;
  EXPECT_EQ(fault_of([&] { Backend::by_name("openmp", most + 1, {}); }, message), ErrorKind::usage);
  EXPECT_TRUE(
      message.starts_with(concat(most + 1, " threads are requested; expected at most ", most,
                                 " on this machine of ", omp_get_num_procs(), " processor")))
      << message;
}

TEST(BackgroundThreads, AreTriedAgainIfAddressSpaceIsLimited) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer needs more address space than there is";
  // Runs in a new process: after a device was opened, CUDA has reserved most addresses.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto with_little_space = [] {
    if (!BackgroundThreads(8).can_start()) std::_Exit(1);
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = rlim_t{1} << 20;  // less than is in use already
    setrlimit(RLIMIT_AS, &limit);
    const bool can_start = BackgroundThreads(8).can_start();
    std::_Exit(can_start ? 2 : 0);
  };
  EXPECT_EXIT(with_little_space(), testing::ExitedWithCode(0), "");
}

TEST(BackgroundThreads, AreKnownToStartInTheNumberAlreadyReached) {
  const BackgroundThreads first(4);
  EXPECT_TRUE(first.can_start());
  const BackgroundThreads second(most_threads());
  EXPECT_TRUE(second.can_start());
  EXPECT_TRUE(second.can_start());
}

/// Later callers start no threads and would not notice that threads can no longer be started.
TEST(BackgroundThreads, AreTriedBeforeTimeCriticalCallers) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer has threads of its own";
  const int more = most_threads() + 50;  // more than other tests have started
  const auto with_no_process_left = [more](int tried) {
    can_start_background_threads(tried);
    constexpr uid_t kSomebody = 65'534;  // root has no such limit
    if (geteuid() == 0 && setuid(kSomebody) != 0) std::_Exit(2);
    rlimit limit{};
    getrlimit(RLIMIT_NPROC, &limit);
    limit.rlim_cur = 1;
    setrlimit(RLIMIT_NPROC, &limit);
    const bool can_start = BackgroundThreads(more).can_start();
    std::_Exit(can_start && can_start_background_threads(more) ? 0 : 1);
  };
  EXPECT_EXIT(with_no_process_left(more), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(with_no_process_left(2), testing::ExitedWithCode(1), "");
}

TEST(Backend, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  std::string message;
  EXPECT_EQ(fault_of([] { Backend::by_name("gpu", 0, {}); }, message), ErrorKind::usage);
  EXPECT_EQ(
      message,
      "unknown backend 'gpu'; expected auto, reference, openmp, cuda, or cuda:1 and so on for "
      "other devices");
}

TEST(MemoryBudget, CountsHeldBytesAndRefusesMoreThanTheLimit) {
  const Backend host = Backend::openmp(1, {.host_bytes = 1000});
  {
    const Array<double> first(host, 100, "the first");
    EXPECT_EQ(host.memory().used(), 800);
    std::string message;
    EXPECT_EQ(fault_of([&] { const Array<double> second(host, 26, "the second"); }, message),
              ErrorKind::resources);
    EXPECT_EQ(message,
              "not enough host memory: the second needs 208 B, but only 200 B of the memory budget "
              "of 1000 B "
              "are free; raise the budget or choose a smaller problem");
    const Array<double> fits(host, 25, "the third");
    EXPECT_EQ(host.memory().used(), 1000);
  }
  EXPECT_EQ(host.memory().used(), 0);
  EXPECT_EQ(host.memory().peak(), 1000);
}

TEST(MemoryBudget, SizesThatOverflowAreRefused) {
  const Backend host = Backend::openmp(1);
  for (const Index size : {Index{1} << 61, INT64_MAX, Index{-1}})
    EXPECT_THROW(Array<double>(host, size, "too much"), Error);
  EXPECT_EQ(host.memory().used(), 0);
}

TEST(MemoryBudget, IsLimitedByTheFreeAddressSpace) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer needs more address space than there is";
  // Runs in a new process: after a device was opened, CUDA has reserved most addresses.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto with_little_space = [] {
    const Index before = available_host_memory();
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = rlim_t{4} << 30;
    setrlimit(RLIMIT_AS, &limit);
    const Index left = available_host_memory();
    std::_Exit(before > left && left < Index{4} << 30 && left > 0 ? 0 : 1);
  };
  EXPECT_EXIT(with_little_space(), testing::ExitedWithCode(0), "");
}

TEST(MemoryBudget, ManyThreadsNeverPassTheLimit) {
  MemoryBudget budget(MemoryPlace::host, 1000);
  std::atomic<int> granted{0};
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) try {
          budget.reserve(7, "a piece");
          ++granted;
        } catch (const Error&) {
          ++refused;
        }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(granted, 1000 / 7);
  EXPECT_EQ(granted + refused, 800);
  EXPECT_EQ(budget.used(), 1000 / 7 * 7);
}

TEST(Array, MovesItsMemoryAndItsBudget) {
  const Backend host = Backend::openmp(1, {.host_bytes = 4096});
  Array<int> a(host, 10, "a");
  a[3] = 7;
  Array<int> b = std::move(a);
  EXPECT_EQ(b[3], 7);
  EXPECT_EQ(host.memory().used(), 40);
  b = Array<int>(host, 20, "b");
  EXPECT_EQ(host.memory().used(), 80);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 64, 0U);
}

TEST(Array, IsEmptyAfterAMove) {
  const Backend host = Backend::openmp(1, {.host_bytes = 4096});
  Array<int> a(host, 10, "a");
  Array<int> b = std::move(a);
  EXPECT_EQ(a.size(), 0);  // NOLINT(bugprone-use-after-move): what is left is the claim
  EXPECT_EQ(a.bytes(), 0);
  EXPECT_TRUE(a.span().empty());
  Array<int> c(host, 20, "c");
  c = std::move(b);
  EXPECT_EQ(c.size(), 10);
  EXPECT_EQ(b.size(), 0);                   // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(b.data(), nullptr);             // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(host.memory().used(), 40);      // c's former memory is freed at once
  EXPECT_EQ(b.to(host, "none").size(), 0);  // NOLINT(bugprone-use-after-move)
}

TEST(MultiVector, IsEmptyAfterAMove) {
  const Backend host = Backend::openmp(1, {.host_bytes = 4096});
  MultiVector x(host, 3, 2);
  MultiVector y = std::move(x);
  EXPECT_EQ(x.rows(), 0);  // NOLINT(bugprone-use-after-move): what is left is the claim
  EXPECT_EQ(x.columns(), 0);
  EXPECT_EQ(x.block().stride, 0);
  MultiVector z(host, 5, 1);
  z = std::move(y);
  EXPECT_EQ(z.rows(), 3);
  EXPECT_EQ(y.rows(), 0);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(host.memory().used(), 2 * 64);
}

TEST(MemoryBudget, FewerThanNoBytesAreRefused) {
  MemoryBudget budget(MemoryPlace::host, 100);
  EXPECT_THROW(budget.reserve(-1, "a mistake"), Error);
  EXPECT_THROW(budget.require(-1, "a mistake"), Error);
  EXPECT_EQ(budget.used(), 0);
}

// More than any address space, within a budget that allows it.
TEST(MemoryBudget, RefusedAllocationsAreNotCounted) {
  if constexpr (test::kSanitized)
    GTEST_SKIP() << "the sanitizers end a program that asks for so much";
  constexpr Index bytes = Index{1} << 56;
  const Backend host = Backend::openmp(1, {.host_bytes = 2 * bytes});
  std::string message;
  EXPECT_EQ(fault_of([&] { const Memory memory(host, bytes, "a wish"); }, message),
            ErrorKind::resources);
  EXPECT_NE(message.find("the system refused 64 PiB for a wish"), std::string::npos) << message;
  EXPECT_THROW(host.scratch(bytes), std::bad_alloc);
  EXPECT_EQ(host.memory().used(), 0);
}

TEST(Backend, WorkspaceGrowsInPlaceOfASecondOne) {
  const Backend host = Backend::openmp(1, {.host_bytes = Index{9} << 20});
  host.scratch(1);
  EXPECT_EQ(host.memory().used(), Index{1} << 20);
  host.scratch(Index{4} << 20);
  EXPECT_EQ(host.memory().used(), Index{4} << 20);
  host.scratch(Index{6} << 20);
  host.scratch(100);
  EXPECT_EQ(host.memory().used(), Index{6} << 20);
  EXPECT_THROW(host.scratch(Index{10} << 20), Error);
}

TEST(Backend, WorkspaceTakesASmallPartOfLittleMemory) {
  const Backend host = Backend::openmp(1, {.host_bytes = 800'000});
  host.scratch(1);
  EXPECT_EQ(host.memory().used(), 100'000);
  host.scratch(700'000);
  EXPECT_EQ(host.memory().used(), 700'000);
}

TEST(Reservation, ReturnsToTheBudgetItCameFrom) {
  MemoryBudget one(MemoryPlace::host, 100);
  MemoryBudget other(MemoryPlace::host, 100);
  {
    Reservation first(one, 60, "the first");
    Reservation second(other, 30, "the second");
    first = std::move(second);
    EXPECT_EQ(one.used(), 0);
    EXPECT_EQ(other.used(), 30);
  }
  EXPECT_EQ(one.used(), 0);
  EXPECT_EQ(other.used(), 0);
}

TEST(Reservation, HoldsUntilItEnds) {
  MemoryBudget budget(MemoryPlace::host, 100);
  {
    Reservation first(budget, 60, "the first");
    EXPECT_THROW(Reservation(budget, 50, "the second"), Error);
    Reservation third(budget, 40, "the third");
    third = std::move(first);
    EXPECT_EQ(budget.used(), 60);
    const Reservation fourth = std::move(third);
    EXPECT_EQ(budget.used(), 60);
  }
  EXPECT_EQ(budget.used(), 0);
}

TEST(Backend, OfADeviceIsNamedWithItsNumber) {
  EXPECT_EQ(device_number("cuda"), 0);
  EXPECT_EQ(device_number("cuda:0"), 0);
  EXPECT_EQ(device_number("cuda:12"), 12);
  for (const char* other : {"auto", "openmp", "cuda:", "cuda:-1", "cuda:01", "cuda:1x", "cuda1",
                            "cuda:99999999999", "cuda: 1"})
    EXPECT_FALSE(device_number(other)) << other;
  for (const char* name : {"auto", "reference", "openmp", "cuda", "cuda:0", "cuda:12"}) {
    ASSERT_TRUE(BackendChoice::named(name)) << name;
    EXPECT_EQ(BackendChoice::named(name)->text(), name);
  }
  EXPECT_FALSE(BackendChoice::named("cuda:01"));
  EXPECT_FALSE(BackendChoice::named("gpu"));
  std::string reason;
  const int count = cuda::device_count(reason);
  std::string message;
  EXPECT_EQ(fault_of([&] { Backend::by_name(concat("cuda:", count), 0, {}); }, message),
            ErrorKind::backend);
  if (count > 0) {
    EXPECT_NE(message.find(concat("no CUDA device ", count)), std::string::npos);
  }
}

TEST(Text, BytesAreReadable) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1 KiB");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes((Index{1} << 20) - 1), "1 MiB");
  EXPECT_EQ(human_bytes(Index{356} << 20), "356 MiB");
  EXPECT_EQ(human_bytes(INT64_MAX), "8.19e+03 PiB");
}

TEST(Text, NumbersHaveTheirDigitsInGroups) {
  for (const auto& [number, text] : {std::pair<Index, std::string>(0, "0"),
                                     {999, "999"},
                                     {1000, "1,000"},
                                     {-1, "-1"},
                                     {-123, "-123"},
                                     {-1234, "-1,234"},
                                     {-123456, "-123,456"},
                                     {1234567, "1,234,567"}})
    EXPECT_EQ(grouped(number), text);
}

TEST(Array, ACopyIsWholeHoweverLong) {
  const Backend host = Backend::openmp();
  for (const Index size : {Index{1}, (Index{1} << 20) - 1, (Index{1} << 20) + 12345}) {
    Array<std::int32_t> numbers(host, 3 * size, "numbers");
    for (Index i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i);
    const Array<std::int32_t> copy = numbers.to(host);
    ASSERT_TRUE(std::ranges::equal(copy.span(), numbers.span())) << size;
  }
}

}  // namespace
}  // namespace cisolve::base
