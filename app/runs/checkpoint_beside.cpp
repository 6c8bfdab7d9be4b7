#include "app/runs/checkpoint_beside.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "base/budget.hpp"
#include "base/stopwatch.hpp"

namespace cisolve::app {

CheckpointBeside::~CheckpointBeside() {
  if (begun_.valid()) begun_.wait();
}

bool CheckpointBeside::has_room(const io::CheckpointToWrite& checkpoint,
                                const base::Backend& host) {
  return checkpoint.bytes() <= host.memory().left() / 4;
}

base::MultiVector CheckpointBeside::as_told(const io::CheckpointToWrite& checkpoint,
                                            const base::Backend& host) {
  base::MultiVector copy(host, checkpoint.rows, static_cast<int>(checkpoint.columns),
                         "a checkpoint that is written beside the solution");
  Index known = 0;
  checkpoint.tell_vectors([&](std::span<const double> some) {
    while (!some.empty()) {
      const Index row = known % checkpoint.rows;
      const auto count =
          static_cast<std::size_t>(std::min<Index>(checkpoint.rows - row, std::ssize(some)));
      const auto column = static_cast<int>(known / checkpoint.rows);
      std::ranges::copy(some.first(count), copy.block().column(column) + row);
      known += static_cast<Index>(count);
      some = some.subspan(count);
    }
  });
  return copy;
}

void CheckpointBeside::begin(io::CheckpointToWrite checkpoint, base::MultiVector vectors) {
  auto copy = std::make_shared<const base::MultiVector>(std::move(vectors));
  iterations_ = checkpoint.iterations;
  wanted_ = true;
  checkpoint.goes_on = [this, asked = std::move(checkpoint.goes_on)] {
    return asked() && is_wanted();
  };
  checkpoint.tell_vectors = [copy](const auto& take) {
    constexpr Index kAtOnce = Index{1} << 20;
    const base::ConstBlock all = copy->block();
    for (int j = 0; j < all.columns; ++j)
      for (Index row = 0; row < all.rows; row += kAtOnce)
        take({all.column(j) + row, static_cast<std::size_t>(std::min(kAtOnce, all.rows - row))});
  };
  const auto write = [this, checkpoint = std::move(checkpoint)] {
    const base::Stopwatch beside;
    folder_.save(checkpoint);
    spdlog::debug("the checkpoint of iteration {} was written beside the solution, in {:.2f} s",
                  checkpoint.iterations, beside.seconds());
  };
  copy.reset();
  if (base::address_space_limit()) return write();  // HDF5 crashes if its memory allocation fails
  try {
    begun_ = std::async(std::launch::async, write);
  } catch (const std::system_error&) {  // there are no more threads
    write();
  }
}

bool CheckpointBeside::is_busy() const {
  return begun_.valid() && begun_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

void CheckpointBeside::finish() {
  if (begun_.valid()) begun_.get();
}

void CheckpointBeside::give_up() noexcept {
  wanted_ = false;
  if (begun_.valid()) begun_.wait();
  begun_ = {};
}

}  // namespace cisolve::app
