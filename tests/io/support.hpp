#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/backend.hpp"
#include "base/error.hpp"
#include "sparse/formats/csr.hpp"
#include "tests/support/matrices.hpp"

namespace cisolve::test {

inline const base::Backend kHost = base::Backend::reference();
inline const std::filesystem::path kData = std::filesystem::path(CISOLVE_SOURCES) / "tests/data";

/// A folder of its own for each test, removed at its end.
class FileTest : public ::testing::Test {
 protected:
  FileTest() {
    std::string name = std::filesystem::temp_directory_path() / "cisolve-test-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(std::string_view name) const { return folder_ / name; }
  std::filesystem::path text_file(std::string_view name, std::string_view text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  Index files() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }

 private:
  std::filesystem::path folder_;
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

struct Failure {
  base::ErrorKind fault;
  std::string message;
};

/// The error that a call throws; none if it succeeds.
template <class Call>
std::optional<Failure> failure_of(Call call) {
  try {
    call();
  } catch (const base::Error& error) {
    return Failure{error.kind(), error.what()};
  }
  return std::nullopt;
}

template <class Call>
void expect_failure(Call call, base::ErrorKind fault, std::string_view words) {
  const auto failure = failure_of(call);
  ASSERT_TRUE(failure.has_value()) << "nothing failed; expected: " << words;
  EXPECT_EQ(failure->fault, fault) << failure->message;
  EXPECT_NE(failure->message.find(words), std::string::npos)
      << failure->message << "\n  does not say: " << words;
}

inline std::map<std::pair<Index, Index>, double> elements_of(const sparse::Csr& matrix) {
  std::map<std::pair<Index, Index>, double> at;
  for (Index row = 0; row < matrix.shape.rows; ++row)
    for (Index k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k)
      at[{row, matrix.columns[k]}] = matrix.values[k];
  return at;
}

/// Same shape and same bits at the same places, columns ascending in each row.
inline void expect_same(const sparse::Csr& found, const Elements& expected) {
  EXPECT_EQ(found.shape.rows, expected.shape.rows);
  EXPECT_EQ(found.shape.columns, expected.shape.columns);
  EXPECT_EQ(found.shape.symmetric, expected.shape.symmetric);
  EXPECT_EQ(found.nonzeros(), std::ssize(expected.at));
  EXPECT_TRUE(elements_of(found) == expected.at);
  for (Index row = 0; row < found.shape.rows; ++row)
    for (Index k = found.offsets[row] + 1; k < found.offsets[row + 1]; ++k)
      ASSERT_LT(found.columns[k - 1], found.columns[k]) << "row " << row;
}

/// Both triangles of a random symmetric matrix with some rows left empty.
inline Elements symmetric_elements(Index rows, Index per_row, unsigned seed) {
  Elements matrix{{rows, rows, rows / 10, true}, {}};
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  const auto any_row = [&] {
    const auto row = static_cast<Index>(random() % static_cast<std::uint64_t>(rows));
    return row % 11 == 5 ? Index{0} : row;
  };
  for (Index i = 0; i < rows * per_row / 2; ++i) {
    const Index row = any_row();
    const Index column = any_row();
    matrix.at[{row, column}] = matrix.at[{column, row}] = value(random);
  }
  return matrix;
}

}  // namespace cisolve::test
