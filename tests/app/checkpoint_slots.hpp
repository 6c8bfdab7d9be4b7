#pragma once

#include <string>

#include "app/runs/checkpoint_folder.hpp"
#include "program.hpp"

namespace cisolve::test {

using base::Index;

inline constexpr const char* kA = "checkpoint-a.h5";
inline constexpr const char* kB = "checkpoint-b.h5";

inline constexpr Index kRows = 10;

inline double element(Index row) { return 0.5 * static_cast<double>(row); }

inline base::MultiVector one_vector(const base::Backend& host) {
  base::MultiVector vector(host, kRows, 1);
  for (Index row = 0; row < kRows; ++row) vector(row, 0) = element(row);
  return vector;
}

class CheckpointSlots : public ProgramTest {
 protected:
  io::CheckpointToWrite after(Index iterations) const {
    return {.input = "problem: a\n",
            .iterations = iterations,
            .energies = {-1},
            .rows = kRows,
            .columns = 1,
            .stream_vectors = [this](const auto& take) {
              take({one_vector(host_).block().data, kRows});
            }};
  }

  /// The slots as a killed job leaves them.
  void save(const char* slot, Index sequence) const {
    io::CheckpointToWrite made = after(10 * sequence);
    made.sequence = sequence;
    io::write_checkpoint(file(slot), made);
  }

  /// 0 if there is none.
  Index sequence(const char* slot) const {
    return exists(file(slot)) ? io::read_checkpoint(file(slot), host_).sequence : 0;
  }

  void damage(const char* slot) const {
    std::string bytes = read_file(file(slot));
    write_file(file(slot), bytes.substr(0, bytes.size() / 2));
  }

  base::Backend host_ = base::Backend::reference();
};

}  // namespace cisolve::test
