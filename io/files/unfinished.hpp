#pragma once

#include <filesystem>

namespace cisolve::io {

/// Registers the name of an incomplete file as long as this object exists. The table is global,
/// since signal handlers only see globals; if it is full, the file is left to the next user of the
/// folder.
class UnfinishedName {
 public:
  explicit UnfinishedName(const std::filesystem::path& path);
  UnfinishedName(const UnfinishedName&) = delete;
  UnfinishedName& operator=(const UnfinishedName&) = delete;
  ~UnfinishedName();

 private:
  int slot_ = -1;
};

/// Removes all registered files; async-signal-safe.
void remove_unfinished() noexcept;

}  // namespace cisolve::io
