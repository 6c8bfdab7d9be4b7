#include "io/files/destination.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <chrono>
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
  /// What work() writes to a pipe; nothing where it writes to none.
  template <class Work>
  static std::string passed(const fs::path& pipe, Work work) {
    const int there = ::open(pipe.c_str(), O_PATH);  // as it is now, whatever takes its place
    auto reader = std::async(std::launch::async, [&] { return bytes_of(pipe); });
    try {
      work();
    } catch (const base::Error& error) {
      ADD_FAILURE() << error.what();
    }
    release(reader, base::concat("/proc/self/fd/", there));
    ::close(there);
    return reader.get();
  }

 private:
  // A reader waits for somebody to open the pipe.
  static void release(const std::future<std::string>& reader, const std::string& pipe) {
    while (reader.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
      const int last = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK);
      if (last >= 0) ::close(last);
    }
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
  for (const std::string name : {"pipe.mtx", "pipe.h5"}) {
    const fs::path to = pipe(name.c_str());
    const std::string got =
        passed(to, [&] { io::write_matrix(to, ElementRows(matrix), {.overwrite = true}, host); });
    EXPECT_TRUE(fs::is_fifo(to));
    expect_same(io::read_matrix(text_file("got-" + name, got), host), matrix);
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
