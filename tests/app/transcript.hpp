#pragma once

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "program.hpp"

// Compares transcripts in documents with the program's output.
namespace cisolve::test {

using Lines = std::vector<std::string>;

inline Lines lines_of(const std::string& text) {
  std::istringstream stream(text);
  Lines lines;
  for (std::string line; std::getline(stream, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line);
  }
  return lines;
}

/// A fenced block of a page.
struct Fence {
  std::string language;
  Lines lines;
  bool is_measured;  // follows a line "<!-- measured -->": its numbers are times of some machine
};

inline std::vector<Fence> fences_of(const std::string& page) {
  std::vector<Fence> fences;
  bool inside = false;
  bool is_measured = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) fences.push_back({line.substr(3), {}, is_measured});
    } else if (inside) {
      fences.back().lines.push_back(line);
    } else if (!line.empty()) {
      is_measured = line == "<!-- measured -->";
    }
  }
  return fences;
}

/// A command in a block "console", and what it is shown to print.
struct Step {
  std::string command;  // without the prompt
  Lines output = {};
  int exit_code = 0;  // as shown by "$ echo $?"
  bool is_measured = false;
};

inline std::vector<Step> steps_of(const Fence& fence) {
  std::vector<Step> steps;
  bool is_code = false;
  for (const std::string& line : fence.lines) {
    if (line == "$ echo $?") {
      is_code = true;
    } else if (is_code) {
      steps.back().exit_code = std::stoi(line);
      is_code = false;
    } else if (line.starts_with("$ ")) {
      steps.push_back({.command = line.substr(2), .is_measured = fence.is_measured});
    } else if (!steps.empty()) {
      steps.back().output.push_back(line);
    }
  }
  return steps;
}

inline bool is_determinant(const std::string& word) {
  return word.size() > 5 && word.find_first_not_of("2ud0") == std::string::npos;
}

/// Words must match; numbers within the job's tolerance. The order of determinants of equal weight
/// is arbitrary.
inline bool is_same_word(const std::string& shown, const std::string& said) {
  if (shown == said) return true;
  if (is_determinant(shown)) return is_determinant(said) && shown.size() == said.size();
  char* end = nullptr;
  const double a = std::strtod(shown.c_str(), &end);
  const std::string rest = end;
  if (end == shown.c_str() || shown.find('.') == std::string::npos) return false;
  const double b = std::strtod(said.c_str(), &end);
  if (end == said.c_str() || rest != end) return false;
  if (shown.find("e-") != std::string::npos)
    return std::abs(b) < 2e-8;  // noise below the tolerance
  return std::abs(a - b) < 2e-8;
}

/// Whether two measured values have one kind: a number, or a unit of time.
inline bool is_same_kind(const std::string& shown, const std::string& said) {
  const auto is_number = [](const std::string& word) {
    return word.find_first_of("0123456789") == 0;
  };
  const auto is_time = [](const std::string& word) {
    return word == "s" || word == "ms" || word == "us";
  };
  return shown == said || (is_number(shown) && is_number(said)) ||
         (is_time(shown) && is_time(said));
}

inline bool is_same(const std::string& shown, const std::string& said, bool is_measured = false) {
  std::istringstream left(shown);
  std::istringstream right(said);
  std::string a;
  std::string b;
  while (left >> a) {
    if (!(right >> b)) return false;
    const bool comma = a.ends_with(',') || a.ends_with(';');
    if (comma && (!b.ends_with(a.back()))) return false;
    if (comma) {
      a.pop_back();
      b.pop_back();
    }
    if (!(is_measured ? is_same_kind(a, b) : is_same_word(a, b))) return false;
  }
  return !(right >> b);
}

/// Commands after "$ ci-solve" are run in the order of the page; a line "..." stands for any lines.
class TranscriptTest : public ProgramTest {
 protected:
  // Uses the backend of the pages, whatever the machine has.
  void SetUp() override {
    ProgramTest::SetUp();
    std::filesystem::create_directory(file("bin"));
    write_script("ci-solve", std::string("case $1 in *.yaml | check | sweep) set -- \"$@\" --set "
                                         "backend=openmp --set threads=2;; esac\nexec ") +
                                 CISOLVE_PROGRAM + " \"$@\"\n");
    std::filesystem::create_directory_symlink(CISOLVE_CONFIGS, file("configs"));
  }

  /// An executable in front of PATH.
  void write_script(const std::string& name, const std::string& lines) const {
    write_file(file("bin") / name, "#!/bin/sh\n" + lines);
    std::filesystem::permissions(file("bin") / name, std::filesystem::perms::owner_all);
  }

  Lines said_by(const Step& step) const {
    const std::string line = "cd " + file("").string() + " && PATH=" + file("bin").string() +
                             ":$PATH; " + step.command + " >said 2>errors";
    const int status = std::system(line.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == step.exit_code)
        << step.command << '\n'
        << read_file(file("errors"));
    return lines_of(read_file(file("said")));
  }

  // Each shown line follows the one before at once, or, after "...", somewhere.
  static void expect_shown(const Step& step, const Lines& said) {
    std::size_t at = 0;
    bool may_skip = false;
    for (const std::string& shown : step.output) {
      if (shown == "...") {
        may_skip = true;
        continue;
      }
      const auto is_here = [&] {
        return at < said.size() && is_same(shown, said[at], step.is_measured);
      };
      const std::size_t before = at;
      while (may_skip && at < said.size() && !is_here()) ++at;
      EXPECT_TRUE(is_here()) << step.command << "\nshows: " << shown << "\nsaid:  "
                             << (before < said.size() ? said[before] : "nothing more");
      if (at >= said.size()) return;
      ++at;
      may_skip = false;
    }
  }

  int follow(const std::string& page) const {
    int commands = 0;
    for (const Fence& fence : fences_of(read_file(page))) {
      if (fence.language != "console") continue;
      for (const Step& step : steps_of(fence)) {
        if (!step.command.starts_with("ci-solve ")) continue;
        ++commands;
        expect_shown(step, said_by(step));
      }
    }
    return commands;
  }
};

}  // namespace cisolve::test
