#include "io/files/destination.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>

#include "io/files/output_file.hpp"
#include "io/matrices/matrix_file.hpp"
#include "tests/io/support.hpp"

// Anything but a plain file is kept: links are followed, and pipes receive the output.
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
  /// Output of work() to a pipe; empty if it writes none.
  template <class Work>
  static std::string passed(const fs::path& pipe, Work work) {
    // Keeps the pipe that is there now, whatever takes its place.
    const int there = ::open(pipe.c_str(), O_PATH);
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
  // A reader waits until the pipe is opened for writing.
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
  expect_failure([&] { write(path("link"), "never", false); }, base::ErrorKind::cannot_write,
                 "the file exists");
  EXPECT_EQ(bytes_of(path("elsewhere/a.txt")), "new");
}

TEST_F(OutputDestination, ADanglingLinkCreatesItsTarget) {
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
  expect_failure([&] { write(path("a"), "never"); }, base::ErrorKind::cannot_write,
                 "cannot be written");
  EXPECT_EQ(files(), 2);
}

TEST_F(OutputDestination, APipeReceivesTheWholeFileAndStays) {
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

// Checking that a pipe can be written must not release its reader.
TEST_F(OutputDestination, APipeIsOpenedOnceTheFileIsComplete) {
  const fs::path to = pipe("pipe");
  const std::string got = passed(to, [&] {
    { const io::OutputFile proof(to, true); }
    write(to, "all of it");
  });
  EXPECT_EQ(got, "all of it");
}

// Matrix Market rewrites its first lines, HDF5 any part.
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

TEST_F(OutputDestination, AProgramFileReplacesOnlyRegularFiles) {
  const auto write_own = [&] {
    io::OutputFile file(path("own"), true, io::FileOwner::program);
    file.append("new");
    file.commit();
  };
  write_own();
  text_file("own", "old");
  write_own();
  EXPECT_EQ(bytes_of(path("own")), "new");
  text_file("victim", "mine");
  const std::pair<const char*, std::function<void()>> others[] = {
      {"a link", [&] { fs::create_symlink("victim", path("own")); }},
      {"a link", [&] { fs::create_symlink("nowhere", path("own")); }},
      {"a pipe", [&] { pipe("own"); }},
      {"a folder", [&] { fs::create_directory(path("own")); }}};
  for (const auto& [kind, make] : others) {
    fs::remove(path("own"));
    make();
    expect_failure(write_own, base::ErrorKind::cannot_write, kind);
    EXPECT_FALSE(fs::is_regular_file(fs::symlink_status(path("own")))) << kind;
  }
  EXPECT_EQ(bytes_of(path("victim")), "mine");
  EXPECT_FALSE(fs::exists(path("nowhere")));
}

// A link that appears during writing is replaced, not followed.
TEST_F(OutputDestination, AProgramFileFollowsNoLinkCreatedMeanwhile) {
  text_file("victim", "mine");
  io::OutputFile file(path("own"), true, io::FileOwner::program);
  fs::create_symlink("victim", path("own"));
  file.append("new");
  file.commit();
  EXPECT_EQ(bytes_of(path("victim")), "mine");
  EXPECT_FALSE(fs::is_symlink(path("own")));
  EXPECT_EQ(bytes_of(path("own")), "new");
}

TEST_F(OutputDestination, TemporaryFilesForPipesHaveUnpredictableNames) {
  const fs::path to = pipe("pipe");
  fs::create_directory(path("tmp"));
  const char* before = std::getenv("TMPDIR");
  const std::string old = before == nullptr ? "" : before;
  setenv("TMPDIR", path("tmp").c_str(), 1);
  {
    const io::OutputFile first(to, true);
    const io::OutputFile second(to, true);
    EXPECT_EQ(std::distance(fs::directory_iterator(path("tmp")), {}), 2);
    for (const io::OutputFile* file : {&first, &second}) {
      const std::string name = file->temporary().filename();
      EXPECT_EQ(file->temporary().parent_path(), path("tmp"));
      EXPECT_EQ(name.find(std::to_string(::getpid())), std::string::npos) << name;
      EXPECT_EQ(name.find("pipe"), std::string::npos) << name;
      EXPECT_EQ(fs::status(file->temporary()).permissions(),
                fs::perms::owner_read | fs::perms::owner_write);
    }
    EXPECT_NE(first.temporary(), second.temporary());
  }
  EXPECT_TRUE(fs::is_empty(path("tmp")));
  setenv("TMPDIR", path("none").c_str(), 1);
  expect_failure([&] { const io::OutputFile file(to, true); }, base::ErrorKind::cannot_write,
                 "TMPDIR");
  setenv("TMPDIR", path("a\nb").c_str(), 1);
  fs::create_directory(path("a\nb"));
  expect_failure([&] { const io::OutputFile file(to, true); }, base::ErrorKind::configuration,
                 "TMPDIR: the path");
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", old.c_str(), 1);
}

TEST_F(OutputDestination, ALinkToAControlCharacterIsRefused) {
  fs::create_symlink("a\nb", path("link"));
  expect_failure([&] { write(path("link"), "never"); }, base::ErrorKind::configuration, "a\\x0ab");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputDestination, ASocketIsRefused) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{AF_UNIX, {}};
  path("socket").string().copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  for (const bool overwrite : {false, true})
    expect_failure([&] { write(path("socket"), "never", overwrite); },
                   base::ErrorKind::cannot_write, "choose another name");
  EXPECT_TRUE(fs::is_socket(path("socket")));
  ::close(socket);
}

}  // namespace
}  // namespace cisolve::test
