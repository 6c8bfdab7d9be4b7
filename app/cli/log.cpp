#include "app/cli/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "app/cli/printable.hpp"
#include "app/report/warnings.hpp"

namespace cisolve::app {
namespace {

bool colours_are_unwanted() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color != nullptr && *no_color != '\0';
}

class PrintableMessage : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& line) override {
    const std::string text = printable({message.payload.data(), message.payload.size()});
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableMessage>();
  }
};

/// Collects warnings for run.json.
class WarningKeeper final : public spdlog::sinks::base_sink<std::mutex> {
 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (message.level == spdlog::level::warn)
      keep_warning({message.payload.data(), message.payload.size()});
  }
  void flush_() override {}
};

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
  const spdlog::level::level_enum shown = level_of(verbosity);
  sink->set_level(shown);
  const spdlog::sinks_init_list sinks{std::move(sink), std::make_shared<WarningKeeper>()};
  auto logger = std::make_shared<spdlog::logger>("ci-solve", sinks);
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PrintableMessage>('*').set_pattern("%n: %^%l%$: %*");
  logger->set_formatter(std::move(formatter));
  logger->set_level(std::min(shown, spdlog::level::warn));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace cisolve::app
