#include "job/products/remote_rows.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/multivector.hpp"
#include "base/ranks/collective_errors.hpp"

namespace cisolve::job {
namespace {

using base::Index;

constexpr int kMostTogether = 8;  // for more vectors, elements are computed again

}  // namespace

RemoteRows::RemoteRows(const base::Communicator& ranks, std::unique_ptr<ci::OracleProduct> own,
                       const base::Backend& host)
    : ranks_(ranks), own_(std::move(own)), host_(host), layout_(own_->row_layout(ranks.size())) {
  own_->keep_rows(layout_.first_of(ranks.rank()), layout_.count(ranks.rank()));
}

void RemoteRows::apply(base::ConstBlock x, base::Block y) const {
  broadcast_request(ranks_, {WorkerCommand::rows, x.columns});
  multiply_all(x.columns, x, y);
}

void RemoteRows::multiply_rows(std::span<const Index> rows, const double* x,
                               std::span<double> values) const {
  broadcast_request(ranks_, {WorkerCommand::some_rows, std::ssize(rows)});
  multiply_some(std::ssize(rows), rows, x, values);
}

void RemoteRows::execute(const WorkerRequest& asked) const {
  if (asked.command == WorkerCommand::rows) multiply_all(static_cast<int>(asked.count), {}, {});
  if (asked.command == WorkerCommand::some_rows) multiply_some(asked.count, {}, nullptr, {});
}

/// Equal on all ranks.
int RemoteRows::columns_at_once(int columns) const {
  const auto vector = static_cast<double>((rows() + layout_.count(ranks_.rank())) * sizeof(double));
  const double fitting = std::floor(static_cast<double>(host_.host_memory().left()) / vector);
  const int most = std::min(columns, kMostTogether);
  return static_cast<int>(std::clamp<double>(ranks_.minimum(fitting), 1, most));
}

void RemoteRows::scatter_vector(const double* of_first, double* whole) const {
  if (ranks_.rank() == 0) std::copy_n(of_first, rows(), whole);
  ranks_.broadcast({whole, static_cast<std::size_t>(rows())}, 0);
}

/// Gathers into `all` of rank 0.
void RemoteRows::gather(std::span<const double> mine, const base::Layout& layout,
                        std::span<double> all) const {
  std::vector<Index> sent(ranks_.size());
  std::vector<Index> received(ranks_.size());
  sent[0] = std::ssize(mine);
  if (ranks_.rank() == 0)
    for (int r = 0; r < ranks_.size(); ++r) received[r] = layout.count(r);
  ranks_.exchange(mine, sent, all, received);
}

void RemoteRows::multiply_all(int columns, base::ConstBlock x, base::Block y) const {
  const bool is_first = ranks_.rank() == 0;
  const int most = columns_at_once(columns);
  const Index own = layout_.count(ranks_.rank());
  std::optional<base::MultiVector> whole;
  std::optional<base::MultiVector> mine;
  base::run_collectively(ranks_, [&] {
    whole.emplace(host_, rows(), most, "vectors of the first rank");
    mine.emplace(host_, own, most, "rows of a rank");
  });
  for (int j = 0; j < columns; j += most) {
    const int count = std::min(columns - j, most);
    for (int k = 0; k < count; ++k)
      scatter_vector(is_first ? x.column(j + k) : nullptr, whole->block().column(k));
    if (own > 0) own_->apply(std::as_const(*whole).block(0, count), mine->block(0, count));
    for (int k = 0; k < count; ++k) {
      const auto size = static_cast<std::size_t>(own);
      gather({mine->block().column(k), size}, layout_,
             is_first ? std::span(y.column(j + k), static_cast<std::size_t>(rows()))
                      : std::span<double>());
    }
  }
}

void RemoteRows::multiply_some(Index count, std::span<const Index> rows, const double* x,
                               std::span<double> values) const {
  const base::Layout row_layout = base::Layout::even(count, ranks_.size());
  std::optional<base::MultiVector> whole;
  base::run_collectively(
      ranks_, [&] { whole.emplace(host_, this->rows(), 1, "a vector of the first rank"); });
  scatter_vector(x, whole->block().column(0));
  std::vector<Index> wanted(rows.begin(), rows.end());
  wanted.resize(count);
  ranks_.broadcast(std::as_writable_bytes(std::span(wanted)), 0);
  std::vector<double> mine(row_layout.count(ranks_.rank()));
  own_->multiply_rows(std::span(wanted).subspan(row_layout.first_of(ranks_.rank()), mine.size()),
                      std::as_const(*whole).block().column(0), mine);
  gather(mine, row_layout, values);
}

}  // namespace cisolve::job
