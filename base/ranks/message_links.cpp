#include "base/ranks/message_links.hpp"

namespace cisolve::base {

void MessageLinks::others(const Layout& layout, const double* mine, double* whole) const {
  together([&] {
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

void MessageLinks::exchange(const double* send, std::span<const Index> sent, double* receive,
                            std::span<const Index> received) const {
  together([&] {
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
