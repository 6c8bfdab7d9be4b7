#include "solver/vectors/host_panel_store.hpp"

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

Index HostPanelStore::panel_rows(bool on_host, Index rows) {
  return std::min(rows, on_host ? kHostRows : kStagedRows);
}

HostPanelStore::HostPanelStore(const Backend& backend, const Shape& shape, std::string_view what)
    : backend_(backend),
      home_(backend.host()),
      shape_(shape),
      panel_rows_(panel_rows(backend.is_host(), shape.rows)),
      blocks_(base::block_kernels(backend)),
      exact_(make<double>(shape.exact, what)),
      single_(make<float>(shape.single, what)) {
  if (!backend.is_host()) copy_stream_.emplace(backend.device());
}

void HostPanelStore::Unpin::operator()(void* memory) const noexcept {
  base::cuda::unpin(device.device(), memory);
}

/// All threads touch the memory first; pinning would do so serially, page by page.
template <class Value>
HostPanelStore::ColumnSet<Value> HostPanelStore::make(int count, std::string_view what) const {
  const Index panels = backend_.is_host() ? 0 : 2 * panel_rows_ * count;
  ColumnSet<Value> made{count,
                        base::Array<Value>(home_, shape_.rows * count, what),
                        base::Array<Value>(backend_, panels, what),
                        {nullptr, Unpin{backend_}}};
  if (panels == 0) return made;
  base::fill_bytes(made.values, 0);
  if (base::cuda::pin(backend_.device(), made.values.data(), made.values.bytes()))
    made.pinned.reset(made.values.data());
  return made;
}

std::vector<HostPanelStore::PanelRows> HostPanelStore::parts_of(Index first, Index count,
                                                                Index most) const {
  std::vector<PanelRows> parts;
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
void HostPanelStore::for_each_part(Index first, Index count, Index most, Use use) const {
  const std::vector<PanelRows> parts = parts_of(first, count, most);
  Index at = 0;
  const auto fetch = [&](std::size_t number) -> PanelPart {
    const int buffer = static_cast<int>(number % 2);
    if (copy_stream_) copy_stream_->wait_for_stream();
    const PanelRows& rows = parts[number];
    const PanelPart part{at, rows, buffer, bring(exact_, used_.exact, rows, buffer),
                         bring(single_, used_.single, rows, buffer)};
    at += rows.count;
    return part;
  };
  PanelPart next;
  if (!parts.empty()) next = fetch(0);
  for (std::size_t number = 0; number < parts.size(); ++number) {
    const PanelPart part = next;
    if (copy_stream_) copy_stream_->make_stream_wait();
    if (number + 1 < parts.size()) next = fetch(number + 1);
    use(part);
  }
}

template <class Use>
void HostPanelStore::for_each_panel(Use use) const {
  for (const PanelRows& rows : parts_of(0, shape_.rows, shape_.rows)) use(rows);
}

template <class Value>
base::BasicBlock<const Value> HostPanelStore::bring(const ColumnSet<Value>& kept, int count,
                                                    const PanelRows& rows, int buffer) const {
  const Value* home = kept.values.data() + kept.place(0, rows);
  if (!copy_stream_) return {home, rows.count, count, rows.panel_rows};
  Value* here = kept.panels.data() + buffer * panel_rows_ * kept.count;
  const Index bytes = rows.count * Index{sizeof(Value)};
  if (rows.are_all()) copy_stream_->copy_to_device(here, home, count * bytes);
  for (int j = 0; j < count && !rows.are_all(); ++j)
    copy_stream_->copy_to_device(here + j * rows.count, home + j * rows.panel_rows, bytes);
  return {here, rows.count, count, rows.count};
}

template <class Value, class Fill>
void HostPanelStore::write_columns(ColumnSet<Value>& kept, int first, int count,
                                   const PanelRows& rows, int buffer, Fill fill) {
  if (count == 0) return;
  Value* home = kept.values.data() + kept.place(first, rows);
  if (!copy_stream_) return fill(base::BasicBlock<Value>{home, rows.count, count, rows.panel_rows});
  Value* here = kept.panels.data() + buffer * panel_rows_ * kept.count;
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
void HostPanelStore::write(ConstBlock values, const PanelRows& rows, int buffer, Counts from,
                           std::span<const Slot> slots) {
  const auto exact = static_cast<int>(std::ranges::count(slots, true, &Slot::exact));
  const int single = values.columns - exact;
  std::vector<double> factors;
  for (const Slot& slot : slots.subspan(exact)) factors.push_back(1 / slot.scale);
  write_columns(exact_, from.exact, exact, rows, buffer,
                [&](Block to) { blocks_.copy(backend_, values.slice(0, exact), to); });
  write_columns(single_, from.single, single, rows, buffer, [&](base::SingleBlock to) {
    blocks_.scale_to_single(backend_, factors, values.slice(exact, single), to);
  });
}

std::vector<HostPanelStore::Slot> HostPanelStore::slots_from(Counts first, int exact,
                                                             std::span<const double> norms) {
  std::vector<Slot> slots;
  for (std::size_t j = 0; j < norms.size(); ++j) {
    const bool is_exact = std::cmp_less(j, exact);
    slots.push_back(is_exact ? Slot{true, first.exact++, 1}
                             : Slot{false, first.single++, power_of_two_of(norms[j])});
  }
  return slots;
}

void HostPanelStore::put(ConstBlock vectors, std::span<const double> norms) {
  const int exact = exact_of_next(vectors.columns);
  if (used_.single + vectors.columns - exact > shape_.single)
    base::fail(base::ErrorKind::internal, "a host panel store of ", shape_.exact + shape_.single,
               " vectors holds ", size(), " and cannot take ", vectors.columns, " more");
  const std::vector<Slot> slots = slots_from(used_, exact, norms);
  for_each_panel([&](const PanelRows& rows) {
    write(row_range(vectors, rows.panel_first, rows.count), rows, 0, used_, slots);
  });
  slots_.insert(slots_.end(), slots.begin(), slots.end());
  used_ = {used_.exact + exact, used_.single + vectors.columns - exact};
}

void HostPanelStore::replace(int first, ConstBlock vectors) {
  const std::span<const Slot> slots = std::span(slots_).subspan(first, vectors.columns);
  if (!std::ranges::all_of(slots, &Slot::exact))
    base::fail(base::ErrorKind::internal, "a vector in single precision cannot be replaced");
  for_each_panel([&](const PanelRows& rows) {
    write(row_range(vectors, rows.panel_first, rows.count), rows, 0, {slots.front().at, 0}, slots);
  });
}

void HostPanelStore::gram(std::span<const Products> products) const {
  for (const auto& [y, g] : products) std::ranges::fill(g->values(), 0.0);
  for_each_part(0, shape_.rows, panel_rows_, [&](const PanelPart& part) {
    for (const auto& [y, g] : products) add_gram(part, row_range(y, part.at, part.rows.count), *g);
  });
}

void HostPanelStore::add_gram(const PanelPart& part, ConstBlock y, SmallMatrix& g) const {
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
SmallMatrix HostPanelStore::scaled_rows(const SmallMatrix& c, bool exact) const {
  SmallMatrix rows(exact ? used_.exact : used_.single, c.columns());
  for (int b = 0; b < c.columns(); ++b)
    for (int a = 0; a < size(); ++a)
      if (slots_[a].exact == exact) rows(slots_[a].at, b) = slots_[a].scale * c(a, b);
  return rows;
}

void HostPanelStore::update(double alpha, const PanelPart& part,
                            const std::pair<SmallMatrix, SmallMatrix>& c, double beta,
                            Block y) const {
  blocks_.update(backend_, alpha, part.exact, c.first, beta, y);
  blocks_.update(backend_, alpha, part.single, c.second, 1, y);
}

void HostPanelStore::update(double alpha, const SmallMatrix& c, double beta, Index first,
                            Block y) const {
  const auto of_both = divided(c);
  for_each_part(first, y.rows, panel_rows_, [&](const PanelPart& part) {
    update(alpha, part, of_both, beta, row_range(y, part.at, part.rows.count));
  });
}

std::vector<double> HostPanelStore::rotate(const SmallMatrix& c, std::span<const double> norms,
                                           int exact, Block workspace) {
  const Block made = workspace.slice(0, c.columns());
  const auto of_both = divided(c);
  const std::vector<Slot> slots = slots_from({}, exact, norms);
  std::vector<double> squares(c.columns(), 0);
  std::vector<double> some(c.columns());
  for_each_part(0, shape_.rows, made.rows, [&](const PanelPart& part) {
    const Block piece = row_range(made, 0, part.rows.count);
    update(1, part, of_both, 0, piece);
    write(piece, part.rows, part.buffer, {}, slots);
    blocks_.squared_norms(backend_, piece, some);
    for (std::size_t j = 0; j < some.size(); ++j) squares[j] += some[j];
  });
  slots_ = slots;
  used_ = {exact, c.columns() - exact};
  return squares;
}

}  // namespace cisolve::solver
