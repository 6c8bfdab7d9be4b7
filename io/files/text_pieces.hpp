#pragma once

#include <functional>
#include <string_view>

#include "base/backend.hpp"
#include "io/files/mapped_file.hpp"

namespace cisolve::io {

/// How many pieces of whole lines a text is cut into, so that threads can share it.
Index count_text_pieces(std::string_view text);

/// Calls work(piece, begin, end) for each of them on the host's threads. A TextProblem that one
/// throws is thrown here: the first of the text, whatever the number of threads.
void for_each_text_piece(
    std::string_view text, const base::Backend& host,
    const std::function<void(Index piece, const char* begin, const char* end)>& work);

}  // namespace cisolve::io
