#include "base/ranks/vector_exchange.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/array.hpp"
#include "base/multivector.hpp"
#include "base/ranks/collective_errors.hpp"
#include "base/ranks/device_channel.hpp"

namespace cisolve::base {
namespace {

constexpr auto kBufferName = "vectors exchanged between ranks";
constexpr Index kStage = Index{1} << 20;  // numbers per transfer through the host

Index bytes_of(Index numbers) { return numbers * Index{sizeof(double)}; }

}  // namespace

VectorExchange::VectorExchange(const Communicator& ranks, const Backend& backend)
    : ranks_(ranks), backend_(backend), channel_(ranks.device_channel(backend)) {}

Index VectorExchange::most_at_once() const {
  const bool is_direct = backend_.is_host() || channel_ != nullptr;
  return is_direct ? std::numeric_limits<Index>::max() : kStage;
}

void VectorExchange::all_gather(const Layout& layout, const double* mine, double* whole) const {
  all_gather_others(layout, mine, whole);
  for (const Layout::Piece& piece : layout.pieces_of(ranks_.rank()))
    copy_bytes(backend_, mine + piece.at, backend_, whole + piece.first, bytes_of(piece.count));
}

void VectorExchange::all_gather_others(const Layout& layout, const double* mine,
                                       double* whole) const {
  if (channel_ != nullptr) return channel_->all_gather_others(layout, mine, whole);
  if (!backend_.is_host()) return all_gather_others_by_host(layout, mine, whole);
  // Broadcasts in place, piece by piece, so that no other memory is needed.
  for (const Layout::Piece& piece : layout.pieces()) {
    const bool is_mine = piece.rank == ranks_.rank();
    double* at = is_mine ? const_cast<double*>(mine) + piece.at : whole + piece.first;  // read only
    ranks_.broadcast({at, static_cast<std::size_t>(piece.count)}, piece.rank);
  }
}

void VectorExchange::all_gather_others_by_host(const Layout& layout, const double* mine,
                                               double* whole) const {
  const Backend host = backend_.host();
  std::optional<Array<double>> stage;
  run_collectively(ranks_,
                   [&] { stage.emplace(host, std::min(kStage, layout.rows()), kBufferName); });
  for (const Layout::Piece& piece : layout.pieces()) {
    const bool is_mine = piece.rank == ranks_.rank();
    for (Index at = 0; at < piece.count; at += kStage) {
      const Index count = std::min(kStage, piece.count - at);
      if (is_mine) copy_bytes(backend_, mine + piece.at + at, host, stage->data(), bytes_of(count));
      ranks_.broadcast(stage->span().first(static_cast<std::size_t>(count)), piece.rank);
      if (!is_mine)
        copy_bytes(host, stage->data(), backend_, whole + piece.first + at, bytes_of(count));
    }
  }
}

void VectorExchange::exchange(std::span<const double> send, std::span<const Index> sent,
                              std::span<double> receive, std::span<const Index> received) const {
  if (backend_.is_host()) return ranks_.exchange(send, sent, receive, received);
  if (channel_ != nullptr) return channel_->exchange(send.data(), sent, receive.data(), received);
  const Backend host = backend_.host();
  std::optional<Array<double>> outgoing;
  std::optional<Array<double>> incoming;
  run_collectively(ranks_, [&] {
    outgoing.emplace(host, std::ssize(send), kBufferName);
    incoming.emplace(host, std::ssize(receive), kBufferName);
  });
  copy_bytes(backend_, send.data(), host, outgoing->data(), outgoing->bytes());
  ranks_.exchange(outgoing->span(), sent, incoming->span(), received);
  copy_bytes(host, incoming->data(), backend_, receive.data(), incoming->bytes());
}

}  // namespace cisolve::base
