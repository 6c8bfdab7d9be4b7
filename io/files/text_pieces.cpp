#include "io/files/text_pieces.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "base/loops.hpp"

namespace cisolve::io {
namespace {

constexpr Index kPieceBytes = Index{1} << 20;

/// Begin of the first line that starts at or after byte `at`.
const char* line_from(std::string_view text, Index at) {
  const auto size = std::ssize(text);
  if (at == 0) return text.data();
  if (at >= size) return text.data() + size;
  const void* newline = std::memchr(text.data() + at - 1, '\n', size - at + 1);
  return newline == nullptr ? text.data() + size : static_cast<const char*>(newline) + 1;
}

}  // namespace

Index count_text_pieces(std::string_view text) {
  return (std::ssize(text) + kPieceBytes - 1) / kPieceBytes;
}

void for_each_text_piece(std::string_view text, const base::Backend& host,
                         const std::function<void(Index, const char*, const char*)>& work) {
  const Index pieces = count_text_pieces(text);
  std::atomic<Index> failed = pieces;
  std::optional<TextProblem> first;
  std::mutex guard;
  base::for_each_chunk(pieces, 1, host, [&](Index piece, Index) {
    if (piece > failed) return;  // an earlier piece may still fail
    try {
      work(piece, line_from(text, piece * kPieceBytes), line_from(text, (piece + 1) * kPieceBytes));
    } catch (const TextProblem& problem) {
      const std::lock_guard lock(guard);
      if (piece < failed) {
        failed = piece;
        first = problem;
      }
    }
  });
  if (first) throw TextProblem(*first);
}

}  // namespace cisolve::io
