#include "ci/hamiltonian/on_the_fly/partly_stored.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "ci/hamiltonian/on_the_fly/computed_hamiltonian.hpp"
#include "ci/hamiltonian/on_the_fly/stored_items.hpp"
#include "ci/hamiltonian/rows/chosen_rows.hpp"
#include "ci/hamiltonian/rows/row_order.hpp"
#include "sparse/rows/build.hpp"
#include "sparse/stored/formats.hpp"
#include "sparse/stored/plan.hpp"

namespace cisolve::ci {
namespace {

constexpr const char* kPlaces = "the places of stored rows";
constexpr int kRounds = 6;  // rounds of reducing the choice: padding is known only for chosen rows

base::Array<Column> lengths_of(const ChosenRows& rows, const base::Backend& backend) {
  if (backend.is_host()) return sparse::row_lengths(rows, backend);
  return rows.on(backend)->lengths(rows.shape().columns).to(backend.host());
}

/// Non-zeros of the rows of some items.
Index of_items(const std::vector<ComputedProduct::Item>& items,
               const base::Array<Column>& lengths) {
  Index nonzeros = 0;
  for (const ComputedProduct::Item& item : items)
    nonzeros += sparse::total(lengths.span().subspan(item.first, item.rows));
  return nonzeros;
}

}  // namespace

/// Chooses the rows of a Hamiltonian to store.
class StoredRowChoice {
 public:
  StoredRowChoice(const HamiltonianRows& h, const sparse::FormatOptions& storage,
                  const base::Backend& backend, const ComputedProduct& computed)
      : h_(h),
        storage_(storage),
        backend_(backend),
        items_(computed.items()),
        cost_([&](const std::vector<bool>& is_computed) { return computed.cost(is_computed); }),
        in_order_(items_.size()),
        lengths_(lengths_of(ChosenRows(h), backend)),
        nonzeros_(of_items(items_, lengths_)),
        allowance_(allowance_for(storage.share.value_or(sparse::StoredFraction{}))) {
    for (const ComputedProduct::Item& item : items_)
      storable_.push_back(
          {.work = item.work,
           .rows = item.rows,
           .nonzeros = sparse::total(lengths_.span().subspan(item.first, item.rows)),
           .is_reference = is_reference(item)});
    std::iota(in_order_.begin(), in_order_.end(), std::size_t{0});
    std::ranges::sort(in_order_, {}, [&](std::size_t i) { return items_[i].first; });
  }

  Index nonzeros() const { return nonzeros_; }

  /// Whether each item is stored.
  std::vector<bool> choose() {
    std::vector<bool> chosen = stored_items(storable_, allowance_, cost_);
    for (int round = 0; round < kRounds && !fits(planned(chosen)); ++round)
      chosen = stored_items(storable_, allowance_, cost_);
    return chosen;
  }

  /// Whether `held` bytes fit; if not, the next choice is smaller.
  bool fits(double held) { return fits_or_reduces(allowance_, held); }
  void take_less() { allowance_.bytes *= 0.75; }
  bool fits(const sparse::SparseMatrix& stored) {
    return fits(static_cast<double>(stored.memory().held) +
                row_overhead_bytes() * static_cast<double>(stored.shape().rows));
  }

  std::vector<Column> rows_of(const std::vector<bool>& chosen) const {
    std::vector<Column> rows;
    for (const std::size_t i : in_order_)
      for (Index k = 0; chosen[i] && k < items_[i].rows; ++k)
        rows.push_back(static_cast<Column>(items_[i].first + k));
    return rows;
  }

 private:
  bool is_reference(const ComputedProduct::Item& item) const {
    if (h_.partition().is_canonical()) return false;
    for (Index row = item.first; row < item.first + item.rows; ++row)
      if (h_.partition().stored(row) < h_.partition().reference()) return true;
    return false;
  }

  StorageAllowance allowance_for(const sparse::StoredFraction& share) const {
    const Index left = backend_.memory().left() - reading();
    const auto bytes = static_cast<double>(storable_bytes(left, !backend_.is_host()));
    const bool is_free = share.bytes == sparse::kAutomatic;
    return {.nonzeros = static_cast<Index>(share.elements * static_cast<double>(nonzeros_)),
            .bytes = is_free ? bytes : std::min(bytes, static_cast<double>(share.bytes)),
            .element_bytes = bytes_of_nonzero(storage_),
            .row_bytes = sparse::format_named(storage_.format).row_bytes + row_overhead_bytes()};
  }

  /// Bytes that the threads of a host read at once.
  Index reading() const {
    if (!backend_.is_host() || lengths_.size() == 0) return 0;
    const Index longest = std::ranges::max(lengths_.span());
    return backend_.threads() * h_.grain() * longest * Index{sizeof(Column) + sizeof(double)};
  }

  /// Bytes of a stored row besides those of the format: its destination, and its results before the
  /// scatter.
  double row_overhead_bytes() const {
    return sizeof(Column) + storage_.vectors * double{sizeof(double)};
  }

  /// The planned bytes, as far as known without reading rows.
  double planned(const std::vector<bool>& chosen) const {
    if (storage_.format == "tiled") return 0;  // planning would read all rows
    const std::vector<Column> rows = rows_of(chosen);
    if (rows.empty()) return 0;
    std::vector<Column> lengths;
    for (const Column row : rows) lengths.push_back(lengths_[row]);
    const ChosenRows source(h_, rows);
    const Index held = sparse::plan_format(source, lengths, storage_, backend_).memory.held;
    return static_cast<double>(held) + row_overhead_bytes() * static_cast<double>(rows.size());
  }

  const HamiltonianRows& h_;
  const sparse::FormatOptions& storage_;
  const base::Backend& backend_;
  const std::vector<ComputedProduct::Item> items_;
  CostOfComputing cost_;
  std::vector<std::size_t> in_order_;  // ascending by row
  base::Array<Column> lengths_;
  Index nonzeros_;
  std::vector<StorableItem> storable_;
  StorageAllowance allowance_;
};

Index storable_bytes(Index left, bool on_device) {
  // A device writes rows before it formats them: with little workspace, in many passes.
  constexpr Index kMuch = Index{8} << 30;
  const Index reserve = on_device ? std::min(left / 3, kMuch) : left / 10;
  return std::max<Index>(0, left - reserve);
}

double bytes_of_nonzero(const sparse::FormatOptions& storage) {
  constexpr double kPadding = 1.04;
  constexpr double kWithoutCode = 1.2;  // singles and the diagonal are stored plain
  const sparse::Format& format = sparse::format_named(storage.format);
  const bool coded = storage.values == sparse::ValueEncoding::coded && format.coded;
  return coded ? kWithoutCode * format.coded->element_bytes : kPadding * format.element_bytes;
}

PartlyStoredProduct::PartlyStoredProduct(const HamiltonianRows& h,
                                         const sparse::FormatOptions& storage,
                                         const base::Backend& backend)
    : PartlyStoredProduct(h, ComputedHamiltonian(h).product(backend), storage, backend) {}

PartlyStoredProduct::PartlyStoredProduct(const HamiltonianRows& h, ComputedProductPtr computed,
                                         const sparse::FormatOptions& storage,
                                         const base::Backend& backend)
    : backend_(backend),
      storage_(storage),
      computed_(std::move(computed)),
      scatter_(backend, 0, kPlaces),
      found_(backend, 0, 0) {
  StoredRowChoice choice(h, storage_, backend_, *computed_);
  nonzeros_ = choice.nonzeros();
  std::vector<bool> chosen;
  for (int round = 1; !stores(h, choice, chosen, round == kRounds); ++round) stored_.reset();
  chosen.flip();
  computed_->keep(chosen);
}

bool PartlyStoredProduct::stores(const HamiltonianRows& h, StoredRowChoice& choice,
                                 std::vector<bool>& chosen, bool is_last) {
  chosen = choice.choose();
  try {
    store(h, choice.rows_of(chosen));
  } catch (const base::Error& error) {  // the memory that a build needs is known only by trying
    if (error.kind() != base::ErrorKind::resources || is_last) throw;
    choice.take_less();
    return false;
  }
  return is_last || !stored_ || choice.fits(*stored_);
}

void PartlyStoredProduct::begin_y_with(Index row) {
  computed_->begin_y_with(row);
  first_of_y_ = row;
  if (scatter_.size() == 0) return;
  std::vector<Column> places = stored_rows_;
  for (Column& place : places) place -= static_cast<Column>(row);
  scatter_ = base::Array<Column>::copy_of(places, backend_, kPlaces);
}

void PartlyStoredProduct::store(const HamiltonianRows& h, std::vector<Column> rows) {
  stored_rows_ = std::move(rows);
  if (stored_rows_.empty()) return;
  const Index reach = stored_rows_.back() - stored_rows_.front() + 1;
  const bool are_neighbours = reach == std::ssize(stored_rows_);
  found_ = base::MultiVector(backend_, 0, 0);  // released before the next is allocated
  found_ = base::MultiVector(backend_, are_neighbours ? 0 : std::ssize(stored_rows_),
                             std::max(1, storage_.vectors), "products of stored rows");
  scatter_ = base::Array<Column>::copy_of(
      are_neighbours ? std::span<const Column>() : std::span<const Column>(stored_rows_), backend_,
      kPlaces);
  stored_ = sparse::build_matrix(ChosenRows(h, stored_rows_), storage_, backend_);
}

void PartlyStoredProduct::apply(base::ConstBlock x, base::Block y) const {
  computed_->apply(x, y);
  if (!stored_) return;
  const Index count = stored_->shape().rows;
  if (scatter_.size() == 0)
    return stored_->multiply(
        1, x, 0, {y.data + stored_rows_.front() - first_of_y_, count, y.columns, y.stride});
  for (int j = 0; j < y.columns; j += found_.columns()) {
    const int columns = std::min(found_.columns(), y.columns - j);
    const base::Block found = found_.block(0, columns);
    stored_->multiply(1, x.slice(j, columns), 0, found);
    scatter_rows(backend_, scatter_, found, y.slice(j, columns));
  }
}

base::OperatorDescription PartlyStoredProduct::description() const {
  const Index stored = stored_ ? stored_->memory().held : 0;
  return {"mixed", computed_->description().bytes_held + stored + scatter_.bytes(), 0, 0};
}

}  // namespace cisolve::ci
