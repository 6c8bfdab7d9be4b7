#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/json/json.hpp"
#include "app/plot/script.hpp"

namespace cisolve::app {

/// One page that needs no other file: the figures in `folder`, and the numbers of a record, if
/// there is one.
std::string html_report(const std::string& title, const Json& record,
                        const std::vector<Figure>& figures, const std::filesystem::path& folder);

}  // namespace cisolve::app
