#include "base/ranks/point_to_point_channel.hpp"

namespace cisolve::base {

void PointToPointChannel::all_gather_others(const Layout& layout, const double* mine,
                                            double* whole) const {
  begin_as_group([&] {
    for (const Layout::Piece& piece : layout.pieces()) {
      if (piece.rank != ranks_.rank()) {
        receive_from(piece.rank, whole + piece.first, piece.count);
        continue;
      }
      for (int r = 0; r < ranks_.size(); ++r)
        if (r != piece.rank) send_to(r, mine + piece.at, piece.count);
    }
  });
}

void PointToPointChannel::exchange(const double* send, std::span<const Index> sent, double* receive,
                                   std::span<const Index> received) const {
  begin_as_group([&] {
    for (int r = 0; r < ranks_.size(); ++r) {
      if (r == ranks_.rank()) {
        keep(send, receive, sent[r]);
      } else {
        send_to(r, send, sent[r]);
        receive_from(r, receive, received[r]);
      }
      send += sent[r];
      receive += received[r];
    }
  });
}

}  // namespace cisolve::base
