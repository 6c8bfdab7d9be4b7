#include <gtest/gtest.h>

#include "base/block_kernels.hpp"
#include "base/multivector.hpp"
#include "sparse/stored/products.hpp"
#include "tests/support/backend.hpp"

// 2^31 + 1 non-zeros in the memory of a device: every row has ones at column 0, and the very last
// element, beyond 31-bit indices, is different.
namespace cisolve::sparse {
namespace {

constexpr Index kRowLength = Index{1} << 16;
constexpr Index kLargeRows = (Index{1} << 15) + 1;
constexpr Index kElements = kRowLength * (kLargeRows - 1) + 1;
constexpr Index kBytesNeeded = Index{40} << 30;
static_assert(kElements == (Index{1} << 31) + 1);

class LargeDevice : public test::BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    if (IsSkipped()) return;
    const base::Backend backend = test::backend_under_test();
    if (backend.is_host()) GTEST_SKIP() << "the host's test needs no memory: large_offsets";
    if (backend.memory().limit() < kBytesNeeded) GTEST_SKIP() << "less than 40 GiB on the device";
  }

  /// `size` ones at column 0, the last of them a 5 at column 1.
  struct Elements {
    Elements(const base::Backend& backend, Index size)
        : columns(backend, size + size % 2, "columns"), values(backend, size, "values") {
      const base::BlockKernels& kernels = base::block_kernels(backend);
      kernels.fill(backend, 1, {values.data(), size, 1, size});
      const Index words = columns.size() / 2;  // two zero columns have the bits of one zero double
      kernels.fill(backend, 0, {reinterpret_cast<double*>(columns.data()), words, 1, words});
      const double five = 5;
      const Column one = 1;
      base::copy_bytes(backend.host(), &five, backend, values.data() + size - 1, sizeof five);
      base::copy_bytes(backend.host(), &one, backend, columns.data() + size - 1, sizeof one);
    }
    base::Array<Column> columns;
    base::Array<double> values;
  };

  template <class View>
  base::MultiVector product(const base::Backend& backend, const View& view) {
    base::MultiVector x(base::Backend::reference(), 2, 1);
    x(0, 0) = 2;
    x(1, 0) = 3;
    const base::MultiVector x_on_backend = x.to(backend);
    base::MultiVector y_on_backend(backend, kLargeRows, 1);
    cuda::multiply(backend, 1, view, x_on_backend.block(), 0, y_on_backend.block());
    return y_on_backend.to(base::Backend::reference());
  }

  template <class View>
  void expect_product(const base::Backend& backend, const View& view, double last) {
    const base::MultiVector y = product(backend, view);
    for (Index row = 0; row + 1 < kLargeRows; ++row) ASSERT_EQ(y(row, 0), 2.0 * kRowLength) << row;
    EXPECT_EQ(y(kLargeRows - 1, 0), last);
  }
};

TEST_F(LargeDevice, CsrReachesItsLastElement) {
  const base::Backend backend = test::backend_under_test();
  const Elements elements(backend, kElements);
  std::vector<Index> offsets(kLargeRows + 1);
  for (Index row = 0; row < kLargeRows; ++row) offsets[row] = row * kRowLength;
  offsets[kLargeRows] = kElements;
  const auto on_device = base::Array<Index>::copy_of(offsets, backend, "offsets");
  expect_product(backend,
                 CsrView{kLargeRows, 2, kElements, on_device.data(), elements.columns.data(),
                         elements.values.data()},
                 15);
}

// Two rows of 2^30 elements, a million segments each, empty rows, and one row of a single element.
TEST_F(LargeDevice, SegmentsReachTheLastElement) {
  const base::Backend backend = test::backend_under_test();
  const Elements elements(backend, kElements);
  std::vector<Index> offsets(kLargeRows + 1, Index{1} << 31);
  offsets[0] = 0;
  offsets[1] = Index{1} << 30;
  offsets[kLargeRows] = kElements;
  const auto on_device = base::Array<Index>::copy_of(offsets, backend, "offsets");
  const auto segments = cut_into_segments(offsets, backend);
  ASSERT_TRUE(segments);
  const CsrView view{kLargeRows,
                     2,
                     kElements,
                     on_device.data(),
                     elements.columns.data(),
                     elements.values.data(),
                     segments->view()};
  const base::MultiVector y = product(backend, view);
  EXPECT_EQ(y(0, 0), 0x1p31);
  EXPECT_EQ(y(1, 0), 0x1p31);
  for (Index row = 2; row + 1 < kLargeRows; ++row) ASSERT_EQ(y(row, 0), 0) << row;
  EXPECT_EQ(y(kLargeRows - 1, 0), 15);
}

TEST_F(LargeDevice, HybridReachesItsLastElement) {
  const base::Backend backend = test::backend_under_test();
  const Elements elements(backend, kLargeRows * kRowLength);
  const std::vector<Column> lengths(kLargeRows, kRowLength);
  const std::vector<Index> tails(kLargeRows + 1, 0);
  const auto lengths_on_device = base::Array<Column>::copy_of(lengths, backend, "lengths");
  const auto tails_on_device = base::Array<Index>::copy_of(tails, backend, "tails");
  expect_product(backend,
                 HybridView{kLargeRows, 2, kRowLength, lengths_on_device.data(),
                            elements.columns.data(), elements.values.data(), tails_on_device.data(),
                            nullptr, nullptr, kLargeRows * kRowLength},
                 2.0 * (kRowLength - 1) + 15);
}

TEST_F(LargeDevice, EllpackReachesItsLastElement) {
  const base::Backend backend = test::backend_under_test();
  const Elements elements(backend, kLargeRows * kRowLength);
  const std::vector<Index> offsets{0, kLargeRows * kRowLength};
  const auto on_device = base::Array<Index>::copy_of(offsets, backend, "offsets");
  expect_product(backend,
                 SlicedView{kLargeRows, 2, kLargeRows, on_device.data(), elements.columns.data(),
                            elements.values.data(), nullptr},
                 2.0 * (kRowLength - 1) + 15);
}

}  // namespace
}  // namespace cisolve::sparse
