#include "base/ranks/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ranks/thread_ranks.hpp"
#include "base/ranks/vector_exchange.hpp"
#include "base/ranks/whole_vectors.hpp"

// Layouts of non-contiguous pieces, and gathering from them.
namespace cisolve::base {
namespace {

using Piece = Layout::Piece;
using testing::HasSubstr;

// Rows of 0 to 11; rank 1 has nothing.
const std::vector<Piece> kPieces = {{2, 7, 3}, {0, 10, 2}, {2, 0, 2}, {0, 4, 3}, {2, 2, 2}};

double element(Index row, int column) { return 100 * (column + 1) + static_cast<double>(row); }

/// This rank's rows of vectors with known elements.
MultiVector share(const Layout& layout, int rank, int columns, const Backend& host) {
  MultiVector mine(host, layout.count(rank), columns);
  for (const Piece& piece : layout.pieces_of(rank))
    for (int j = 0; j < columns; ++j)
      for (Index i = 0; i < piece.count; ++i) mine(piece.at + i, j) = element(piece.first + i, j);
  return mine;
}

TEST(LayoutInPieces, LocatesRowsInTheMemoryOfARank) {
  const Layout layout = Layout::of_pieces(3, kPieces);
  EXPECT_EQ(layout.ranks(), 3);
  EXPECT_EQ(layout.rows(), 12);
  EXPECT_EQ(layout.count(0), 5);
  EXPECT_EQ(layout.count(1), 0);
  EXPECT_EQ(layout.count(2), 7);
  EXPECT_EQ(layout.first_of(0), 10);
  EXPECT_EQ(layout.first_of(1), 0);
  EXPECT_EQ(layout.first_of(2), 7);
  const Piece of_first[] = {{0, 10, 2, 0}, {0, 4, 3, 2}};
  EXPECT_TRUE(std::ranges::equal(layout.pieces_of(0), of_first));
  const Piece of_last[] = {{2, 7, 3, 0}, {2, 0, 4, 3}};  // adjacent pieces merge
  EXPECT_TRUE(std::ranges::equal(layout.pieces_of(2), of_last));
}

TEST(LayoutInPieces, DoesNotDependOnHowPiecesWereCut) {
  const Piece cut[] = {{0, 0, 3}, {1, 5, 0}, {0, 3, 2}, {0, 5, 4}};
  EXPECT_EQ(Layout::of_pieces(1, cut), Layout::whole(9));
  const Piece reversed[] = {{0, 3, 6}, {0, 0, 3}};
  EXPECT_NE(Layout::of_pieces(1, reversed), Layout::whole(9));
  EXPECT_NE(Layout::even(9, 2), Layout::whole(9));
  EXPECT_EQ(Layout(), Layout::whole(0));
}

TEST(LayoutInPieces, RefusesRepeatedOrMissingRows) {
  const Piece twice[] = {{0, 0, 5}, {1, 4, 3}};
  const Piece nowhere[] = {{0, 0, 4}, {1, 5, 3}};
  const Piece of_nobody[] = {{0, 5, 3}, {2, 0, 5}};
  for (const std::span<const Piece> pieces : {std::span(twice), std::span(nowhere)})
    EXPECT_THROW(Layout::of_pieces(2, pieces), Error);
  EXPECT_THROW(Layout::of_pieces(2, of_nobody), Error);
  const std::vector<Layout::Piece> beyond = {{0, 0, 5}, {2, 5, 5}};  // rank out of range
  EXPECT_THROW(Layout::of_pieces(2, beyond), Error);
}

TEST(LayoutInPieces, IsRequiredToBeWholeForWholeVectors) {
  EXPECT_NO_THROW(require_whole(Layout::whole(12), 12, "vectors"));
  for (const Layout& other :
       {Layout(), Layout::whole(11), Layout::even(12, 2), Layout::of_pieces(3, kPieces)})
    try {
      require_whole(other, 12, "the vectors of a test");
      ADD_FAILURE() << "nothing was refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::internal);
      EXPECT_THAT(error.what(), HasSubstr("the vectors of a test"));
      EXPECT_THAT(error.what(), HasSubstr("expected 12 rows in canonical order"));
    }
}

TEST(WholeVectors, AreGatheredOnRank0) {
  const Piece reversed[] = {{0, 5, 7}, {0, 0, 5}};
  for (const Layout& layout : {Layout::of_pieces(3, kPieces), Layout::of_pieces(1, reversed),
                               Layout::even(12, 5), Layout::whole(12)})
    run_as_ranks(layout.ranks(), [&](const Communicator& ranks) {
      const Backend host = Backend::openmp(1);
      const MultiVector whole = whole_vectors(ranks, layout, share(layout, ranks.rank(), 2, host));
      ASSERT_EQ(whole.rows(), ranks.rank() == 0 ? 12 : 0);
      ASSERT_EQ(whole.columns(), 2);
      for (int j = 0; j < 2; ++j)
        for (Index row = 0; row < whole.rows(); ++row)
          EXPECT_EQ(whole(row, j), element(row, j)) << row;
    });
}

TEST(WholeVectors, AreGatheredOnEveryRank) {
  for (const Layout& layout : {Layout::of_pieces(3, kPieces), Layout::even(12, 5),
                               Layout::even(12, 14), Layout::whole(12)})
    run_as_ranks(layout.ranks(), [&](const Communicator& ranks) {
      const MultiVector mine = share(layout, ranks.rank(), 2, Backend::openmp(1));
      for (int j = 0; j < 2; ++j) {
        std::vector<double> whole(12);
        const VectorExchange vectors(ranks, Backend::openmp(1));
        vectors.all_gather(layout, mine.block().column(j), whole.data());
        for (Index row = 0; row < 12; ++row) EXPECT_EQ(whole[row], element(row, j)) << row;
      }
    });
}

/// More numbers than one transfer, in pieces that do not end with transfers.
TEST(WholeVectors, PassThroughTheFirstDevice) {
  constexpr Index kMany = 5'000'001;
  const std::vector<Layout::Piece> pieces = {{1, 0, kMany}, {0, kMany, 7}, {1, kMany + 7, 3}};
  const Layout layout = Layout::of_pieces(2, pieces);
  const auto number = [](Index row) { return 0.5 * static_cast<double>(row); };
  run_as_ranks(2, [&](const Communicator& ranks) {
    const Backend host = Backend::openmp(1);
    const VectorExchange vectors(ranks, host);
    MultiVector whole(host, ranks.rank() == 0 ? layout.rows() : 0, 1);
    for (Index row = 0; row < whole.rows(); ++row) whole(row, 0) = number(row);
    MultiVector mine(host, layout.count(ranks.rank()), 1);
    scatter_from_host(vectors, layout, std::as_const(whole).block(), mine.block());
    for (const Layout::Piece& piece : layout.pieces_of(ranks.rank()))
      for (Index i = 0; i < piece.count; ++i)
        ASSERT_EQ(mine(piece.at + i, 0), number(piece.first + i));
    for (Index row = 0; row < whole.rows(); ++row) whole(row, 0) = -1;
    gather_to_host(vectors, layout, std::as_const(mine).block(), whole.block());
    for (Index row = 0; row < whole.rows(); ++row) ASSERT_EQ(whole(row, 0), number(row));
  });
}

/// The rank's own rows are not written although the buffer includes them.
TEST(WholeVectors, AreGatheredWithoutTheOwnRows) {
  const Layout layout = Layout::of_pieces(3, kPieces);
  run_as_ranks(layout.ranks(), [&](const Communicator& ranks) {
    const MultiVector mine = share(layout, ranks.rank(), 1, Backend::openmp(1));
    std::vector<double> whole(12, -7);
    const VectorExchange vectors(ranks, Backend::openmp(1));
    vectors.all_gather_others(layout, mine.block().column(0), whole.data());
    for (const Layout::Piece& piece : layout.pieces())
      for (Index row = piece.first; row < piece.first + piece.count; ++row)
        EXPECT_EQ(whole[row], piece.rank == ranks.rank() ? -7 : element(row, 0)) << row;
  });
}

TEST(WholeVectors, AreNotCopiedIfAlreadyInOrder) {
  const Backend host = Backend::openmp(1);
  const OneProcess one;
  MultiVector mine = share(Layout::whole(12), 0, 2, host);
  const double* there = mine.block().data;
  EXPECT_EQ(whole_vectors(one, Layout::whole(12), std::move(mine)).block().data, there);
}

TEST(WholeVectors, OfAnotherLayoutAreRefusedByAllRanks) {
  run_as_ranks(3, [](const Communicator& ranks) {
    const auto expect_refused = [&](const Layout& layout, Index rows) {
      try {
        whole_vectors(ranks, layout, MultiVector(Backend::openmp(1), rows, 1));
        ADD_FAILURE() << "nothing was refused";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage) << error.what();
      }
    };
    const Layout layout = Layout::of_pieces(3, kPieces);
    expect_refused(layout, layout.count(ranks.rank()) + (ranks.rank() == 1 ? 1 : 0));
    expect_refused(Layout::whole(12), 12);
    EXPECT_TRUE(ranks.all_true(true));
  });
}

}  // namespace
}  // namespace cisolve::base
