#pragma once

#include <filesystem>

namespace cisolve::io {

/// The name of a file that is not whole yet, as long as this lives. All of a process stand in one
/// table, since a handler of signals knows nothing but globals; one that finds no room there is
/// left to whoever uses the folder next.
class UnfinishedName {
 public:
  explicit UnfinishedName(const std::filesystem::path& path);
  UnfinishedName(const UnfinishedName&) = delete;
  UnfinishedName& operator=(const UnfinishedName&) = delete;
  ~UnfinishedName();

 private:
  int slot_ = -1;
};

/// Removes all such files of a process that is about to end at once; a handler may call it.
void remove_unfinished() noexcept;

}  // namespace cisolve::io
