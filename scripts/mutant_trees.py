"""The checkout and copies of it, each with a build: used by scripts/mutate to plant faults."""
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEFT_OUT = {".git", ".cache", ".gpu", "__pycache__", "build", "install", "out"}

# Runs a test under memory limits: a fault in a size must exceed its own limit, not the machine's
# memory.
MEMORY = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
BOUNDED = ["prlimit", f"--data={MEMORY // 2}", "--core=0"] if shutil.which("prlimit") else []

# Compiler launcher: provides, once, the object that the checkout compiled from the same source.
LAUNCHER = """#!/bin/sh
for word; do
  case $last in -o) out=$word ;; -MF) dependencies=$word ;; esac
  last=$word
done
if [ -e "$out.ready" ]; then
  mv "$out.ready.d" "$dependencies" && mv "$out.ready" "$out" && exec touch "$dependencies" "$out"
fi
if command -v ccache >/dev/null; then exec ccache "$@"; fi
exec "$@"
"""


class Refused(Exception):
    """A reason why no fault can be tried."""


def run(command, folder, limit=None, **environment):
    """(exit status, output) of a command. It and its children are killed at the limit: None."""
    process = subprocess.Popen(command, cwd=folder, text=True, errors="replace", start_new_session=True,
                               env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output = process.communicate(timeout=limit)[0]
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]


def target_of(test):
    """The target of a test of ctest: its program, or one that builds it."""
    return "test_" + re.sub(r"[.](reference|openmp|cuda|[0-9]+_ranks)$", "", test)


class Tree:
    """A tree of sources with its build: the checkout, or a copy."""

    def __init__(self, root, preset, threads):
        self.root, self.preset, self.threads = root, preset, threads
        self.build_folder = root / "build" / preset

    def must(self, command, **environment):
        status, output = run(command, self.root, **environment)
        if status != 0:
            raise Refused(f"{output}\n{' '.join(map(str, command))}: failed in {self.root}")
        return output

    def configure(self, *settings):
        if not (self.build_folder / "build.ninja").exists():
            self.must(["cmake", "--preset", self.preset, *settings])

    def unity(self):
        """Whether sources are compiled together: ON or OFF."""
        cache = (self.build_folder / "CMakeCache.txt").read_text()
        return "ON" if re.search(r"^CISOLVE_UNITY:BOOL=ON$", cache, re.MULTILINE) else "OFF"

    def build(self, targets, *options):
        command = ["cmake", "--build", self.build_folder, "-j", str(self.threads), "--target", *targets, *options]
        return run(command, self.root, CCACHE_BASEDIR=str(self.root), CCACHE_NOHASHDIR="1")

    @functools.cache
    def targets_of(self, test):
        """The programs of the tests that match a ctest expression."""
        shown = run(["ctest", "--test-dir", self.build_folder, "-N", "-R", f"^({test})$"], self.root)[1]
        return sorted({target_of(name) for name in re.findall(r"^ *Test *#\d+: (\S+)", shown, re.MULTILINE)})

    def test(self, test, chosen, limit, **more):
        """passed, skipped, failed or hang, and the output."""
        environment = {"GTEST_FILTER": chosen or "*", "GTEST_FAIL_FAST": "1", "CISOLVE_TEST_LIMIT": str(int(limit)),
                       "PYTEST_ADDOPTS": f"-x -k '{chosen}'" if chosen else "-x", **more}
        command = [*BOUNDED, "ctest", "--test-dir", self.build_folder, "-V", "--no-tests=error", "-R", f"^({test})$"]
        status, output = run(command, self.root, limit, **environment)
        if status is None or "did not end within" in output:
            return "hang", output
        if status != 0 or "Running 0 tests" in output:
            return "failed", output
        passed = [int(count) for count in re.findall(r"\[  PASSED  \] (\d+) test", output)]
        is_skipped = "***Skipped" in output or "***Not Run" in output or (passed and sum(passed) == 0)
        return ("skipped" if is_skipped else "passed"), output


class Copy(Tree):
    """A copy of the checkout, in which faults are planted."""

    def __init__(self, checkout, number, threads):
        self.folder = ROOT / "build/mutants" / checkout.preset / str(number)
        super().__init__(self.folder / "tree", checkout.preset, threads)
        self.checkout = checkout

    def prepare(self, targets):
        self.begin()
        status, output = self.build(targets)
        if status != 0:
            raise Refused(f"{output}\nthe tests cannot be built in {self.root}")
        self.forget_offers()

    def begin(self, replaced=None):
        """Makes a copy that can be built, in which some files, by name, have other texts."""
        self.follow_checkout(replaced or {})
        if not self.build_folder.exists():
            self.offer_objects({str(ROOT / name) for name in replaced or {}})
        launcher = self.folder / "compile"
        launcher.write_text(LAUNCHER)
        launcher.chmod(0o755)
        settings = ["-DCISOLVE_TESTS=ON", f"-DCISOLVE_CCACHE={launcher}",
                    f"-DCISOLVE_UNITY={self.checkout.unity()}"]
        if (python := ROOT / ".cache/python/bin/python").exists():
            settings.append(f"-DPython_EXECUTABLE={python}")
        self.configure(*settings)

    def forget_offers(self):
        for left in self.build_folder.rglob("*.ready*"):
            left.unlink()  # of programs built later, when a fault may have been planted

    def follow_checkout(self, replaced):
        """Makes the sources equal to the checkout's; unchanged files keep their times."""
        for folder, folders, files in os.walk(ROOT):
            folders[:] = [name for name in folders if name not in LEFT_OUT]
            here = self.root / pathlib.Path(folder).relative_to(ROOT)
            here.mkdir(parents=True, exist_ok=True)
            for old in here.iterdir():
                if old.name not in LEFT_OUT and old.name not in {*folders, *files}:
                    shutil.rmtree(old) if old.is_dir() else old.unlink()
            for name in files:
                source, target = pathlib.Path(folder) / name, here / name
                if (text := replaced.get(str(source.relative_to(ROOT)))) is not None:
                    if not target.exists() or target.read_bytes() != text:
                        target.write_bytes(text)
                elif not target.exists():
                    shutil.copy2(source, target)
                elif target.read_bytes() != source.read_bytes():
                    shutil.copy(source, target)
        shared, link = ROOT.parent / "shared", self.folder / "shared"
        if shared.exists() and not link.exists():
            link.symlink_to(shared)  # the reference data, where tests look for them

    def offer_objects(self, changed):
        """Offers objects of the checkout, except those that read a file changed here or contain a path of
        the checkout."""
        built = self.checkout.build_folder
        database = json.loads((built / "compile_commands.json").read_text())
        paths = {name for entry in database
                 for name in re.findall(rf"-D(\w+)=\S*{re.escape(str(ROOT))}", entry["command"])}
        names_path = re.compile(r"\b(" + "|".join(paths) + r")\b") if paths else re.compile(r"(?!)")
        is_bound = {}
        for block in self.checkout.must(["ninja", "-C", built, "-t", "deps"]).split("\n\n"):
            head, *needed = block.splitlines() or [""]
            output = head.partition(": #deps")[0]
            if not head.endswith("(VALID)") or output.endswith(".gch") or not (built / output).exists():
                continue
            needed = [os.path.normpath(built / line.strip()) for line in needed]  # those of ccache are relative
            own = [path for path in needed if path.startswith(str(ROOT)) and not path.startswith(str(built))]
            for path in own:
                if path not in is_bound:
                    is_bound[path] = bool(names_path.search(pathlib.Path(path).read_text()))
            if any(is_bound[path] or path in changed for path in own):
                continue
            moved = [path.replace(str(ROOT), str(self.root), 1) for path in needed]
            ready = self.build_folder / (output + ".ready")
            ready.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(built / output, ready)
            text = " \\\n ".join(path.replace(" ", "\\ ") for path in moved)
            pathlib.Path(f"{ready}.d").write_text(f"{output}: {text}\n")

    def verdict(self, mutant, limit):
        """(verdict, the test that detected it or the end of the compiler's output)."""
        file = self.root / mutant.file
        text = file.read_text()
        file.write_text(mutant.fault(text))
        try:
            for test, chosen in mutant.tests:
                status, output = self.build(self.checkout.targets_of(test))
                if status != 0:
                    return "did not build", next((line for line in output.splitlines() if "error" in line), "")
                result, output = self.test(test, chosen, limit)
                if result in ("failed", "hang"):
                    failed = re.findall(r"\[  FAILED  \] (\S+?\.\S+?)[,;]? ", output)
                    return "killed", f"{failed[0] if failed else test}{' (hang)' if result == 'hang' else ''}"
            return "survived", ""
        finally:
            file.write_text(text)  # with a new time, so that it is compiled anew
