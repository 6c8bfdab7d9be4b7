#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "app/config/load.hpp"
#include "app/report/exit_code.hpp"
#include "base/error.hpp"

namespace cisolve::app {

/// Reads configurations as a user writes them.
class ConfigurationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            base::concat("ci-solve-configuration-", ::getpid(), ".yaml");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string name() const { return path_.string(); }
  Configuration load(const std::string& text, const std::vector<Override>& overrides = {}) const {
    std::ofstream(path_, std::ios::binary) << text;
    return load_configuration(path_.string(), overrides);
  }
  // The message without the file's name, and the exit code; "" and 0 if valid.
  std::pair<std::string, int> refusal(const std::string& text,
                                      const std::vector<Override>& overrides = {}) const {
    try {
      load(text, overrides);
    } catch (const base::Error& error) {
      std::string message = error.what();
      if (message.starts_with(name())) message.erase(0, name().size());
      return {message, static_cast<int>(exit_code(error.kind()))};
    }
    return {"", 0};
  }

  std::filesystem::path path_;
};

/// The lines after a problem that needs no file.
inline std::string with(const std::string& lines) {
  return std::string("problem: {generate: {}}\n").append(lines);
}

}  // namespace cisolve::app
