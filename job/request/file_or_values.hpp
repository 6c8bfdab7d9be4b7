#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace cisolve::job {

/// The path of a file, or values in memory, which copies of a request share; or nothing.
template <class Values>
class FileOrValues {
 public:
  FileOrValues() = default;
  FileOrValues(std::string file)  // NOLINT(google-explicit-constructor)
      : from_(std::move(file)) {}
  FileOrValues(std::shared_ptr<const Values> values)  // NOLINT(google-explicit-constructor)
      : from_(std::move(values)) {}

  bool empty() const { return file().empty() && values() == nullptr; }
  /// The path of the file; empty if there is none.
  const std::string& file() const {
    static const std::string none;
    const auto* path = std::get_if<std::string>(&from_);
    return path == nullptr ? none : *path;
  }
  /// The values in memory; null if there are none.
  const Values* values() const {
    const auto* held = std::get_if<std::shared_ptr<const Values>>(&from_);
    return held == nullptr ? nullptr : held->get();
  }

 private:
  std::variant<std::string, std::shared_ptr<const Values>> from_;
};

}  // namespace cisolve::job
