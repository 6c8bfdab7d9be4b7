#include "app/runs/checkpoint_folder.hpp"

#include <unistd.h>

#include "base/error.hpp"
#include "checkpoint_slots.hpp"

// The two checkpoint slots.
namespace cisolve::test {
namespace {

TEST_F(CheckpointSlots, AlternateBetweenTwoFolders) {
  app::CheckpointFolder folder(file(""));
  EXPECT_FALSE(folder.has_any());
  for (Index count = 1; count <= 5; ++count) {
    folder.save(after(count));
    EXPECT_TRUE(folder.has_any());
    const bool odd = count % 2 == 1;
    EXPECT_EQ(sequence(kA), odd ? count : count - 1);
    EXPECT_EQ(sequence(kB), odd ? count - 1 : count);
  }
}

TEST_F(CheckpointSlots, TheNewestIsReadAndTheOlderIsReplaced) {
  for (const auto& [newer, older] : {std::pair(kA, kB), {kB, kA}}) {
    save(newer, 8);
    save(older, 7);
    app::CheckpointFolder folder(file(""));
    const auto start = folder.newest(host_);
    ASSERT_TRUE(start);
    EXPECT_EQ(start->sequence, 8);
    EXPECT_EQ(start->iterations, 80);
    folder.save(after(81));
    EXPECT_EQ(sequence(newer), 8);
    EXPECT_EQ(sequence(older), 9);
    folder.save(after(82));
    EXPECT_EQ(sequence(newer), 10);
    EXPECT_EQ(sequence(older), 9);
  }
}

TEST_F(CheckpointSlots, ADamagedOneIsPassedOverAndReplacedFirst) {
  for (const auto& [newer, older] : {std::pair(kA, kB), {kB, kA}}) {
    save(newer, 8);
    save(older, 7);
    damage(newer);
    app::CheckpointFolder folder(file(""));
    const auto start = folder.newest(host_);
    ASSERT_TRUE(start);
    EXPECT_EQ(start->sequence, 7);
    folder.save(after(71));
    EXPECT_EQ(sequence(newer), 8);
    EXPECT_EQ(sequence(older), 7);
  }
}

TEST_F(CheckpointSlots, OnlyOneIsInMemoryAtATime) {
  const base::MultiVector vector = one_vector(host_);
  const base::Backend small =
      base::Backend::reference({.host_bytes = host_.memory().used() * 3 / 2});
  for (const auto& [newer, older] : {std::pair(kA, kB), {kB, kA}}) {
    save(newer, 8);
    save(older, 7);
    EXPECT_EQ(app::CheckpointFolder(file("")).newest(small)->sequence, 8);
    damage(newer);
    EXPECT_EQ(app::CheckpointFolder(file("")).newest(small)->sequence, 7);
  }
}

// A checkpoint whose sequence can be read but whose vector cannot.
TEST_F(CheckpointSlots, ADamagedVectorIsPassedOver) {
  save(kA, 8);
  save(kB, 7);
  std::string bytes = read_file(file(kA));
  const double last = 4.5;
  const std::size_t at =
      bytes.find(std::string(reinterpret_cast<const char*>(&last), sizeof(last)));
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  write_file(file(kA), bytes);
  EXPECT_EQ(io::read_checkpoint_sequence(file(kA)), 8);
  EXPECT_EQ(app::CheckpointFolder(file("")).newest(host_)->sequence, 7);
}

TEST_F(CheckpointSlots, TwoDamagedOnesAreNoneAndAnyIsSeen) {
  save(kB, 7);
  EXPECT_TRUE(app::CheckpointFolder(file("")).has_any());
  save(kA, 8);
  damage(kA);
  damage(kB);
  app::CheckpointFolder folder(file(""));
  EXPECT_TRUE(folder.has_any());
  EXPECT_FALSE(folder.newest(host_));
}

TEST_F(CheckpointSlots, NothingElseIsRemovedWithThem) {
  save(kA, 8);
  save(kB, 7);
  write_file(file(".checkpoint-a.h5.9999999-0.partial"), "");
  const std::vector<std::string> others{
      "run.json", ".results.h5.9999999-0.partial", ".checkpoint-notes", "checkpoint-c.h5",
      ".checkpoint-a.h5.mine.partial",
      // a process that exists: this one
      base::concat(".checkpoint-a.h5.", ::getpid(), "-9.partial")};
  for (const std::string& name : others) write_file(file(name), "mine");
  app::CheckpointFolder(file("")).clear();
  for (const char* name : {kA, kB, ".checkpoint-a.h5.9999999-0.partial"})
    EXPECT_FALSE(exists(file(name))) << name;
  for (const std::string& name : others) EXPECT_EQ(read_file(file(name)), "mine") << name;
}

}  // namespace
}  // namespace cisolve::test
