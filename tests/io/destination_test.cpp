#include "io/files/destination.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <future>

#include "io/files/output_file.hpp"
#include "io/matrices/matrix_file.hpp"
#include "tests/io/support.hpp"

// What is no plain file stays what it is: links are followed, and pipes get what is written.
namespace cisolve::test {
namespace {

namespace fs = std::filesystem;

class OutputDestination : public FileTest {
 protected:
  static void write(const fs::path& path, std::string_view text, bool overwrite = true) {
    io::OutputFile file(path, overwrite);
    file.append(text);
    file.commit();
  }
  fs::path pipe(const char* name) const {
    EXPECT_EQ(::mkfifo(path(name).c_str(), 0600), 0);
    return path(name);
  }
  /// What work() writes to a pipe; nothing where nobody writes to it any more.
  template <class Work>
  static std::string passed(const fs::path& pipe, Work work) {
    auto reader = std::async(std::launch::async, [&] { return bytes_of(pipe); });
    work();
    // Lets the reader go where nothing was written: it waits for somebody to open the pipe.
    const int last = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK);
    if (last >= 0) ::close(last);
    return reader.get();
  }
};

TEST_F(OutputDestination, ALinkIsFollowedAndStays) {
  fs::create_directory(path("elsewhere"));
  text_file("elsewhere/a.txt", "old");
  fs::create_symlink("elsewhere/a.txt", path("link"));
  fs::create_symlink("link", path("second"));
  write(path("second"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("second")));
  EXPECT_EQ(bytes_of(path("elsewhere/a.txt")), "new");
  expect_failure([&] { write(path("link"), "never", false); }, base::Fault::cannot_write,
                 "exists already");
  EXPECT_EQ(bytes_of(path("elsewhere/a.txt")), "new");
}

TEST_F(OutputDestination, ALinkToNothingYetMakesTheFile) {
  fs::create_symlink("a.txt", path("link"));
  for (const bool overwrite : {false, true}) {
    fs::remove(path("a.txt"));
    write(path("link"), "new", overwrite);
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_FALSE(fs::is_symlink(path("a.txt")));
    EXPECT_EQ(bytes_of(path("a.txt")), "new");
  }
  EXPECT_EQ(files(), 2);
}

TEST_F(OutputDestination, LinksInACircleAreRefused) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  expect_failure([&] { write(path("a"), "never"); }, base::Fault::cannot_write,
                 "cannot be written");
  EXPECT_EQ(files(), 2);
}

TEST_F(OutputDestination, APipeGetsAllOfItAndStaysWithAndWithoutLeaveToOverwrite) {
  const fs::path to = pipe("pipe");
  fs::create_symlink("pipe", path("link"));
  const std::string text(300'000, 'x');  // more than a pipe holds
  for (const bool overwrite : {false, true})
    for (const fs::path& name : {to, path("link")})
      EXPECT_EQ(passed(to, [&] { write(name, text, overwrite); }), text) << overwrite << name;
  EXPECT_TRUE(fs::is_fifo(to));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(files(), 2);
}

// A proof that it could be written must not let its reader go.
TEST_F(OutputDestination, APipeIsOpenedByWhoHasAllOfIt) {
  const fs::path to = pipe("pipe");
  const std::string got = passed(to, [&] {
    { const io::OutputFile proof(to, true); }
    write(to, "all of it");
  });
  EXPECT_EQ(got, "all of it");
}

// Matrix Market goes back to its first lines, HDF5 everywhere.
TEST_F(OutputDestination, MatricesPassThroughAPipe) {
  const Elements matrix = symmetric_elements(40, 4, 3);
  const base::Backend host = base::Backend::openmp();
  for (const char* name : {"pipe.mtx", "pipe.h5"}) {
    const fs::path plain = path(std::string("plain") + fs::path(name).extension().string());
    const auto convert = [&](const fs::path& file) {
      io::write_matrix(file, ElementRows(matrix), {.overwrite = true}, host);
    };
    convert(plain);
    const fs::path to = pipe(name);
    EXPECT_EQ(passed(to, [&] { convert(to); }), bytes_of(plain)) << name;
    EXPECT_TRUE(fs::is_fifo(to));
  }
}

TEST_F(OutputDestination, ASocketIsRefused) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{AF_UNIX, {}};
  path("socket").string().copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  for (const bool overwrite : {false, true})
    expect_failure([&] { write(path("socket"), "never", overwrite); }, base::Fault::cannot_write,
                   "choose another name");
  EXPECT_TRUE(fs::is_socket(path("socket")));
  ::close(socket);
}

}  // namespace
}  // namespace cisolve::test
