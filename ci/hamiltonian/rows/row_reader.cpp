#include "ci/hamiltonian/rows/row_reader.hpp"

#include <algorithm>
#include <utility>

namespace cisolve::ci {
namespace {

constexpr std::size_t kMostFound = std::size_t{1} << 18;  // elements buffered for sorting, about
constexpr std::size_t kFirstRows = 16;

/// Counts the elements of some rows.
struct CountingRows {
  std::span<Column> lengths;

  void same_spin(Column i, Index /*column*/, double /*value*/) const { ++lengths[i]; }
  void opposite_spin(Column i, Index /*column*/, double /*value*/) const { ++lengths[i]; }
  void begin(Column /*alpha*/) {}
  void end() {}
};

struct FoundElement {
  Column row;
  Column column;
  double value;
};

/// The elements of some rows. Those passed to same_spin() are in order; those passed to
/// opposite_spin() are sorted by row and, within it, by alpha string; then the two are merged.
class CollectingRows {
 public:
  void same_spin(Column i, Index column, double value) {
    same_spin_.push_back({i, static_cast<Column>(column), value});
  }
  void opposite_spin(Column i, Index column, double value) {
    opposite_spin_.push_back({i, static_cast<Column>(column), value});
  }

  void begin(Column alpha) {
    parts_.push_back({alpha, opposite_spin_.size(), opposite_spin_.size()});
  }
  void end() { parts_.back().end = opposite_spin_.size(); }

  std::size_t size() const { return same_spin_.size() + opposite_spin_.size(); }

  void pass_rows(Index rows, const RowReader::Take& take) {
    sort_opposite_spin(rows);
    auto same_spin = same_spin_.cbegin();
    auto opposite_spin = sorted_.cbegin();
    for (Index row = 0; row < rows; ++row) {
      const auto of_row = [&](const FoundElement& element) { return element.row == row; };
      const auto same_spin_end = std::find_if_not(same_spin, same_spin_.cend(), of_row);
      const auto opposite_spin_end = std::find_if_not(opposite_spin, sorted_.cend(), of_row);
      columns_.clear();
      values_.clear();
      while (same_spin != same_spin_end || opposite_spin != opposite_spin_end) {
        const bool same_spin_is_next =
            opposite_spin == opposite_spin_end ||
            (same_spin != same_spin_end && same_spin->column < opposite_spin->column);
        const FoundElement& next = same_spin_is_next ? *same_spin++ : *opposite_spin++;
        columns_.push_back(next.column);
        values_.push_back(next.value);
      }
      take(columns_, values_);
    }
    same_spin_.clear();
    opposite_spin_.clear();
    parts_.clear();
  }

 private:
  /// A range of `opposite_spin_` with one alpha string.
  struct Part {
    Column alpha;
    std::size_t first;
    std::size_t end;
  };

  void sort_opposite_spin(Index rows) {
    next_.assign(rows + 1, 0);
    for (const FoundElement& element : opposite_spin_) ++next_[element.row + 1];
    for (Index row = 1; row <= rows; ++row) next_[row] += next_[row - 1];
    sorted_.resize(opposite_spin_.size());
    std::ranges::sort(parts_, {}, &Part::alpha);
    for (const Part& part : parts_)
      for (std::size_t k = part.first; k < part.end; ++k)
        sorted_[next_[opposite_spin_[k].row]++] = opposite_spin_[k];
  }

  std::vector<FoundElement> same_spin_;
  std::vector<FoundElement> opposite_spin_;
  std::vector<Part> parts_;
  std::vector<FoundElement> sorted_;
  std::vector<std::size_t> next_;
  std::vector<Column> columns_;
  std::vector<double> values_;
};

}  // namespace

RowReader::RowReader(const HamiltonianRows& h) : h_(h) {
  if (h.finds_rows_together())
    together_.emplace(h);
  else
    one_by_one_.emplace(h);
}

void RowReader::count(std::span<const Index> rows, std::span<Column> lengths) {
  if (!together_) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CountingSink sink;
      one_by_one_->walk(h_.space().place_of(rows[i]), sink);
      lengths[i] = static_cast<Column>(sink.count());
    }
    return;
  }
  std::ranges::fill(lengths, 0);
  while (!rows.empty()) {
    const Run& run = first_run(rows, AlphaBatchRows::kMostTogether);
    CountingRows counting{lengths};
    together_->walk(run.alpha, run.places, counting);
    rows = rows.subspan(run.places.size());
    lengths = lengths.subspan(run.places.size());
  }
}

void RowReader::read(std::span<const Index> rows, const Take& take) {
  if (!together_) {
    for (const Index row : rows) {
      const Space::Place place = h_.space().place_of(row);
      writing_.begin(h_.most_elements(place));
      one_by_one_->walk(place, writing_);
      take(writing_.columns(), writing_.values());
    }
    return;
  }
  CollectingRows collected;
  std::size_t most = kFirstRows;
  while (!rows.empty()) {
    const Run& run = first_run(rows, most);
    together_->walk(run.alpha, run.places, collected);
    const std::size_t of_row = 1 + collected.size() / run.places.size();
    most = std::clamp<std::size_t>(kMostFound / of_row, 1, AlphaBatchRows::kMostTogether);
    collected.pass_rows(std::ssize(run.places), take);
    rows = rows.subspan(run.places.size());
  }
}

const RowReader::Run& RowReader::first_run(std::span<const Index> rows, std::size_t most) {
  const Space& space = h_.space();
  run_.alpha = space.alpha_of(rows.front());
  run_.places.clear();
  const Index first = space.first_row(run_.alpha);
  const Index end = space.first_row(run_.alpha + 1);
  for (const Index row : rows.first(std::min(rows.size(), most))) {
    if (row < first || row >= end) break;
    run_.places.push_back(static_cast<StringNumber>(row - first));
  }
  return run_;
}

}  // namespace cisolve::ci
