#pragma once

#include <functional>
#include <string_view>

#include "base/backend.hpp"
#include "io/files/mapped_file.hpp"

namespace cisolve::io {

/// Number of pieces of whole lines into which a text is cut for threads.
Index count_text_pieces(std::string_view text);

/// Calls work(piece, begin, end) for each piece on the host's threads. Rethrows the first
/// TextProblem in the order of the text, whatever the number of threads.
void for_each_text_piece(
    std::string_view text, const base::Backend& host,
    const std::function<void(Index piece, const char* begin, const char* end)>& work);

}  // namespace cisolve::io
