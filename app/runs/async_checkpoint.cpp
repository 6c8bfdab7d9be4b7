#include "app/runs/async_checkpoint.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "base/budget.hpp"
#include "base/stopwatch.hpp"

namespace cisolve::app {

AsyncCheckpoint::~AsyncCheckpoint() {
  if (begun_.valid()) begun_.wait();
}

bool AsyncCheckpoint::fits_in_memory(const io::CheckpointToWrite& checkpoint,
                                     const base::Backend& host) {
  return checkpoint.bytes() <= host.memory().left() / 4;
}

base::MultiVector AsyncCheckpoint::gathered(const io::CheckpointToWrite& checkpoint,
                                            const base::Backend& host) {
  base::MultiVector copy(host, checkpoint.rows, static_cast<int>(checkpoint.columns),
                         "a checkpoint that is written in the background");
  Index known = 0;
  checkpoint.stream_vectors([&](std::span<const double> some) {
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

void AsyncCheckpoint::begin(io::CheckpointToWrite checkpoint, base::MultiVector vectors) {
  auto copy = std::make_shared<const base::MultiVector>(std::move(vectors));
  iterations_ = checkpoint.iterations;
  given_up_ = false;
  checkpoint.should_continue = [this, asked = std::move(checkpoint.should_continue)] {
    return asked() && !is_given_up();
  };
  checkpoint.stream_vectors = [copy](const auto& take) {
    constexpr Index kAtOnce = Index{1} << 20;
    const base::ConstBlock all = copy->block();
    for (int j = 0; j < all.columns; ++j)
      for (Index row = 0; row < all.rows; row += kAtOnce)
        take({all.column(j) + row, static_cast<std::size_t>(std::min(kAtOnce, all.rows - row))});
  };
  const auto write = [this, checkpoint = std::move(checkpoint)] {
    const base::Stopwatch watch;
    folder_.save(checkpoint);
    spdlog::debug("the checkpoint of iteration {} was written in the background in {:.2f} s",
                  checkpoint.iterations, watch.seconds());
  };
  copy.reset();
  if (base::address_space_limit()) return write();  // HDF5 crashes if its memory allocation fails
  try {
    begun_ = std::async(std::launch::async, write);
  } catch (const std::system_error&) {  // no further thread can be started
    write();
  }
}

bool AsyncCheckpoint::is_busy() const {
  return begun_.valid() && begun_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

void AsyncCheckpoint::finish() {
  if (begun_.valid()) begun_.get();
}

void AsyncCheckpoint::give_up() noexcept {
  given_up_ = true;
  if (begun_.valid()) begun_.wait();
  begun_ = {};
}

}  // namespace cisolve::app
