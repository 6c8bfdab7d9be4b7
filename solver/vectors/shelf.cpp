#include "solver/vectors/shelf.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/fill.hpp"
#include "solver/vectors/memory.hpp"

namespace cisolve::solver {
namespace {

// Rows of a panel on a device: enough to hide the cost of launches and copies.
constexpr Index kStagedRows = Index{1} << 22;
constexpr Index kHostRows = Index{1} << 14;

double power_of_two_of(double norm) {
  if (!(norm > 0 && std::isfinite(norm))) return 1;
  return std::exp2(std::ceil(std::log2(norm)));
}

}  // namespace

Index Shelf::panel_rows(bool on_host, Index rows) {
  return std::min(rows, on_host ? kHostRows : kStagedRows);
}

Shelf::Shelf(const Backend& backend, const Shape& shape, std::string_view what)
    : backend_(backend),
      home_(backend.host()),
      shape_(shape),
      panel_rows_(panel_rows(backend.is_host(), shape.rows)),
      blocks_(base::block_kernels(backend)),
      exact_(make<double>(shape.exact, what)),
      single_(make<float>(shape.single, what)) {
  if (!backend.is_host()) lane_.emplace(backend.device());
}

void Shelf::Unpin::operator()(void* memory) const noexcept {
  base::cuda::unpin(device.device(), memory);
}

/// All threads touch the memory first; pinning would do so serially, page by page.
template <class Value>
Shelf::Kept<Value> Shelf::make(int count, std::string_view what) const {
  const Index panels = backend_.is_host() ? 0 : 2 * panel_rows_ * count;
  Kept<Value> made{count,
                   base::Array<Value>(home_, shape_.rows * count, what),
                   base::Array<Value>(backend_, panels, what),
                   {nullptr, Unpin{backend_}}};
  if (panels == 0) return made;
  base::fill_bytes(made.values, 0);
  if (base::cuda::pin(backend_.device(), made.values.data(), made.values.bytes()))
    made.pinned.reset(made.values.data());
  return made;
}

std::vector<Shelf::Rows> Shelf::parts_of(Index first, Index count, Index most) const {
  std::vector<Rows> parts;
  for (Index at = 0; at < count; at += parts.back().count) {
    const Index panel_first = (first + at) / panel_rows_ * panel_rows_;
    const Index panel_rows = std::min(panel_rows_, shape_.rows - panel_first);
    const Index start = first + at - panel_first;
    parts.push_back(
        {panel_first, panel_rows, start, std::min({panel_rows - start, count - at, most})});
  }
  return parts;
}

template <class Use>
void Shelf::for_each_part(Index first, Index count, Index most, Use use) const {
  const std::vector<Rows> parts = parts_of(first, count, most);
  Index at = 0;
  const auto fetch = [&](std::size_t number) -> Part {
    const int turn = static_cast<int>(number % 2);
    if (lane_) lane_->follow();
    const Rows& rows = parts[number];
    const Part part{at, rows, turn, bring(exact_, used_.exact, rows, turn),
                    bring(single_, used_.single, rows, turn)};
    at += rows.count;
    return part;
  };
  Part next;
  if (!parts.empty()) next = fetch(0);
  for (std::size_t number = 0; number < parts.size(); ++number) {
    const Part part = next;
    if (lane_) lane_->lead();
    if (number + 1 < parts.size()) next = fetch(number + 1);
    use(part);
  }
}

template <class Use>
void Shelf::for_each_panel(Use use) const {
  for (const Rows& rows : parts_of(0, shape_.rows, shape_.rows)) use(rows);
}

template <class Value>
base::BasicBlock<const Value> Shelf::bring(const Kept<Value>& kept, int count, const Rows& rows,
                                           int turn) const {
  const Value* home = kept.values.data() + kept.place(0, rows);
  if (!lane_) return {home, rows.count, count, rows.panel_rows};
  Value* here = kept.panels.data() + turn * panel_rows_ * kept.count;
  const Index bytes = rows.count * Index{sizeof(Value)};
  if (rows.are_all()) lane_->copy_to_device(here, home, count * bytes);
  for (int j = 0; j < count && !rows.are_all(); ++j)
    lane_->copy_to_device(here + j * rows.count, home + j * rows.panel_rows, bytes);
  return {here, rows.count, count, rows.count};
}

template <class Value, class Fill>
void Shelf::take(Kept<Value>& kept, int first, int count, const Rows& rows, int turn, Fill fill) {
  if (count == 0) return;
  Value* home = kept.values.data() + kept.place(first, rows);
  if (!lane_) return fill(base::BasicBlock<Value>{home, rows.count, count, rows.panel_rows});
  Value* here = kept.panels.data() + turn * panel_rows_ * kept.count;
  fill(base::BasicBlock<Value>{here, rows.count, count, rows.count});
  const Index bytes = rows.count * Index{sizeof(Value)};
  const auto copy = [&](Index to, Index from, Index size) {
    base::cuda::queue_copy_to_host(backend_.device(), home + to, here + from, size);
  };
  if (rows.are_all()) copy(0, 0, count * bytes);
  for (int j = 0; j < count && !rows.are_all(); ++j)
    copy(j * rows.panel_rows, j * rows.count, bytes);
}

/// Writes the leading columns to exact slots, the others to single-precision ones.
void Shelf::write(ConstBlock values, const Rows& rows, int turn, Counts from,
                  std::span<const Slot> slots) {
  const auto exact = static_cast<int>(std::ranges::count(slots, true, &Slot::exact));
  const int single = values.columns - exact;
  std::vector<double> factors;
  for (const Slot& slot : slots.subspan(exact)) factors.push_back(1 / slot.scale);
  take(exact_, from.exact, exact, rows, turn,
       [&](Block to) { blocks_.copy(backend_, values.slice(0, exact), to); });
  take(single_, from.single, single, rows, turn, [&](base::SingleBlock to) {
    blocks_.narrow(backend_, factors, values.slice(exact, single), to);
  });
}

std::vector<Shelf::Slot> Shelf::slots_from(Counts first, int exact, std::span<const double> norms) {
  std::vector<Slot> slots;
  for (std::size_t j = 0; j < norms.size(); ++j) {
    const bool is_exact = std::cmp_less(j, exact);
    slots.push_back(is_exact ? Slot{true, first.exact++, 1}
                             : Slot{false, first.single++, power_of_two_of(norms[j])});
  }
  return slots;
}

void Shelf::put(ConstBlock vectors, std::span<const double> norms) {
  const int exact = exact_of_next(vectors.columns);
  if (used_.single + vectors.columns - exact > shape_.single)
    base::fail(base::Fault::internal, "a shelf of ", shape_.exact + shape_.single, " vectors has ",
               size(), " and is given ", vectors.columns);
  const std::vector<Slot> slots = slots_from(used_, exact, norms);
  for_each_panel([&](const Rows& rows) {
    write(row_range(vectors, rows.panel_first, rows.count), rows, 0, used_, slots);
  });
  slots_.insert(slots_.end(), slots.begin(), slots.end());
  used_ = {used_.exact + exact, used_.single + vectors.columns - exact};
}

void Shelf::replace(int first, ConstBlock vectors) {
  const std::span<const Slot> slots = std::span(slots_).subspan(first, vectors.columns);
  if (!std::ranges::all_of(slots, &Slot::exact))
    base::fail(base::Fault::internal, "a vector in single precision is to be replaced");
  for_each_panel([&](const Rows& rows) {
    write(row_range(vectors, rows.panel_first, rows.count), rows, 0, {slots.front().at, 0}, slots);
  });
}

void Shelf::gram(std::span<const Products> products) const {
  for (const auto& [y, g] : products) std::ranges::fill(g->values(), 0.0);
  for_each_part(0, shape_.rows, panel_rows_, [&](const Part& part) {
    for (const auto& [y, g] : products) add_gram(part, row_range(y, part.at, part.rows.count), *g);
  });
}

void Shelf::add_gram(const Part& part, ConstBlock y, SmallMatrix& g) const {
  SmallMatrix of_exact(part.exact.columns, y.columns);
  SmallMatrix of_single(part.single.columns, y.columns);
  blocks_.gram(backend_, part.exact, y, of_exact);
  blocks_.gram(backend_, part.single, y, of_single);
  for (int b = 0; b < y.columns; ++b)
    for (int a = 0; a < size(); ++a) {
      const Slot& slot = slots_[a];
      g(a, b) += slot.exact ? of_exact(slot.at, b) : slot.scale * of_single(slot.at, b);
    }
}

/// Rows of c of the columns of one precision, scaled.
SmallMatrix Shelf::scaled_rows(const SmallMatrix& c, bool exact) const {
  SmallMatrix rows(exact ? used_.exact : used_.single, c.columns());
  for (int b = 0; b < c.columns(); ++b)
    for (int a = 0; a < size(); ++a)
      if (slots_[a].exact == exact) rows(slots_[a].at, b) = slots_[a].scale * c(a, b);
  return rows;
}

void Shelf::update(double alpha, const Part& part, const std::pair<SmallMatrix, SmallMatrix>& c,
                   double beta, Block y) const {
  blocks_.update(backend_, alpha, part.exact, c.first, beta, y);
  blocks_.update(backend_, alpha, part.single, c.second, 1, y);
}

void Shelf::update(double alpha, const SmallMatrix& c, double beta, Index first, Block y) const {
  const auto of_both = divided(c);
  for_each_part(first, y.rows, panel_rows_, [&](const Part& part) {
    update(alpha, part, of_both, beta, row_range(y, part.at, part.rows.count));
  });
}

std::vector<double> Shelf::rotate(const SmallMatrix& c, std::span<const double> norms, int exact,
                                  Block room) {
  const Block made = room.slice(0, c.columns());
  const auto of_both = divided(c);
  const std::vector<Slot> slots = slots_from({}, exact, norms);
  std::vector<double> squares(c.columns(), 0);
  std::vector<double> some(c.columns());
  for_each_part(0, shape_.rows, made.rows, [&](const Part& part) {
    const Block piece = row_range(made, 0, part.rows.count);
    update(1, part, of_both, 0, piece);
    write(piece, part.rows, part.turn, {}, slots);
    blocks_.squared_norms(backend_, piece, some);
    for (std::size_t j = 0; j < some.size(); ++j) squares[j] += some[j];
  });
  slots_ = slots;
  used_ = {exact, c.columns() - exact};
  return squares;
}

}  // namespace cisolve::solver
