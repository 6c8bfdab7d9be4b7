#include "app/plot/gnuplot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "io/files/output_file.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;
using base::fail;
using base::Fault;

constexpr const char* kRemedy =
    "gnuplot was not found; the pictures are drawn by it: apt-get install gnuplot-nox (or what "
    "your system calls it), or plot the numbers in run.json and sweep.csv with another program";

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file beside the pictures that is gone when this is.
class Scratch {
 public:
  explicit Scratch(fs::path path) : path_(std::move(path)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  std::string text() const { return contents_of(path_); }

 private:
  fs::path path_;
};

/// What gnuplot answers to a script; its complaints go to a file. -1 where there is no gnuplot.
int run_gnuplot(const char* argument, const char* complaints) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, complaints,
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  // --default-settings: what a user keeps in ~/.gnuplot is meant for other pictures.
  std::array words{std::string("gnuplot"), std::string("--default-settings"),
                   std::string(argument)};
  std::array<char*, 4> argv{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "gnuplot", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) return 128;
  return WEXITSTATUS(status) == 127 ? -1 : WEXITSTATUS(status);
}

// As it is, for a name must not change; within these marks gnuplot executes nothing.
std::string exactly(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

std::string terminal(const Figure& figure, const std::string& type) {
  const std::string size = base::concat(" size ", figure.width, ",", figure.height);
  if (type == "svg")
    return "set terminal svg" + size + " enhanced font 'sans,13' background '#FFFFFF'\n";
  // Twice as many pixels, for screens and papers of today.
  return base::concat("set terminal pngcairo size ", 2 * figure.width, ",", 2 * figure.height,
                      " enhanced font 'sans,13' fontscale 2 linewidth 2 pointscale 2\n");
}

// A viewer would blur the cells of a pattern into one another where it enlarges them.
void keep_cells_sharp(const fs::path& svg) {
  std::string text = contents_of(svg);
  constexpr std::string_view image = "<image ";
  constexpr std::string_view sharp = "style='image-rendering:pixelated' ";
  for (std::size_t at = text.find(image); at != std::string::npos; at = text.find(image, at))
    text.insert(at += image.size(), sharp);
  std::ofstream(svg, std::ios::binary) << text;
}

void draw_as(const Figure& figure, const std::string& type, const fs::path& folder, bool force) {
  io::OutputFile picture(folder / (figure.name + "." + type), force);
  const std::string stem = fs::absolute(picture.temporary()).string();
  const Scratch script(stem + ".gnuplot");
  const Scratch complaints(stem + ".log");
  std::ofstream(script.path()) << terminal(figure, type) << "set output "
                               << exactly(fs::absolute(picture.temporary()).native()) << '\n'
                               << common_style() << figure.script << "unset output\n";
  const int code = run_gnuplot(script.path().c_str(), complaints.path().c_str());
  if (code < 0) fail(Fault::backend, kRemedy);
  if (code != 0)
    fail(Fault::cannot_write, "gnuplot could not draw ", picture.path().native(), ": ",
         complaints.text());
  if (type == "svg") keep_cells_sharp(picture.temporary());
  picture.commit();
}

}  // namespace

void require_gnuplot() {
  if (run_gnuplot("--version", "/dev/null") < 0) fail(Fault::backend, kRemedy);
}

void draw(const Figure& figure, const fs::path& folder, bool force) {
  for (const char* type : {"svg", "png"}) draw_as(figure, type, folder, force);
}

}  // namespace cisolve::app
