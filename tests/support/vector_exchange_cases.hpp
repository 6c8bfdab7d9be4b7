#pragma once

#include <gtest/gtest.h>

#include "base/multivector.hpp"
#include "base/ranks/vector_exchange.hpp"
#include "tests/support/backend.hpp"
#include "tests/support/rank_runner.hpp"

// Exchange of distributed vectors in any memory, on all kinds of ranks.
namespace cisolve::base {
namespace {  // NOLINT: of each program its own

class VectorsOnRanks : public test::BackendTest {};

/// Pieces of three lengths assigned round-robin; of several ranks the last one has none.
Layout uneven_layout(Index rows, int ranks) {
  std::vector<Layout::Piece> pieces;
  const int taking = std::max(1, ranks - 1);
  for (Index first = 0; first < rows;) {
    const Index length = std::min(rows - first, rows / 7 + std::ssize(pieces) % 3);
    pieces.push_back({static_cast<int>(std::ssize(pieces)) % taking, first, length, 0});
    first += length;
  }
  return Layout::of_pieces(ranks, pieces);
}

double value_of(Index row) { return 1.0 / static_cast<double>(row + 1); }

TEST_F(VectorsOnRanks, AreGatheredInCanonicalOrder) {
  for (const Index rows : {Index{23}, Index{70'000}, Index{2'500'000}})
    for (const int size : test::rank_runner.sizes())
      test::rank_runner.run(size, [&](const Communicator& ranks) {
        SCOPED_TRACE(concat(rows, " rows on ", size));
        const Layout layout = uneven_layout(rows, size);
        MultiVector mine(Backend::reference(), layout.count(ranks.rank()), 1);
        for (const Layout::Piece& piece : layout.pieces_of(ranks.rank()))
          for (Index i = 0; i < piece.count; ++i) mine(piece.at + i, 0) = value_of(piece.first + i);
        const Backend backend = test::rank_backend();
        const MultiVector on_backend = mine.to(backend);
        MultiVector whole(backend, rows, 1);
        const VectorExchange vectors(ranks, backend);
        for (int round = 0; round < 2; ++round)
          vectors.all_gather(layout, on_backend.block().column(0), whole.block().column(0));
        const MultiVector found = whole.to(Backend::reference());
        for (Index row = 0; row < rows; ++row) ASSERT_EQ(found(row, 0), value_of(row)) << row;
      });
}

// Rank r sends r + 2 s numbers to rank s, each of which encodes its origin.
TEST_F(VectorsOnRanks, AreExchangedAmongAll) {
  for (const int size : test::rank_runner.sizes())
    test::rank_runner.run(size, [&](const Communicator& ranks) {
      const auto count = [](int from, int to) { return Index{from} + Index{2} * to; };
      std::vector<Index> sent;
      std::vector<Index> received;
      std::vector<double> numbers;
      Index expected = 0;
      for (int r = 0; r < size; ++r) {
        sent.push_back(count(ranks.rank(), r));
        received.push_back(count(r, ranks.rank()));
        expected += received.back();
        for (Index i = 0; i < sent.back(); ++i)
          numbers.push_back(1e6 * ranks.rank() + 1e3 * r + static_cast<double>(i));
      }
      const Backend backend = test::rank_backend();
      const auto send = Array<double>::copy_of(numbers, backend, "a test");
      Array<double> receive(backend, expected, "a test");
      const VectorExchange vectors(ranks, backend);
      vectors.exchange(send.span(), sent, receive.span(), received);
      const Array<double> found = receive.to(Backend::reference());
      Index at = 0;
      for (int r = 0; r < size; ++r)
        for (Index i = 0; i < received[r]; ++i)
          ASSERT_EQ(found[at++], 1e6 * r + 1e3 * ranks.rank() + static_cast<double>(i)) << r;
    });
}

}  // namespace
}  // namespace cisolve::base
