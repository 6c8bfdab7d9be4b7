#include "job/run/host_state_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/vectors.hpp"

// Host memory that is allocated before it is needed.
namespace cisolve::job {
namespace {

constexpr Index kHomeRows = Index{1} << 19;  // 4 MiB a vector
constexpr Index kHomeVector = kHomeRows * Index{sizeof(double)};

bool are_equal(const base::MultiVector& a, const base::MultiVector& b) {
  for (int j = 0; j < a.columns(); ++j)
    if (!std::equal(a.block().column(j), a.block().column(j) + a.rows(), b.block().column(j)))
      return false;
  return a.rows() == b.rows() && a.columns() == b.columns();
}

TEST(HostStateBuffer, IsWhatVectorsOfItsShapeAreCopiedInto) {
  const base::Backend host = base::Backend::openmp(1, {.host_bytes = 32 * kHomeVector});
  const base::MultiVector states = test::random_vectors(kHomeRows, 2, 1);
  HostStateBuffer room;
  room.begin(host, kHomeRows, 2);
  EXPECT_EQ(host.memory().used(), 2 * kHomeVector);
  EXPECT_EQ(room.bytes(), 2 * kHomeVector);
  room.begin(host, kHomeRows, 2);  // once
  EXPECT_EQ(host.memory().used(), 2 * kHomeVector);
  {
    const base::MultiVector copy = room.copy_of(states, host);
    EXPECT_EQ(host.memory().used(), 2 * kHomeVector);
    EXPECT_TRUE(are_equal(copy, states));
    const base::MultiVector another = room.copy_of(states, host);
    EXPECT_EQ(host.memory().used(), 4 * kHomeVector);
    EXPECT_TRUE(are_equal(another, states));
  }
  EXPECT_EQ(host.memory().used(), 0);
}

TEST(HostStateBuffer, IsReturnedWhereVectorsHaveAnotherShapeOrNoneComes) {
  const base::Backend host = base::Backend::openmp(1, {.host_bytes = 32 * kHomeVector});
  for (const auto& [rows, columns] : {std::pair(kHomeRows, 1), {kHomeRows - 1, 2}}) {
    const base::MultiVector states = test::random_vectors(rows, columns, 1);
    HostStateBuffer room;
    room.begin(host, kHomeRows, 2);
    const base::MultiVector copy = room.copy_of(states, host);
    EXPECT_LE(host.memory().used(), columns * kHomeVector);
    EXPECT_TRUE(are_equal(copy, states));
  }
  HostStateBuffer room;
  room.begin(host, kHomeRows, 2);
  room.release();
  EXPECT_EQ(room.bytes(), 0);
  EXPECT_EQ(host.memory().used(), 0);
}

TEST(HostStateBuffer, IsNotHadForFewBytesOrOfLittleMemory) {
  const auto begun = [](Index budget, Index rows, Index columns) {
    const base::Backend host = base::Backend::openmp(1, {.host_bytes = budget});
    HostStateBuffer room;
    room.begin(host, rows, columns);
    return host.memory().used() > 0;
  };
  EXPECT_TRUE(begun(16 * kHomeVector, kHomeRows, 2));
  EXPECT_FALSE(begun(16 * kHomeVector - 1, kHomeRows, 2));
  EXPECT_TRUE(begun(16 * kHomeVector, kHomeRows, 1));
  EXPECT_FALSE(begun(16 * kHomeVector, kHomeRows - 1, 1));
  EXPECT_FALSE(begun(16 * kHomeVector, Index{1} << 60, 1000));
}

}  // namespace
}  // namespace cisolve::job
