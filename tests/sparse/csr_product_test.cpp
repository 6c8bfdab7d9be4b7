#include "sparse/formats/csr_product.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "tests/support/matrices.hpp"

namespace cisolve::sparse {
namespace {

using test::ElementRows;
using test::Elements;

using Sums = std::map<std::pair<Index, Index>, test::ExactRow>;

Sums exact_product_of(const Elements& a, const Elements& b) {
  Sums sums;
  for (const auto& [place, value] : a.at)
    for (auto found = b.at.lower_bound({place.second, 0});
         found != b.at.end() && found->first.first == place.second; ++found) {
      test::ExactRow& target = sums[{place.first, found->first.second}];
      target.sum += static_cast<long double>(value) * found->second;
      target.magnitude += std::abs(static_cast<long double>(value) * found->second);
    }
  return sums;
}

TEST(CsrProduct, EqualsThatOfTheElements) {
  const std::vector<Index> lengths{3, 0, 70, 12, 33, 1, 32, 31, 64, 65, 2};
  for (const int threads : {1, 3}) {
    const base::Backend host = base::Backend::openmp(threads);
    const Elements a = test::random_elements(lengths, 90, 3);
    const Elements b = test::random_elements(std::vector<Index>(90, 7), 130, 4);
    const Csr c = multiply(build_csr(ElementRows(a), host), build_csr(ElementRows(b), host), host);
    const Sums exact = exact_product_of(a, b);
    ASSERT_EQ(c.nonzeros(), std::ssize(exact));
    Index k = 0;
    for (const auto& [place, value] : exact) {  // row by row, columns ascending
      EXPECT_GE(k, c.offsets[place.first]);
      EXPECT_LT(k, c.offsets[place.first + 1]);
      EXPECT_EQ(c.columns[k], place.second);
      EXPECT_NEAR(c.values[k++], static_cast<double>(value.sum),
                  static_cast<double>(1e-14 * value.magnitude));
    }
  }
}

TEST(CsrProduct, OfNothingIsNothing) {
  const base::Backend host = base::Backend::openmp(2);
  const Csr none = build_csr(ElementRows(test::random_elements({0, 0, 0}, 4, 1)), host);
  const Csr some = build_csr(ElementRows(test::random_elements({1, 2, 3, 4}, 5, 1)), host);
  EXPECT_EQ(multiply(none, some, host).nonzeros(), 0);
  EXPECT_THROW(multiply(some, none, host), base::Error);
}

}  // namespace
}  // namespace cisolve::sparse
