"""Faults on changed lines, or of a whole room: made, built once, and each tried with the tests that
execute it. Implements scripts/mutate --changed and --room."""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import queue
import random
import re
import shlex
import subprocess
import sys
import time

import mutant_kinds
import mutant_switch
import mutant_syntax
from mutant_trees import ROOT, Copy, Refused, Tree, run, target_of

NOT_MUTATED = {"tests", "bench", "examples", "docs", "scripts", "cmake", "configs"}
LABELS_LEFT_OUT = {"house", "gpu", "large"}
FAILED_CASE = re.compile(r"^(?:\d+: )?\[  FAILED  \] (\w\S*\.\S+?),? .*\(\d+ ms\)", re.MULTILINE)
ROUNDS = 12  # of builds; after each, mutants that do not compile are left out


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise Refused(f"{done.stderr.strip()}\ngit {' '.join(words)}: failed")
    return done.stdout


def is_mutated(name):
    path = pathlib.PurePath(name)
    return path.suffix in (".cpp", ".hpp") and path.parts[0] not in NOT_MUTATED and (ROOT / name).exists()


def changed_since(revision):
    """The lines of each file in which the working tree differs from a revision."""
    lines, file = {}, None
    for line in git("diff", "-U0", "--no-color", revision).splitlines():
        if line.startswith("+++ "):
            file = line[6:] if line.startswith("+++ b/") and is_mutated(line[6:]) else None
        elif file and (hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.setdefault(file, set()).update(range(first, first + count))
    return {file: found for file, found in lines.items() if found}


def changed_within(commits):
    """The lines of each file, as numbered now, that a range of commits A..B added."""
    first, _, last = commits.partition("..")
    brought = set(git("rev-list", commits).split())
    lines = {}
    for file in filter(is_mutated, git("diff", "--name-only", first, last or "HEAD").splitlines()):
        for blamed in git("blame", "--porcelain", "-w", "-M", "--", file).splitlines():
            entry = re.match(r"([0-9a-f]{40}) \d+ (\d+)", blamed)
            if entry and entry[1] in brought:
                lines.setdefault(file, set()).add(int(entry[2]))
    return lines


def default_revision():
    """The commit at which this branch left main; on main itself, the previous commit."""
    for main in ("origin/main", "main"):
        with contextlib.suppress(Refused):
            base = git("merge-base", main, "HEAD").strip()
            if base != git("rev-parse", "HEAD").strip():
                return base
    return "HEAD~1"


def drawn_from_room(room, count, draw):
    """The lines of some files of a room, drawn by their length, and the number of mutants wanted of each."""
    sizes = {file: (ROOT / file).read_text().count("\n") for file in git("ls-files", room).splitlines()
             if is_mutated(file)}
    if not sizes:
        raise Refused(f"there is no source in {room}")
    files = draw.choices(list(sizes), weights=list(sizes.values()), k=count)
    return {file: (set(range(1, sizes[file] + 2)), files.count(file)) for file in files}


class Sources:
    """The compile commands of the checkout's build."""

    def __init__(self, checkout):
        self.build = checkout.build_folder
        commands = json.loads((self.build / "compile_commands.json").read_text())
        self.flags, self.sources = {}, {}
        for entry in commands:
            path = str((pathlib.Path(entry["directory"]) / entry["file"]).resolve())
            self.flags.setdefault(path, self._flags_of(entry["command"]))
            words = shlex.split(entry["command"])
            if "-o" in words:
                self.sources[words[words.index("-o") + 1]] = path
        self.users = {}  # objects that have read each file
        for block in checkout.must(["ninja", "-C", self.build, "-t", "deps"]).split("\n\n"):
            head, *needed = block.splitlines() or [""]
            for line in needed:
                path = os.path.normpath(self.build / line.strip())
                self.users.setdefault(path, set()).add(head.partition(":")[0])

    @staticmethod
    def _flags_of(command):
        flags, words = [], iter(shlex.split(command))
        for word in words:
            if word in ("-o", "-MF", "-MT", "-c", "-include"):
                next(words)
            elif word.startswith(("-D", "-I", "-std")):
                flags.append(word)
            elif word == "-isystem":
                flags += [word, next(words)]
        return flags

    def flags_of(self, file):
        """The flags of a source; None if it is not part of this build."""
        path = str(ROOT / file)
        if path in self.flags:
            return self.flags[path]
        sources = (self.sources.get(used) for used in sorted(self.users.get(path, ())))
        return next((self.flags[source] for source in sources if source), None)


class Made:
    """The chosen mutants, and the sources that contain them."""

    def __init__(self, checkout, copy, arguments):
        self.known = Sources(checkout)
        self.header = copy.folder / "switch.hpp"
        self.copy, self.source, self.mutants, self.left_out = copy, {}, [], []
        draw = random.Random(arguments.seed)
        if arguments.room:  # some files, with the number of mutants drawn for each
            wanted = drawn_from_room(arguments.room, arguments.sample or 20, draw)
        else:
            revision = arguments.changed or default_revision()
            lines = changed_within(revision) if ".." in revision else changed_since(revision)
            wanted = {file: (found, 0) for file, found in lines.items()}
        for file, (lines, count) in sorted(wanted.items()):
            found = self._found_in(file, lines)
            self.mutants += draw.sample(found, min(count, len(found))) if count else found
        self.possible = len(self.mutants)
        if arguments.sample and not arguments.room and arguments.sample < self.possible:
            self.mutants = draw.sample(self.mutants, arguments.sample)
        self.mutants.sort(key=lambda mutant: (mutant.file, mutant.start, mutant.end))
        for number, mutant in enumerate(self.mutants, 1):
            mutant.number = number
        self.files = sorted({mutant.file for mutant in self.mutants})

    def _found_in(self, file, lines):
        flags = self.known.flags_of(file)
        if flags is None:
            self.left_out.append(file)
            return []
        self.source[file] = (ROOT / file).read_bytes()
        tree = mutant_syntax.Syntax(ROOT / file, flags)
        return mutant_kinds.Finder(file, self.source[file], tree, lines).mutants()

    def switched(self):
        """The text of each file with mutants and their switch."""
        self.sources = {
            file: mutant_switch.Switched(self.source[file], [m for m in self.mutants if m.file == file], self.header)
            for file in self.files}
        return {file: switched.text for file, switched in self.sources.items()}

    def demote(self, output):
        """Removes from the switch the mutants that a compiler rejects: (those that cannot be built, number of others)."""
        refused = {(file, number) for file, line in mutant_switch.errors(output, self.files)
                   for number in self.sources[file].numbers_at(line)}
        named = {file for file, _ in mutant_switch.errors(output, self.files)} or set(self.files)
        if not refused:  # the mutant is not in the line of the error
            refused = {(m.file, m.number) for m in self.mutants if m.file in named and m.form != "text"}
        dropped, changed = [], 0
        for mutant in list(self.mutants):
            if (mutant.file, mutant.number) not in refused:
                continue
            if mutant.form == "expression":
                mutant.form, mutant.probes, changed = "text", [], changed + 1
            else:
                self.mutants.remove(mutant)
                dropped.append(mutant)
        return dropped, changed


def tests_of(checkout, wanted):
    """The names of the tests that may be run, with the programs that they need."""
    listed = json.loads(checkout.must(["ctest", "--test-dir", checkout.build_folder, "--show-only=json-v1"]))
    targets = {line.partition(":")[0] for line in
               checkout.must(["ninja", "-C", checkout.build_folder, "-t", "targets", "all"]).splitlines()}
    found = {}
    for test in listed["tests"]:
        labels = next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), [])
        target = target_of(test["name"])
        if re.search(wanted, test["name"]) and target in targets and not LABELS_LEFT_OUT & set(labels):
            found[test["name"]] = target
    return found


def concerned(tests, checkout, files):
    """The tests whose programs contain one of these files."""
    known = Sources(checkout)
    objects, sources = set(), set()
    for file in files:
        path = str(ROOT / file)
        used = known.users.get(path, set())
        if path not in known.flags and not used:
            return tests  # a header not known yet
        objects |= used
        sources.add(path)
    found = {}
    inputs = {}
    for test, target in tests.items():
        if target not in inputs:
            listed = checkout.must(["ninja", "-C", checkout.build_folder, "-t", "inputs", target]).splitlines()
            inputs[target] = {os.path.normpath(checkout.build_folder / line) for line in listed} | set(listed)
        if inputs[target] & (objects | sources):
            found[test] = target
    return found


class Reach:
    """Which test of which program executes which mutant, and its time."""

    def __init__(self):
        self.tests = {}  # by the mutant's number: {test of ctest: set of filters}
        self.seconds = {}  # by (test, filter)
        self.whole = {}  # of each test of ctest
        self.failing = {}  # by test of ctest that fails without any fault: the failing tests within; none: all

    def learn(self, copy, test, hits):
        """Runs a whole program once and records the mutants that its tests execute."""
        hits.mkdir(parents=True)
        start = time.monotonic()
        result, output = copy.test(test, "", 600, CISOLVE_MUTANT_HITS=str(hits), GTEST_FAIL_FAST="0")
        self.whole[test] = time.monotonic() - start
        if result in ("failed", "hang"):
            self.failing[test] = set(FAILED_CASE.findall(output))
            if result == "hang" or not self.failing[test]:
                self.failing[test] = set()
                return
        for name, milliseconds in re.findall(r"\[       OK \] (\S+?),? .*?\((\d+) ms\)", output):
            self.seconds[test, name] = int(milliseconds) / 1000
        for file in hits.iterdir():
            chosen = file.name.rpartition(".")[0].replace("%", "/") or "*"
            if chosen in self.failing.get(test, ()):
                continue
            for number, byte in enumerate(file.read_bytes()):
                if byte:
                    self.tests.setdefault(number, {}).setdefault(test, set()).add(chosen)

    def cost(self, test, filters):
        if "*" in filters:
            return self.whole[test]
        return sum(self.seconds.get((test, chosen), self.whole[test]) for chosen in filters)

    def plan(self, mutant):
        """(test, filter, seconds) in the order to try: tests of the room first, then the fastest."""
        room = mutant.file.partition("/")[0]
        found = []
        for test, filters in self.tests.get(mutant.number, {}).items():
            chosen = "*" if "*" in filters else ":".join(sorted(filters))
            if failing := self.failing.get(test):
                chosen += ":-" + ":".join(sorted(failing))
            found.append((not test.startswith(room), self.cost(test, filters), test, chosen, len(filters)))
        return [(test, chosen, cost, count) for _, cost, test, chosen, count in sorted(found)]


def build_all(copy, made, targets):
    """Builds the copy with its switch, from which mutants that do not compile are removed. Returns those."""
    dropped = []
    copy.header = made.header
    for _ in range(ROUNDS):
        made.header.parent.mkdir(parents=True, exist_ok=True)
        text = mutant_switch.header(len(made.mutants) + len(dropped))
        if not made.header.exists() or made.header.read_text() != text:
            made.header.write_text(text)
        copy.begin(made.switched())
        status, output = copy.build(targets, "--", "-k", "0")
        if status == 0:
            copy.forget_offers()
            return dropped
        if not mutant_switch.errors(output, made.files) and "error" not in output:
            raise Refused(f"{output}\nthe tests cannot be built in {copy.root}")
        cannot, moved = made.demote(output)
        dropped += cannot
        if not cannot and not moved:
            raise Refused(f"{output}\nthe tests cannot be built in {copy.root}")
    raise Refused(f"{output}\nthe tests cannot be built in {copy.root}")


def noticed(result, output):
    """Which test has failed, and how if it did not report that itself."""
    failed = re.findall(r"\[  FAILED  \] (\S+?\.\S+?)[,;]? ", output)
    begun = re.findall(r"\[ RUN      \] (\S+)", output)
    how = " (hang)" if result == "hang" else "" if failed else " (crash)"
    return (failed or begun[-1:] or ["the program"])[0] + how


def verdict(copy, mutant, plan, arguments, **environment):
    """(killed, survived or unreached; a remark)"""
    end = time.monotonic() + arguments.budget
    if not plan:
        return "unreached", "no test comes by"
    for done, (test, chosen, seconds, _) in enumerate(plan):
        if time.monotonic() > end:
            left = sum(count for *_, count in plan[done:])
            return "survived", f"of the tests that come by, {left} were not run in time"
        limit = max(arguments.limit, 8 * seconds + 5)
        result, output = copy.test(test, chosen, limit, **environment)
        if result in ("failed", "hang"):
            if "Running 0 tests" in output:
                raise Refused(f"{test}: {chosen} chooses no test")
            return "killed", f"{test}: {noticed(result, output)}"
    return "survived", f"{sum(count for *_, count in plan)} tests come by"


def verdict_of_text(copy, mutant, made, reach, tests, arguments):
    """The verdict on a mutant that needs its own build."""
    file = copy.root / mutant.file
    kept = file.read_bytes()
    plan = reach.plan(mutant)
    if not plan and not mutant.probes:  # tests that execute another mutant of its file
        alike = [m for m in made.mutants if m.file == mutant.file and m.number in reach.tests]
        plan = max((reach.plan(m) for m in alike), key=len, default=[])
    if not plan:
        return "unreached", "no test comes by"
    file.write_bytes(mutant.fault(made.source[mutant.file]))
    try:
        status, output = copy.build(sorted({tests[test] for test, *_ in plan}))
        if status != 0:
            return "not compiled", next((line for line in output.splitlines() if "error" in line), "")
        return verdict(copy, mutant, plan, arguments)
    finally:
        file.write_bytes(kept)


def judge(arguments):
    """(mutant, verdict, remark, seconds) of each, as they become known; final results are in `made`."""
    sys.setrecursionlimit(20000)
    checkout = Tree(ROOT, arguments.preset, os.cpu_count() or 1)
    checkout.configure("-DCISOLVE_TESTS=ON")
    checkout.must(["cmake", "--build", checkout.build_folder, "--target", "build.ninja"])
    copy = Copy(checkout, "switch", checkout.threads)
    made = Made(checkout, copy, arguments)
    print(f"{made.possible} mutants in {len(made.source)} files, {len(made.mutants)} of them chosen", flush=True)
    for file in made.left_out:
        print(f"left out: {file} is no part of this build", flush=True)
    if not made.mutants or arguments.list:
        for mutant in made.mutants:
            yield mutant, "listed", "", 0
        return
    tests = concerned(tests_of(checkout, arguments.tests), checkout, made.files)
    targets = sorted(set(tests.values()))
    status, output = checkout.build(targets)
    if status != 0:
        raise Refused(f"{output}\nthe tests cannot be built in {ROOT}")
    start = time.monotonic()
    for mutant in build_all(copy, made, targets):
        yield mutant, "not compiled", "", 0
    own = sum(mutant.form == "text" for mutant in made.mutants)
    print(f"built in {time.monotonic() - start:.0f} s; {own} need a build of their own", flush=True)
    programs = programs_of(copy)
    tests = {test: target for test, target in tests.items() if has_switch(programs.get(test))}
    reach = Reach()
    hits = copy.folder / "hits"
    run(["rm", "-rf", str(hits)], copy.folder)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(lambda test: reach.learn(copy, test, hits / test), tests))
    print(f"{len(tests)} programs run once in {time.monotonic() - start:.0f} s", flush=True)
    for test, failing in sorted(reach.failing.items()):
        print(f"left out, since without any fault it fails: {test} {' '.join(sorted(failing))}", flush=True)
    yield from verdicts(copy, made, reach, tests, arguments)


def programs_of(copy):
    """The program of each test of ctest; several tests may share one."""
    listed = json.loads(copy.must(["ctest", "--test-dir", copy.build_folder, "--show-only=json-v1"]))
    found = {}
    for test in listed["tests"]:
        words = map(pathlib.Path, test.get("command", []))
        found[test["name"]] = next(
            (word for word in words if word.is_relative_to(copy.build_folder) and word.is_file()), None)
    return found


def has_switch(program):
    return program is not None and b"15cisolve_mutants" in program.read_bytes()


def verdicts(copy, made, reach, tests, arguments):
    def timed(mutant, work):
        start = time.monotonic()
        return mutant, *work(), time.monotonic() - start

    chosen = [mutant for mutant in made.mutants if mutant.form != "text"]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = [pool.submit(timed, m, lambda m=m: verdict(copy, m, reach.plan(m), arguments,
                                                             CISOLVE_MUTANT=str(m.number))) for m in chosen]
        for future in concurrent.futures.as_completed(running):
            yield future.result()
    for mutant in made.mutants:
        if mutant.form == "text":
            yield timed(mutant, lambda m=mutant: verdict_of_text(copy, m, made, reach, tests, arguments))


def report(arguments):
    """Prints the verdict on each, and last those that survived; returns the exit status."""
    start, found = time.monotonic(), []
    for mutant, word, remark, seconds in judge(arguments):
        found.append((word, mutant, remark))
        print(f"{word:13} {seconds:4.0f} s  {mutant.file}:{mutant.line}  {mutant.kind}  {remark}", flush=True)
    print()
    for word, mutant, remark in sorted(found, key=lambda entry: (entry[1].file, entry[1].start)):
        if word in ("survived", "unreached", "listed"):
            print(f"{word}: {mutant.file}:{mutant.line}: {mutant.kind}; {remark}")
            for line in mutant.difference((ROOT / mutant.file).read_bytes()):
                print(f"    {line}")
    count = {word: sum(entry[0] == word for entry in found)
             for word in ("killed", "survived", "unreached", "not compiled")}
    print(f"mutants: {len(found)} made, " + ", ".join(f"{number} {word}" for word, number in count.items())
          + f", {(time.monotonic() - start) / 60:.1f} minutes")
    return 1 if count["survived"] or count["unreached"] else 0
