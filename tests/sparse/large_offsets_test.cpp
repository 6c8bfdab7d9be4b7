#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/multivector.hpp"
#include "sparse/stored/products.hpp"

// More non-zeros than 31 bits count, without the memory for them: pages that are never written all
// map to one page of zeros. A few elements at the border are written and must be found; the rows
// begin just before it.
namespace cisolve::sparse {
namespace {

constexpr Index kBorder = Index{1} << 31;

/// Zeros in virtual memory only.
template <class T>
class Zeros {
 public:
  explicit Zeros(Index size) : bytes_(static_cast<std::size_t>(size) * sizeof(T)) {
    data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  ~Zeros() { munmap(data_, bytes_); }
  bool mapped() const { return data_ != MAP_FAILED; }
  T* data() { return static_cast<T*>(data_); }
  T& operator[](Index i) { return data()[i]; }

 private:
  std::size_t bytes_;
  void* data_;
};

class LargeOffsets : public ::testing::TestWithParam<const char*> {
 protected:
  template <class View>
  std::vector<double> multiply(const View& view) {
    const base::Backend backend = base::Backend::by_name(GetParam(), 2, {});
    base::MultiVector x(backend, view.columns, 1);
    for (Index i = 0; i < view.columns; ++i) x(i, 0) = static_cast<double>(10 + i);
    base::MultiVector y(backend, view.rows, 1);
    if (backend.kind() == base::BackendKind::reference)
      reference::multiply(backend, 1, view, x.block(), 0, y.block());
    else
      openmp::multiply(backend, 1, view, x.block(), 0, y.block());
    return {y.block().column(0), y.block().column(0) + view.rows};
  }
};

TEST_P(LargeOffsets, CsrReachesItsLastElement) {
  Zeros<Column> columns(kBorder + 1);
  Zeros<double> values(kBorder + 1);
  if (!columns.mapped() || !values.mapped()) GTEST_SKIP() << "no address space";
  values[kBorder - 1] = 2;
  columns[kBorder - 1] = 1;
  values[kBorder] = 3;
  columns[kBorder] = 2;
  const std::vector<Index> offsets{kBorder - 5, kBorder - 3, kBorder, kBorder + 1};
  const CsrView view{3, 3, kBorder + 1, offsets.data(), columns.data(), values.data()};
  EXPECT_EQ(multiply(view), (std::vector<double>{0, 22, 36}));
}

TEST_P(LargeOffsets, HybridReachesItsLastElement) {
  constexpr Index kWidth = (Index{1} << 30) + 1;
  Zeros<Column> columns(3 * kWidth);
  Zeros<double> values(3 * kWidth);
  Zeros<Column> tail_columns(kBorder + 1);
  Zeros<double> tail_values(kBorder + 1);
  if (!columns.mapped() || !values.mapped() || !tail_columns.mapped() || !tail_values.mapped())
    GTEST_SKIP() << "no address space";
  values[2 * kWidth + 1] = 5;
  columns[2 * kWidth + 1] = 1;
  tail_values[kBorder] = 7;
  tail_columns[kBorder] = 2;
  const std::vector<Column> lengths{1, 0, 2};
  const std::vector<Index> tail{kBorder - 2, kBorder - 1, kBorder, kBorder + 1};
  const HybridView view{3,
                        3,
                        kWidth,
                        lengths.data(),
                        columns.data(),
                        values.data(),
                        tail.data(),
                        tail_columns.data(),
                        tail_values.data()};
  EXPECT_EQ(multiply(view), (std::vector<double>{0, 0, 5 * 11 + 7 * 12}));
}

TEST_P(LargeOffsets, SlicedReachesItsLastElement) {
  constexpr Index kHeight = Index{1} << 20;
  constexpr Index kWidth = (Index{1} << 11) + 1;
  Zeros<Column> columns(kHeight * kWidth);
  Zeros<double> values(kHeight * kWidth);
  Zeros<Column> lengths(kHeight);
  if (!columns.mapped() || !values.mapped()) GTEST_SKIP() << "no address space";
  values[kHeight * kWidth - 1] = 4;
  columns[kHeight * kWidth - 1] = 2;
  lengths[kHeight - 1] = kWidth;
  const std::vector<Index> offsets{0, kHeight * kWidth};
  const SlicedView view{kHeight,       3, kHeight, offsets.data(), columns.data(), values.data(),
                        lengths.data()};
  EXPECT_EQ(multiply(view).back(), 48);
}

TEST_P(LargeOffsets, CsbReachesItsLastElement) {
  Zeros<std::uint16_t> rows(kBorder + 1);
  Zeros<std::uint16_t> columns(kBorder + 1);
  Zeros<double> values(kBorder + 1);
  if (!rows.mapped() || !columns.mapped() || !values.mapped()) GTEST_SKIP() << "no address space";
  values[kBorder] = 9;
  rows[kBorder] = 1;
  const std::vector<Index> offsets{kBorder - 2, kBorder, kBorder + 1};
  const CsbView view{2, 4, 2, 1, 2, offsets.data(), rows.data(), columns.data(), values.data()};
  EXPECT_EQ(multiply(view), (std::vector<double>{0, 9 * 12}));
}

INSTANTIATE_TEST_SUITE_P(Host, LargeOffsets, ::testing::Values("reference", "openmp"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace cisolve::sparse
