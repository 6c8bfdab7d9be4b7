#pragma once

#include <hdf5.h>

#include "base/multivector.hpp"
#include "io/results/checkpoint.hpp"
#include "tests/io/support.hpp"

namespace cisolve::test {

/// A folder with a place for one checkpoint.
class CheckpointTest : public FileTest {
 protected:
  io::StoredCheckpoint make(Index sequence, Index rows = 1001) const {
    io::StoredCheckpoint made{.input = "problem: a\nspace: b\n",
                              .sequence = sequence,
                              .iterations = 7,
                              .products = 21,
                              .energies = {-1.5, 0.25},
                              .basis = base::MultiVector(host_, rows, 3),
                              .layout = base::Layout::whole(rows)};
    for (int j = 0; j < 3; ++j)
      for (Index row = 0; row < rows; ++row)
        made.basis(row, j) = 1.0 / static_cast<double>(1 + j + 3 * row);
    return made;
  }

  void expect_refused(std::string_view words) const {
    expect_failure([this] { io::read_checkpoint(path_, host_); }, base::ErrorKind::bad_input,
                   words);
  }

  base::Backend host_ = base::Backend::openmp(2);
  std::filesystem::path path_ = path("c.h5");
};

}  // namespace cisolve::test
