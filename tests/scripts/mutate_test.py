#!/usr/bin/env python3
"""scripts/mutate on a project of one function: each verdict is reached, and the checkout left alone.

  mutate_test.py SCRIPTS      the folder with mutate
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


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "tiny"
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        (root / "scripts").mkdir()
        for name in ("mutate", "mutant_trees.py"):
            shutil.copy(pathlib.Path(sys.argv[1]) / name, root / "scripts")
        wrong = list(wrong_with(root))
        if wrong:
            print(mutate(root)[1])
    print("\n".join(wrong) if wrong else "as it should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
