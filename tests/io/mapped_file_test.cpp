#include "io/files/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>

#include "tests/io/support.hpp"

namespace cisolve {
namespace {

using base::ErrorKind;
using test::expect_failure;

class MappedFile : public test::FileTest {
 protected:
  static constexpr std::size_t kBytes = 200'000;
  static constexpr std::size_t kLeft = 10'000;
  std::filesystem::path full_file() const { return text_file("a.txt", std::string(kBytes, 'x')); }
};

TEST_F(MappedFile, ReadsZerosAfterTruncation) {
  const io::MappedFile file(full_file());
  std::filesystem::resize_file(path("a.txt"), kLeft);
  const std::string_view text = file.text();
  ASSERT_EQ(text.size(), kBytes);
  EXPECT_EQ(std::ranges::count(text, 'x'), kLeft);
  EXPECT_EQ(std::ranges::count(text, '\0'), kBytes - kLeft);
  expect_failure([&] { file.require_unchanged(); }, ErrorKind::bad_input,
                 "changed while it was read");
  expect_failure(
      [&] {
        file.refuse({text.data(), "not a number"});
      },
      ErrorKind::bad_input, "changed while it was read");
}

TEST_F(MappedFile, RemembersATruncationAfterTheFileIsRestored) {
  const auto name = full_file();
  const auto written = std::filesystem::last_write_time(name);
  const io::MappedFile file(name);
  std::filesystem::resize_file(name, kLeft);
  EXPECT_EQ(file.text().back(), '\0');
  full_file();
  std::filesystem::last_write_time(name, written);
  expect_failure([&] { file.require_unchanged(); }, ErrorKind::bad_input,
                 "changed while it was read");
}

TEST_F(MappedFile, FilesOfTheKernelAreRefused) {
  const std::filesystem::path made_up = "/sys/kernel/mm/transparent_hugepage/enabled";
  if (!std::filesystem::exists(made_up)) GTEST_SKIP() << "no /sys here";
  const auto failure = test::failure_of([&] { const io::MappedFile file(made_up); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->fault, ErrorKind::bad_input);
  EXPECT_NE(failure->message.find("enabled: "), std::string::npos) << failure->message;
}

TEST_F(MappedFile, GuardsEachOfSeveral) {
  const io::MappedFile first(full_file());
  const io::MappedFile second(text_file("b.txt", std::string(kBytes, 'y')));
  const io::MappedFile third(text_file("c.txt", std::string(kBytes, 'z')));
  std::filesystem::resize_file(path("b.txt"), 0);
  EXPECT_EQ(second.text()[kBytes - 1], '\0');
  EXPECT_EQ(std::ranges::count(first.text(), 'x'), kBytes);
  EXPECT_EQ(std::ranges::count(third.text(), 'z'), kBytes);
  first.require_unchanged();
  third.require_unchanged();
}

TEST_F(MappedFile, LeavesOtherMappingsToOthers) {
  const auto name = full_file();
  EXPECT_DEATH(
      {
        const io::MappedFile guarded(name);
        const int descriptor = ::open(name.c_str(), O_RDONLY);
        const void* mapping = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, descriptor, 0);
        std::filesystem::resize_file(name, 0);
        const char last = static_cast<const volatile char*>(mapping)[kBytes - 1];
        ::_exit(last);
      },
      "");
}

}  // namespace
}  // namespace cisolve
