#include "app/config/error_place.hpp"

#include <algorithm>
#include <typeinfo>

namespace cisolve::app {

std::string with_place_of_key(const std::string& message, const Configuration& configuration) {
  constexpr const char* letters = "abcdefghijklmnopqrstuvwxyz0123456789_.";
  const std::string before = configuration.request.origin + ": ";
  if (!message.starts_with(before)) return message;
  for (std::size_t at = before.size(); at != std::string::npos;) {
    const std::size_t end = std::min(message.find_first_not_of(letters, at), message.size());
    std::string key = message.substr(at, end - at);
    key.resize(key.find_last_not_of('.') + 1);
    // The first word may be a key without a dot, as `threads`; a later one may be a plain word.
    const bool may_be_key = at == before.size() || key.find('.') != std::string::npos;
    const auto given = may_be_key ? configuration.given.find(key) : configuration.given.end();
    if (given != configuration.given.end()) return given->second + message.substr(before.size());
    at = message.find_first_of(letters, end);
  }
  return message;
}

void throw_with_place(const base::Error& error, const Configuration& configuration) {
  // Derived types, such as collective errors, are kept.
  if (error.kind() != base::ErrorKind::configuration || typeid(error) != typeid(base::Error)) throw;
  throw base::Error(error.kind(), with_place_of_key(error.what(), configuration));
}

}  // namespace cisolve::app
