#include "app/plot/gnuplot.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/error.hpp"
#include "io/files/output_file.hpp"

namespace cisolve::app {
namespace {

namespace fs = std::filesystem;
using base::ErrorKind;
using base::fail;

constexpr const char* kRemedy =
    "gnuplot, which draws the pictures, was not found; install it (apt-get install gnuplot-nox, or "
    "the package of your system), or plot run.json and sweep.csv with another program";

/// An anonymous file in memory (memfd), which leaves nothing behind.
class NamelessFile {
 public:
  explicit NamelessFile(const std::string& text = "")
      : descriptor_(::memfd_create("ci-solve", MFD_CLOEXEC)) {
    if (descriptor_ < 0) refuse();
    for (std::string_view rest = text; !rest.empty();) {
      const auto written = ::write(descriptor_, rest.data(), rest.size());
      if (written < 0 && errno != EINTR) refuse();
      if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    }
    ::lseek(descriptor_, 0, SEEK_SET);  // the reader starts at the first byte
  }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile() { ::close(descriptor_); }

  int descriptor() const { return descriptor_; }
  std::string text() const {
    std::string all;
    std::array<char, 1 << 16> piece{};
    for (;;) {
      const auto read = ::pread(descriptor_, piece.data(), piece.size(), std::ssize(all));
      if (read < 0 && errno == EINTR) continue;
      if (read <= 0) return all;
      all.append(piece.data(), static_cast<std::size_t>(read));
    }
  }

 private:
  [[noreturn]] void refuse() const {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    fail(ErrorKind::resources,
         "cannot create a file in memory for gnuplot: ", base::system_reason(error));
  }

  int descriptor_;
};

/// gnuplot's exit code (-1: not installed) and output for a script. It receives no file name: the
/// script and the picture pass through descriptors, and it runs in the root folder.
struct Drawn {
  int code = -1;
  std::string picture;
  std::string complaints;
};

Drawn run_gnuplot(const std::string& script) {
  const NamelessFile in(script);
  const NamelessFile out;
  const NamelessFile errors;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.descriptor(), STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  // --default-settings: what a user keeps in ~/.gnuplot is meant for other pictures.
  std::array words{std::string("gnuplot"), std::string("--default-settings"), std::string("-")};
  std::array<char*, 4> argv{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "gnuplot", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return {};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return {};
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, out.text(), errors.text()};
}

std::string terminal(const Figure& figure, const std::string& type) {
  const std::string size = base::concat(" size ", figure.width, ",", figure.height);
  if (type == "svg")
    return "set terminal svg" + size + " enhanced font 'sans,13' background '#FFFFFF'\n";
  // Twice the resolution, for high-density screens and for print.
  return base::concat("set terminal pngcairo size ", 2 * figure.width, ",", 2 * figure.height,
                      " enhanced font 'sans,13' fontscale 2 linewidth 2 pointscale 2\n");
}

// Stops viewers from blurring the cells of a pattern when they enlarge it.
void keep_cells_sharp(std::string& svg) {
  constexpr std::string_view image = "<image ";
  constexpr std::string_view sharp = "style='image-rendering:pixelated' ";
  for (std::size_t at = svg.find(image); at != std::string::npos; at = svg.find(image, at))
    svg.insert(at += image.size(), sharp);
}

void draw_as(const Figure& figure, const std::string& type, const fs::path& folder, bool force) {
  io::OutputFile file(folder / (figure.name + "." + type), force, io::FileOwner::program);
  Drawn drawn = run_gnuplot(terminal(figure, type) + common_style() + figure.script +
                            "unset output\n");  // completes the picture
  if (drawn.code < 0) fail(ErrorKind::backend, kRemedy);
  if (drawn.code != 0 || drawn.picture.empty())
    fail(ErrorKind::cannot_write, "gnuplot could not draw ", file.path().native(), ": ",
         drawn.complaints);
  if (type == "svg") keep_cells_sharp(drawn.picture);
  file.append(drawn.picture);
  file.commit();
}

}  // namespace

void require_gnuplot() {
  if (run_gnuplot("").code < 0) fail(ErrorKind::backend, kRemedy);
}

void draw(const Figure& figure, const fs::path& folder, bool force) {
  for (const char* type : {"svg", "png"}) draw_as(figure, type, folder, force);
}

}  // namespace cisolve::app
