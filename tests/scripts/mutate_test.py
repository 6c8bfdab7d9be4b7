#!/usr/bin/env python3
"""scripts/mutate on projects of a few functions: each verdict is reached, and the checkout left alone.

  mutate_test.py ROOT      that of the checkout with scripts/mutate

Ends with 77 if faults on changed lines were not tried because libclang is missing.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

FILES = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES CXX)
enable_testing()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_library(room room.cpp)
add_executable(test_room room_test.cpp)
target_link_libraries(test_room room)
target_compile_definitions(test_room PRIVATE ROOM="${PROJECT_SOURCE_DIR}/room.txt")
add_test(NAME room COMMAND test_room)
""",
    "CMakePresets.json": """{"version": 6, "configurePresets": [{"name": "cpu", "generator": "Ninja",
 "binaryDir": "${sourceDir}/build/${presetName}", "cacheVariables": {"CMAKE_BUILD_TYPE": "Debug"}}]}
""",
    "room.txt": "3\n",
    "room.cpp": "int twice(int n) {\n  const int unused = 5;\n  (void)unused;\n  return 2 * n;\n}\n",
    "room.cu": "int kernel = 1;\n",
    # The file is part of the program: a copy that ran with the file of the checkout would be found.
    "room_test.cpp": """#include <fstream>
int twice(int n);
int main() {
  int n = 0;
  std::ifstream(ROOM) >> n;
  return twice(n) == 6 ? 0 : 1;
}
""",
    "tests/mutants/all.txt": """killed: half is no double
in room.cpp
- return 2 * n;
+ return n / 2;
by room

data: the copy reads its own files
in room.txt
- 3
+ 4
by room

survives: nobody asks for this number
in room.cpp
- unused = 5
+ unused = 6
by room

hangs: it never comes back
in room.cpp
- return 2 * n;
+ while (n == n) n = n + 0 * unused;
+ return 0;
by room

unbuilt: no such word
in room.cpp
- return 2 * n;
+ retrun 2 * n;
by room

same: addition commutes
in room.cpp
- 2 * n
+ n * 2
equivalent the product commutes

device: there is no device
in room.cu
- 1
+ 2
by room_on_device
""",
}
EXPECTED = {"killed": "killed", "data": "killed", "survives": "survived", "hangs": "killed",
            "unbuilt": "did not build", "same": "equivalent", "device": "skipped"}


# The second commit adds the lines from `bounded` on.
OLD_ROOM = """#include "room/room.hpp"
namespace room {
int old(int n) { return n < 3 ? n : 3; }
"""
NEW_ROOM = """constexpr int kSides = 4;
int bounded(int n) {
  if (n < 10) return 1;
  return 2;
}
int twice_bounded(int n) {
  if (n < 10) return 1;
  return 2;
}
int unknown(int n) { return n + 7; }
int round(int a) { return kSides * a; }
int apart(int a, int b) { return a - b; }
int moved(int a, int b) { return apart(b, a); }
int counted(int n) {
  int steps = 0;
  while (n > 0) {
    ++steps;
    --n;
  }
  return steps;
}
double both(const Square& m) { return m(0, 1) + m(1, 0); }
Whole whole(int n) {
  const Whole made(n);
  return made;
}
"""
CHANGED = {
    ".gitignore": "build\n__pycache__\n",
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES CXX)
enable_testing()
find_package(GTest REQUIRED)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_STANDARD 20)
include_directories(${PROJECT_SOURCE_DIR})
add_library(room room/room.cpp)
foreach(name room rest)
  add_executable(test_${name} tests/${name}_test.cpp tests/main.cpp)
  target_link_libraries(test_${name} room GTest::gtest)
endforeach()
add_test(NAME room COMMAND test_room)
add_test(NAME other COMMAND test_rest)
add_custom_target(test_other DEPENDS test_rest)
""",
    "CMakePresets.json": FILES["CMakePresets.json"],
    "room/room.hpp": """#pragma once
struct Square {
  double of[4];
  double operator()(int i, int j) const { return of[2 * i + j]; }
};
struct Whole {
  explicit Whole(int n) : value(n) {}
  int value;
};
namespace room {
int old(int n);
int bounded(int n);
int twice_bounded(int n);
int unknown(int n);
int round(int a);
int moved(int a, int b);
int counted(int n);
double both(const Square& m);
Whole whole(int n);
inline bool is_small(int n) { return n <= 5; }
template <class T>
T larger(const T& a, const T& b) {
  return a > b ? a : b;
}
}  // namespace room
""",
    "room/room.cpp": OLD_ROOM + "}\n",
    "tests/main.cpp": """#include "tests/support/mutant_hits.hpp"
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  cisolve::test::MutantHits::append_if_wanted();
  return RUN_ALL_TESTS();
}
""",
    "tests/room_test.cpp": """#include <gtest/gtest.h>
#include "room/room.hpp"
TEST(Room, FailsAnyway) { EXPECT_EQ(room::bounded(1), 3); }
TEST(Room, IsBounded) { EXPECT_EQ(room::bounded(9) + 10 * room::bounded(10), 21); }
TEST(Room, IsTwiceBoundedSomewhere) { EXPECT_EQ(room::twice_bounded(3) + 10 * room::twice_bounded(30), 21); }
TEST(Room, HasFourSides) { EXPECT_EQ(room::round(3), 12); }
TEST(Room, Moves) { EXPECT_EQ(room::moved(3, 5), 2); }
TEST(Room, Counts) { EXPECT_EQ(room::counted(3), 3); }
TEST(Room, AddsBoth) { EXPECT_EQ(room::both({{1, 2, 3, 4}}), 5); }
TEST(Room, IsWhole) { EXPECT_EQ(room::whole(3).value, 3); }
TEST(Room, KnowsTheLarger) { EXPECT_EQ(room::larger(3, 5) + room::larger(7, 5), 12); }
""",
    "tests/rest_test.cpp": """#include <gtest/gtest.h>
#include "room/room.hpp"
TEST(Other, IsSmallOrNot) { EXPECT_TRUE(room::is_small(5) && !room::is_small(6)); }
""",
}
# Line of room/room.cpp, kind, verdict, and words that the remark or the difference must have.
CHANGED_EXPECTED = [
    (4, "constant", "killed", "Room.HasFourSides"),  # in a build of its own
    (6, "relation", "killed", "Room.IsBounded"),
    (10, "relation", "survived", "if (n <= 10)"),
    (10, "constant", "survived", "if (n < 11)"),
    (13, "sign", "unreached", "n - 7"),
    (14, "ratio", None, ""),  # of integers: none
    (15, "sign", "killed", "Room.Moves"),
    (16, "arguments", "killed", "Room.Moves"),
    (21, "statement", "killed", "(hang)"),
    (25, "symmetrisation", "killed", "Room.AddsBoth"),
    (26, "early return", "not compiled", ""),
]


def mutate(root, *arguments):
    """(exit status, what it said)."""
    done = subprocess.run([root / "scripts/mutate", "--jobs", "2", "--limit", "3", *arguments], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def wrong_with(root):
    """What is not as it should be."""
    status, said = mutate(root)
    for name, verdict in EXPECTED.items():
        if not any(line.startswith(verdict) and f"all/{name} " in line for line in said.splitlines()):
            yield f"all/{name} is not told as {verdict}"
    if status != 1:
        yield f"the status is {status} where a mutant survives; expected 1"
    if "(hang)" not in said:
        yield "a hang is not named"
    if any((root / name).read_text() != text for name, text in FILES.items()):
        yield "the checkout was changed"
    if mutate(root, "--only", "all/(killed|data|same)")[0] != 0:
        yield "a fault of the first run is still there in the second, or the status is wrong"
    (root / "room.cpp").write_text(FILES["room.cpp"].replace("2 * n", "n * 2 + 1 - 1"))
    status, said = mutate(root, "--list")
    if status == 0 or "all/killed occurs 0 times in room.cpp" not in said:
        yield "a mutant that cannot be planted is not refused"
    (root / "room.cpp").write_text(FILES["room.cpp"].replace("2 * n", "3 * n"))
    (root / "tests/mutants/all.txt").write_text("one: of two\nin room.cpp\n- 3 * n\n+ n\nby room\n")
    status, said = mutate(root)
    if status != 1 or "unsound" not in said:
        yield "tests that fail without a fault are not refused"


def put(root, files, scripts):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "scripts").mkdir()
    for name in ("mutate", *(path.name for path in scripts.glob("mutant_*.py"))):
        shutil.copy(scripts / name, root / "scripts")


def commit(root, words):
    me = ["-c", "user.name=me", "-c", "user.email=me@here"]
    begin = [] if (root / ".git").exists() else [["init", "-q", "-b", "main"]]
    for command in (*begin, ["add", "-A"], [*me, "commit", "-q", "-m", words]):
        subprocess.run(["git", *command], cwd=root, check=True, stdout=subprocess.DEVNULL)


def wrong_with_changes(root):
    """Of faults that are made, on changed lines."""
    commit(root, "old")
    source = root / "room/room.cpp"
    source.write_text(OLD_ROOM + NEW_ROOM + "}  // namespace room\n")
    status, said = mutate(root, "--changed", "HEAD")
    lines = said.splitlines()
    for number, kind, verdict, words in CHANGED_EXPECTED:
        found = [line for line in lines if f"room/room.cpp:{number}  {kind}  " in line]
        told = "\n".join(found) + said[said.rfind("\n\n"):]
        if verdict is None and found:
            yield f"line {number}: {kind} is tried"
        elif verdict and (not any(line.startswith(verdict) for line in found) or words not in told):
            yield f"line {number}: {kind} is not told as {verdict} with '{words}'"
    if status != 1 or "room.cpp:3 " in said or "room.hpp" in said:
        yield f"the status is {status}, or lines are tried that have not changed"
    if "without any fault it fails: room Room.FailsAnyway\n" not in said:
        yield "a test that fails without a fault is not left out by its name"
    if "1 need a build of their own" not in said:
        yield "what can be chosen as the program runs is built by itself, or the other way round"
    if "1 programs run once" not in said:
        yield "a program that has none of the sources is asked, or one that has is not"
    if source.read_text() != OLD_ROOM + NEW_ROOM + "}  // namespace room\n":
        yield "the checkout was changed"
    commit(root, "new")
    status, said = mutate(root, "--changed", "HEAD~1..HEAD", "--sample", "2", "--list")
    if status != 0 or "mutants: 2 made" not in said or "room.cpp:3:" in said:
        yield "of a range of commits not two mutants are listed"
    status, said = mutate(root, "--room", "room", "--sample", "6", "--seed", "1", "--list")
    if "mutants: 6 made" not in said:
        yield "six mutants of a room are not listed"
    if said != mutate(root, "--room", "room", "--sample", "6", "--seed", "1", "--list")[1].replace(
            "0.0 minutes", said.split()[-2] + " minutes"):
        yield "the same seed draws others"
    header = root / "room/room.hpp"
    header.write_text(header.read_text().replace("n <= 5", "(n <= 5)").replace("a > b ?", "(a > b) ?"))
    said = mutate(root, "--changed", "HEAD")[1]
    for words in ("other: Other.IsSmallOrNot", "survived: room/room.hpp:23: relation", "2 programs run once"):
        if words not in said:
            yield f"of a header '{words}' is not said"


def missing_libclang(scripts):
    """Why faults on changed lines cannot be made on this machine; "" if they can."""
    sys.path.insert(0, str(scripts))
    import mutant_syntax
    try:
        mutant_syntax.require_library()
    except mutant_syntax.Refused as reason:
        return f"skipped, of faults on changed lines: {reason}"
    return ""


def main():
    scripts = pathlib.Path(sys.argv[1]) / "scripts"
    with tempfile.TemporaryDirectory() as folder:
        root, changed = pathlib.Path(folder) / "tiny", pathlib.Path(folder) / "changed"
        put(root, FILES, scripts)
        put(changed, CHANGED, scripts)
        (changed / "tests/support").mkdir()
        shutil.copy(scripts.parent / "tests/support/mutant_hits.hpp", changed / "tests/support")
        wrong = list(wrong_with(root))
        if wrong:
            print(mutate(root)[1])
        skipped = "" if wrong else missing_libclang(scripts)
        if not skipped:
            wrong_there = list(wrong_with_changes(changed))
            if wrong_there:
                print(mutate(changed, "--changed", "HEAD~1")[1])
            wrong += wrong_there
    print("\n".join(wrong) if wrong else skipped or "as it should be")
    return 1 if wrong else 77 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
