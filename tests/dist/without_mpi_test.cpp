#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dist/mpi.hpp"

namespace cisolve::dist {
namespace {

TEST(WithoutMpi, RanksAreRefusedWithTheRemedy) {
  EXPECT_FALSE(has_mpi());
  try {
    const Mpi mpi;
    FAIL() << "there is no MPI to begin";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::backend);
    EXPECT_THAT(error.what(), testing::HasSubstr("CISOLVE_MPI=ON"));
  }
}

}  // namespace
}  // namespace cisolve::dist
