#include "app/report/warnings.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace cisolve::app {
namespace {

struct KeptWarnings {
  std::mutex guard;
  std::vector<std::string> texts;
};

KeptWarnings& kept_warnings() {
  static KeptWarnings all;
  return all;
}

}  // namespace

void keep_warning(std::string text) {
  KeptWarnings& all = kept_warnings();
  const std::lock_guard lock(all.guard);
  all.texts.push_back(std::move(text));
}

Json warnings_record() {
  KeptWarnings& all = kept_warnings();
  const std::lock_guard lock(all.guard);
  return Json::array({all.texts.begin(), all.texts.end()});
}

}  // namespace cisolve::app
