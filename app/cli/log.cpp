#include "app/cli/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace cisolve::app {
namespace {

bool colours_are_unwanted() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color != nullptr && *no_color != '\0';
}

spdlog::level::level_enum level_of(Verbosity verbosity) {
  switch (verbosity) {
    case Verbosity::quiet: return spdlog::level::err;
    case Verbosity::normal: return spdlog::level::info;
    case Verbosity::verbose: return spdlog::level::debug;
  }
  return spdlog::level::info;
}

}  // namespace

void set_up_log(Verbosity verbosity) {
  const auto colours =
      colours_are_unwanted() ? spdlog::color_mode::never : spdlog::color_mode::automatic;
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(colours);
  auto logger = std::make_shared<spdlog::logger>("ci-solve", std::move(sink));
  logger->set_pattern("%n: %^%l%$: %v");
  logger->set_level(level_of(verbosity));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace cisolve::app
