#include "job/run/host_state_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/vectors.hpp"

// Host memory that is allocated before it is needed.
namespace cisolve::job {
namespace {

constexpr Index kStateRows = Index{1} << 19;  // 4 MiB a vector
constexpr Index kStateBytes = kStateRows * Index{sizeof(double)};

bool are_equal(const base::MultiVector& a, const base::MultiVector& b) {
  for (int j = 0; j < a.columns(); ++j)
    if (!std::equal(a.block().column(j), a.block().column(j) + a.rows(), b.block().column(j)))
      return false;
  return a.rows() == b.rows() && a.columns() == b.columns();
}

TEST(HostStateBuffer, ReceivesVectorsOfItsShape) {
  const base::Backend host = base::Backend::openmp(1, {.host_bytes = 32 * kStateBytes});
  const base::MultiVector states = test::random_vectors(kStateRows, 2, 1);
  HostStateBuffer buffer;
  buffer.begin(host, kStateRows, 2);
  EXPECT_EQ(host.memory().used(), 2 * kStateBytes);
  EXPECT_EQ(buffer.bytes(), 2 * kStateBytes);
  buffer.begin(host, kStateRows, 2);  // the only begin
  EXPECT_EQ(host.memory().used(), 2 * kStateBytes);
  {
    const base::MultiVector copy = buffer.copy_of(states, host);
    EXPECT_EQ(host.memory().used(), 2 * kStateBytes);
    EXPECT_TRUE(are_equal(copy, states));
    const base::MultiVector another = buffer.copy_of(states, host);
    EXPECT_EQ(host.memory().used(), 4 * kStateBytes);
    EXPECT_TRUE(are_equal(another, states));
  }
  EXPECT_EQ(host.memory().used(), 0);
}

TEST(HostStateBuffer, IsReleasedIfVectorsHaveAnotherShapeOrNoneCome) {
  const base::Backend host = base::Backend::openmp(1, {.host_bytes = 32 * kStateBytes});
  for (const auto& [rows, columns] : {std::pair(kStateRows, 1), {kStateRows - 1, 2}}) {
    const base::MultiVector states = test::random_vectors(rows, columns, 1);
    HostStateBuffer buffer;
    buffer.begin(host, kStateRows, 2);
    const base::MultiVector copy = buffer.copy_of(states, host);
    EXPECT_LE(host.memory().used(), columns * kStateBytes);
    EXPECT_TRUE(are_equal(copy, states));
  }
  HostStateBuffer buffer;
  buffer.begin(host, kStateRows, 2);
  buffer.release();
  EXPECT_EQ(buffer.bytes(), 0);
  EXPECT_EQ(host.memory().used(), 0);
}

TEST(HostStateBuffer, IsNotHadForFewBytesOrOfLittleMemory) {
  const auto begun = [](Index budget, Index rows, Index columns) {
    const base::Backend host = base::Backend::openmp(1, {.host_bytes = budget});
    HostStateBuffer buffer;
    buffer.begin(host, rows, columns);
    return host.memory().used() > 0;
  };
  EXPECT_TRUE(begun(16 * kStateBytes, kStateRows, 2));
  EXPECT_FALSE(begun(16 * kStateBytes - 1, kStateRows, 2));
  EXPECT_TRUE(begun(16 * kStateBytes, kStateRows, 1));
  EXPECT_FALSE(begun(16 * kStateBytes, kStateRows - 1, 1));
  EXPECT_FALSE(begun(16 * kStateBytes, Index{1} << 60, 1000));
}

}  // namespace
}  // namespace cisolve::job
