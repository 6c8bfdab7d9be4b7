#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "job/methods/prepare.hpp"
#include "job/problem/source.hpp"
#include "sparse/formats/csr.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/ci_systems.hpp"
#include "tests/support/vectors.hpp"

// Every element path, for the integrals of other programs. These are not part of this tree; without
// them the test is skipped.
namespace cisolve::job {
namespace {

using nlohmann::json;

constexpr Index kMostRows = 70'000;

class ReferencePaths : public test::BackendTest {};

Request request_of(const json& reference) {
  Request request;
  request.source = ProblemSource::fcidump;
  request.fcidump = (test::reference_data() / reference["file"].get<std::string>()).string();
  request.space.kind = *choice_named<SpaceKind>(reference["space"].get<std::string>());
  request.backend = *base::BackendChoice::named(test::backend_name());
  if (reference.contains("electrons") && reference["electrons"].is_number())
    request.electrons = reference["electrons"].get<Index>();
  if (reference.contains("electrons") && reference["electrons"].is_array())
    request.space.electrons = reference["electrons"].get<std::vector<Index>>();
  return request;
}

/// Checks every row, or some thousands of them, relative to its sum of |h||x|.
void expect_product(const sparse::Csr& h, const base::LinearOperator& product,
                    const base::MultiVector& x, const base::Backend& backend) {
  base::MultiVector on_backend(backend, x.rows(), x.columns());
  product.apply(x.to(backend).block(), on_backend.block());
  const base::MultiVector y = on_backend.to(base::Backend::reference());
  for (Index row = 0; row < x.rows(); row += 1 + x.rows() / 5000)
    for (int j = 0; j < x.columns(); ++j) {
      double sum = 0;
      double magnitude = 0;
      for (Index k = h.offsets[row]; k < h.offsets[row + 1]; ++k) {
        sum += h.values[k] * x(h.columns[k], j);
        magnitude += std::abs(h.values[k] * x(h.columns[k], j));
      }
      ASSERT_NEAR(y(row, j), sum, 1e-13 * magnitude) << "row " << row << ", vector " << j;
    }
}

ProductForm coded(const char* format) {
  return stored_form({.format = format, .values = sparse::ValueEncoding::coded});
}

void expect_all_paths(const json& reference) {
  const base::Backend backend = test::backend_under_test();
  const auto rows = open_rows(request_of(reference), backend.host());
  ASSERT_EQ(rows->shape().rows, reference["dimension"].get<Index>());
  const sparse::Csr stored = sparse::build_csr(*rows, backend.host());
  const base::MultiVector x = test::random_vectors(rows->shape().rows, 3, 3);
  for (const ProductForm& form :
       {ProductForm{&kOnTheFly}, coded("tiled"), coded("sell"), stored_form({.format = "tiled"})}) {
    SCOPED_TRACE(form.text());
    expect_product(stored, *prepare_product(rows, form, backend).product, x, backend);
  }
  SCOPED_TRACE("by rows");
  const auto& h = rows.determinants()->hamiltonian();
  const auto product = backend.is_host() ? ci::by_rows(h) : ci::cuda::by_rows(h, backend);
  expect_product(stored, *product, x, backend);
}

TEST_F(ReferencePaths, AgreeWithStoredElements) {
  std::ifstream file(test::reference_data() / "references.json");
  if (!file) GTEST_SKIP() << "no reference data: references.json";
  int compared = 0;
  const json references = json::parse(file);
  for (const json& reference : references["cases"]) {
    if (reference["dimension"].get<Index>() > kMostRows) continue;
    SCOPED_TRACE(reference["file"].get<std::string>());
    ++compared;
    expect_all_paths(reference);
  }
  EXPECT_GE(compared, 12);
}

}  // namespace
}  // namespace cisolve::job
