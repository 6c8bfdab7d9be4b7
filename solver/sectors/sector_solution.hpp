#pragma once

#include <functional>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/stopwatch.hpp"
#include "solver/sectors/search_sectors.hpp"
#include "solver/sectors/sector_observers.hpp"
#include "solver/sectors/solve_by_sectors.hpp"
#include "solver/task/model_space.hpp"

// For the sources of this folder alone.
namespace cisolve::solver {

/// Progress of solve_by_sectors(): which sector has the lowest state, and what is known of the
/// other one.
class SectorSolution {
 public:
  SectorSolution(const Sectors& parts, const Problem& whole, const Options& options,
                 Observer* observer)
      : parts_(parts),
        whole_(whole),
        ranks_(whole.communicator),
        rows_(layout_of(whole).rows()),
        options_(options),
        cancellation_(observer, ranks_) {}

  Result run(const Checkpoint* start);

 private:
  /// Calls `make`. Returns nothing if any rank lacks memory, so that earlier results are not lost;
  /// collective. Rethrows what the observer has thrown meanwhile.
  template <class Make>
  auto if_memory_allows(Make&& make) const -> std::optional<decltype(make())> {
    std::optional<decltype(make())> made;
    try {
      made = make();
    } catch (const base::Error& error) {
      if (error.kind() != base::ErrorKind::resources || !base::is_collective(ranks_, error)) throw;
    }
    cancellation_.rethrow();
    return made;
  }

  /// Waits for a background result; nothing unless every rank has it.
  template <class Made>
  std::optional<Made> waited_for(std::future<Made>& to_come) const {
    std::optional<Made> made;
    try {
      made = to_come.get();
    } catch (const base::Error& error) {
      if (error.kind() != base::ErrorKind::resources) throw;
    }
    if (!ranks_.all_true(made.has_value())) made.reset();
    return made;
  }

  bool is_finished() const;
  bool is_over();
  Problem problem_of(const OperatorSector& part) const;
  std::unique_ptr<const OperatorSector> made(ParitySide side) const;
  /// `meanwhile` starts at the first report of the solution.
  Result solve_in(ParitySide side, const OperatorSector& part, const Options& options,
                  const std::optional<Checkpoint>& start, std::function<void()> meanwhile = {});
  std::optional<Checkpoint> contracted(const OperatorSector& likely, const Checkpoint* start) const;
  void search_both();
  void search_other();
  void move_state_to_host_if_needed();
  std::vector<const base::MultiVector*> known() const;
  std::optional<SectorPairOutcome> search(bool both);
  std::optional<SectorPairOutcome> search_in(const SectorPair& parts, bool both);
  void settle(const SectorOutcome& likely);
  void conclude(SectorOutcome other);
  void conclude(SearchEnd end, double miss_probability);
  void run_while_device_works(const OperatorSector& likely);
  void begin_model_of_other();
  void begin_low_blocks(const OperatorSector& likely);
  const LowestRowBlocks* low_blocks();
  void solve_likely_again(const base::MultiVector* direction);
  void solve_other(base::MultiVector direction);
  void compare_with(const OperatorSector& other);
  Result solve_from(ParitySide side, base::MultiVector start);
  void leave_unfinished();
  int iterations_left() const;
  void weigh(Result second);
  void expand(const OperatorSector& part);

  const Sectors& parts_;
  const Problem& whole_;
  const base::Communicator& ranks_;
  const Index rows_;  // rows of the full space
  const Options& options_;
  StickyCancellation cancellation_;
  const base::Stopwatch watch_;
  Result found_{.vectors = base::MultiVector(base::Backend::reference(), 0, 0)};
  ParitySide lies_in_ = ParitySide::likely;
  // Model space of the other sector, made on the host while a device solves the likely one.
  std::future<std::optional<ModelSpace>> model_of_other_;
  // Blocks of low rows for the searches of both sectors, made at the same time.
  std::future<LowestRowBlocks> low_blocks_to_come_;
  std::optional<LowestRowBlocks> low_blocks_;
  int before_ = 0;  // iterations of the checkpoint
};

}  // namespace cisolve::solver
