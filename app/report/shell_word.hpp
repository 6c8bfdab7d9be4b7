#pragma once

#include <string>
#include <string_view>

namespace cisolve::app {

/// Quotes a text, such as a file name, so that a shell reads one word and a command no option;
/// unchanged if no quotes are needed.
std::string shell_word(std::string_view text);

}  // namespace cisolve::app
