#!/usr/bin/env python3
"""The scripts on a machine where packages are missing: as root, with sudo, without, and without a network.

Usage: fresh_machine_test.py SOURCE. Programs of a package manager are stubs that write down how they were called.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
STUBS = {
    "dpkg-query": "exit 1",  # no package is installed
    "apt-get": 'echo "$@" >>"$CALLS"\n[[ $* == *--simulate* || $NETWORK == yes ]] || exit 100',
    "sudo": 'echo sudo >>"$CALLS"\nexec "$@"',
    "id": 'echo "$USER_NUMBER"',
}


class FreshMachine(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ci-solve-fresh-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "scripts").mkdir()
        shutil.copy(SOURCE / "scripts" / "lib.sh", self.folder / "scripts")
        (self.folder / "scripts" / "try").write_text(
            '#!/usr/bin/env bash\nsource "$(dirname "$0")/lib.sh"\nneed g++ cmake\necho built\n', encoding="utf-8")
        (self.folder / "bin").mkdir()
        for name in ("bash", "env", "dirname", "basename", "sed", "cat"):
            (self.folder / "bin" / name).symlink_to(shutil.which(name))

    def run_it(self, *stubs, user=0, network="yes"):
        """Code, standard output, messages and the calls of the package manager."""
        for name in stubs:
            stub = self.folder / "bin" / name
            stub.write_text(f"#!/usr/bin/env bash\n{STUBS[name]}\n", encoding="utf-8")
            stub.chmod(0o755)
        calls = self.folder / "calls"
        calls.write_text("", encoding="utf-8")
        environment = {"PATH": str(self.folder / "bin"), "CALLS": str(calls), "NETWORK": network,
                       "USER_NUMBER": str(user)}
        done = subprocess.run([shutil.which("bash"), self.folder / "scripts" / "try"], env=environment,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr, calls.read_text(encoding="utf-8").splitlines()

    def test_root_installs_and_goes_on(self):
        code, out, said, calls = self.run_it("dpkg-query", "apt-get", "id")
        self.assertEqual((code, out), (0, "built\n"), said)
        self.assertIn("installing g++ cmake", said)
        self.assertIn("-q install -y --no-install-recommends g++ cmake", calls)

    def test_a_user_with_sudo_is_told_of_the_password(self):
        code, out, said, calls = self.run_it("dpkg-query", "apt-get", "id", "sudo", user=1000)
        self.assertEqual((code, out), (0, "built\n"), said)
        self.assertIn("sudo may ask for your password", said)
        self.assertEqual(calls[-2:], ["sudo", "-q install -y --no-install-recommends g++ cmake"])

    def test_a_user_without_sudo_learns_the_command_for_root(self):
        code, out, said, calls = self.run_it("dpkg-query", "apt-get", "id", user=1000)
        self.assertEqual((code, out, calls), (1, "", []))
        self.assertIn("there is no sudo; as root run: apt-get install g++ cmake", said)

    def test_without_a_network_that_is_the_first_guess(self):
        code, out, said, calls = self.run_it("dpkg-query", "apt-get", "id", network="no")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("the package servers did not answer; is there a network?", said)
        self.assertIn("run this again: g++ cmake", said)
        self.assertTrue(any("update" in call for call in calls), calls)

    def test_without_apt_get_the_names_are_listed(self):
        code, out, said, _ = self.run_it("id")
        self.assertEqual((code, out), (0, "built\n"))
        self.assertIn("this system has no apt-get", said)
        self.assertIn("g++ cmake", said)


unittest.main(verbosity=0)
