#pragma once

#include <string>
#include <string_view>

namespace cisolve::app {

/// A text, such as the name of a file, as it has to be typed for a shell to take it as one word and
/// for a command to take that as no option. What needs no quotes has none.
std::string shell_word(std::string_view text);

}  // namespace cisolve::app
