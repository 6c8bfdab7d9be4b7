"""Names of irreps, against what the orbitals themselves do under the operations of their group.

The oracle knows no table of numbers: it evaluates orbitals at points and at their images, and names a
state by the product of the signs over the orbitals that its largest determinant occupies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyscf")

import ci_solve
from ci_solve.pyscf import from_chkfile, from_scf
from pyscf import fci, gto, lib, mcscf, scf, symm
from pyscf.tools import fcidump

# Operations as the signs of x, y and z, and the characters under them, by name.
_D2H = {
    "Ag": (1, 1, 1), "B1g": (-1, -1, 1), "B2g": (-1, 1, -1), "B3g": (1, -1, -1),
    "Au": (-1, -1, -1), "B1u": (1, 1, -1), "B2u": (1, -1, 1), "B3u": (-1, 1, 1),
}  # fmt: skip
_MIRRORS = [(-1, 1, 1), (1, -1, 1), (1, 1, -1)]
_C2V = {"A1": (1, 1), "A2": (-1, -1), "B1": (-1, 1), "B2": (1, -1)}
_TURN_Z, _TURN_Y, _INVERSION = (-1, -1, 1), (-1, 1, -1), (-1, -1, -1)
GROUPS: dict[str, tuple[list[tuple[int, int, int]], dict[str, tuple[int, ...]]]] = {
    "D2h": (_MIRRORS, _D2H),
    "C2v": (_MIRRORS[:2], _C2V),
    "C2h": ([_TURN_Z, _INVERSION], {"Ag": (1, 1), "Bg": (-1, 1), "Au": (1, -1), "Bu": (-1, -1)}),
    "D2": ([_TURN_Z, _TURN_Y], {"A": (1, 1), "B1": (1, -1), "B2": (-1, 1), "B3": (-1, -1)}),
    "Cs": ([(1, 1, -1)], {"A'": (1,), 'A"': (-1,)}),
    "Ci": ([_INVERSION], {"Ag": (1,), "Au": (-1,)}),
    "C2": ([_TURN_Z], {"A": (1,), "B": (-1,)}),
}
WITHIN = {"Dooh": "D2h", "SO3": "D2h", "Coov": "C2v"}

BUTADIENE = """
C 0.6090 0.4012 0; C -0.6090 -0.4012 0; C 1.8297 -0.1478 0; C -1.8297 0.1478 0;
H 0.4799 1.4840 0; H -0.4799 -1.4840 0; H 2.7273 0.4677 0; H -2.7273 -0.4677 0;
H 1.9690 -1.2283 0; H -1.9690 1.2283 0"""

# Atoms, 2S, active electrons and orbitals, irreps of the active orbitals where they are picked.
MOLECULES: dict[str, tuple[str, int, int, int, Sequence[str] | None]] = {
    "O2": ("O 0 0 0; O 0 0 1.2", 2, 8, 6, None),
    "O2 across": ("O 0 0 0; O 1.2 0 0", 2, 8, 6, None),
    "N2": ("N 0 0 0; N 0 0 1.1", 0, 6, 6, None),
    "N2 pi": ("N 0 0 0; N 0 0 1.1", 0, 4, 4, ["E1ux", "E1uy", "E1gx", "E1gy"]),
    "FeO": ("Fe 0 0 0; O 0 0 1.616", 4, 6, 6, None),
    "NO": ("N 0 0 0; O 0 0 1.15", 1, 7, 6, None),
    "O": ("O 0 0 0", 2, 6, 4, None),
    "ethylene": ("C 0 0 0.67; C 0 0 -0.67; H 0 0.92 1.23; H 0 -0.92 1.23; "
                 "H 0 0.92 -1.23; H 0 -0.92 -1.23", 0, 4, 4, None),
    "twisted ethylene": ("C 0 0 0.67; C 0 0 -0.67; H 0.24 0.89 1.23; H -0.24 -0.89 1.23; "
                         "H -0.24 0.89 -1.23; H 0.24 -0.89 -1.23", 0, 6, 6, None),
    "butadiene": (BUTADIENE, 0, 4, 4, ["Au", "Bg"]),
    "water": ("O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587", 0, 8, 6, None),
    "water across": ("O 0 0 0; H -0.757 0.587 0; H 0.757 0.587 0", 0, 8, 6, None),
    "HNO": ("N 0 0 0; O 1.21 0 0; H -0.45 0.93 0", 0, 6, 5, None),
    "H2O2": ("O 0.7 0 0; O -0.7 0 0; H 0.8 0.6 0.75; H -0.8 -0.6 0.75", 0, 6, 5, None),
    "Li2H2": ("Li 0.3 0.5 1.1; Li -0.3 -0.5 -1.1; H 1.2 -0.4 0.2; H -1.2 0.4 -0.2", 0, 4, 6, None),
    "Li2H2He2": ("Li 0.3 0.5 1.1; Li -0.3 -0.5 -1.1; H 1.2 -0.4 0.2; H -1.2 0.4 -0.2; "
                 "He -1.5 1.9 1.0; He 1.5 -1.9 -1.0", 0, 4, 6, None),
}  # fmt: skip


def molecule_of(name: str) -> Any:
    atoms, spin, *_ = MOLECULES[name]
    return gto.M(atom=atoms, basis="sto-3g", spin=spin, symmetry=True, verbose=0)


def field_of(name: str) -> Any:
    mol = molecule_of(name)
    return (scf.ROHF(mol) if mol.spin else scf.RHF(mol)).run(conv_tol=1e-11)


def active_space(mf: Any, name: str) -> tuple[int, int, Any, int]:
    """Active orbitals and electrons, all orbitals, and how many are closed shells."""
    _, _, electrons, active, irreps = MOLECULES[name]
    orbitals = mf.mo_coeff
    case = mcscf.CASCI(mf, active, electrons)
    if irreps is not None:
        ids = [symm.irrep_name2id(mf.mol.groupname, irrep) for irrep in irreps]
        found = scf.hf_symm.get_orbsym(mf.mol, orbitals)
        picked = [k for k in range(len(found)) if found[k] in ids][:active]
        orbitals = case.sort_mo(picked, orbitals, base=0)
    return active, electrons, np.asarray(orbitals), case.ncore


class Oracle:
    """Which irreps orbitals belong to, by their values at points and at the images of these."""

    def __init__(self, mol: Any, orbitals: Any) -> None:
        self.group = WITHIN.get(mol.groupname, mol.groupname)
        operations, self._names = GROUPS[self.group]
        axes, origin = np.asarray(mol._symm_axes), np.asarray(mol._symm_orig)
        points = np.random.default_rng(7).normal(size=(40, 3)) * 1.5
        at = [points * signs @ axes + origin for signs in [(1, 1, 1), *operations]]
        values = [mol.eval_gto("GTOval", where) @ orbitals for where in at]
        self._signs = []
        for image in values[1:]:
            same = np.abs(image - values[0]).max(axis=0) < 1e-4
            other = np.abs(image + values[0]).max(axis=0) < 1e-4
            assert np.all(same ^ other), "orbitals that are of no irrep"
            self._signs.append(np.where(same, 1, -1))

    def name(self, occupation: str) -> str:
        """Of a determinant, in letters 2 u d 0."""
        open_shells = [p for p, letter in enumerate(occupation) if letter in "ud"]
        signs = tuple(int(np.prod(sign[open_shells])) for sign in self._signs)
        return next(name for name, of_name in self._names.items() if of_name == signs)

# Which of several states of one energy are given is no matter here.
pytestmark = pytest.mark.filterwarnings("ignore:the last multiplet is cut", "ignore:.*states were requested")


@pytest.fixture(scope="module", params=MOLECULES)
def case(request):
    mf = field_of(request.param)
    active, electrons, orbitals, core = active_space(mf, request.param)
    oracle = Oracle(mf.mol, orbitals[:, core : core + active])
    return mf, active, electrons, orbitals, core, oracle


def names_by_oracle(result: Any, oracle: Oracle) -> list[str]:
    return [oracle.name(dominant[0][0]) for dominant in result.dominant]


def test_states_are_named_by_what_their_orbitals_do(case):
    mf, active, electrons, orbitals, _, oracle = case
    given = from_scf(mf, active, electrons, orbitals)
    assert given["point_group"] == mf.mol.groupname
    result = ci_solve.solve(**given, states=8, tolerance=1e-7)
    symmetry = result.record["problem"]["symmetry"]
    assert symmetry["group"] == oracle.group and symmetry["assumed"] is False
    clear = [j for j, name in enumerate(result.irrep_names) if name is not None]
    assert len(clear) >= 6
    expected = names_by_oracle(result, oracle)
    assert [result.irrep_names[j] for j in clear] == [expected[j] for j in clear]


def test_each_irrep_has_the_energy_that_pyscf_finds_in_it(case):
    mf, active, electrons, orbitals, _, oracle = case
    given = from_scf(mf, active, electrons, orbitals)
    labels = np.array(given["orbital_irreps"]) % 10
    solver = fci.direct_spin1_symm.FCISolver()
    solver.conv_tol = 1e-11
    everything = ci_solve.solve(**given, states=1)
    for irrep in everything.record["problem"]["symmetry"]["irreps"]:
        number = symm.irrep_name2id(oracle.group, irrep["name"])
        mine = dict(given, irrep=irrep["name"])
        try:
            energy = solver.kernel(
                given["one_body"], given["two_body"], active, given["electrons"],
                orbsym=labels, wfnsym=number, ecore=given["core"],
            )[0]  # fmt: skip
        except RuntimeError:  # no determinant is of it
            with pytest.raises(ci_solve.BadInputError):
                ci_solve.solve(**mine)
            continue
        found = ci_solve.solve(**mine)
        assert found.energies[0] == pytest.approx(energy, abs=1e-8), irrep
        assert found.irrep_names == [irrep["name"]] and found.irreps == [irrep["irrep"]]


def test_numbers_are_those_of_molpro(case):
    """Whatever numbers the orbitals came with; those of PySCF's own table."""
    mf, active, electrons, orbitals, _, oracle = case
    result = ci_solve.solve(**from_scf(mf, active, electrons, orbitals))
    molpro = symm.param.IRREP_ID_MOLPRO[oracle.group]
    for irrep in result.record["problem"]["symmetry"]["irreps"]:
        assert irrep["irrep"] == molpro[symm.irrep_name2id(oracle.group, irrep["name"])]


def write_dump(path, mf, active, electrons, orbitals, molpro):
    space = mcscf.CASCI(mf, active, electrons)
    ids = scf.hf_symm.get_orbsym(mf.mol, orbitals)
    space.mo_coeff = lib.tag_array(orbitals, orbsym=ids)
    fcidump.from_mcscf(space, str(path), molpro_orbsym=molpro)


@pytest.mark.parametrize("numbering", ["pyscf", "molpro"])
def test_dumps_name_states_rightly_or_not_at_all(case, tmp_path, numbering):
    mf, active, electrons, orbitals, _, oracle = case
    if mf.mol.groupname == "SO3":
        pytest.skip("PySCF writes no dumps of atoms")
    path = tmp_path / "x.fcidump"
    write_dump(path, mf, active, electrons, orbitals, numbering == "molpro")
    told = ci_solve.solve(str(path), states=4, tolerance=1e-7, orbital_symmetries=numbering)
    expected = names_by_oracle(told, oracle)
    symmetry = told.record["problem"]["symmetry"]
    if oracle.group == "D2h":
        assert told.irrep_names == expected
    else:
        assert symmetry is None or symmetry["group"] is None
        assert told.irrep_names == [None] * 4
    guessed = ci_solve.solve(str(path), states=4, tolerance=1e-7)
    for state, name in zip(guessed.record["states"], names_by_oracle(guessed, oracle)):
        assert state["irrep_name"] in (None, name) or state["irrep_assumed"], (state, name)
    group = WITHIN.get(mf.mol.groupname, mf.mol.groupname)
    path.write_text(path.read_text().replace("ISYM=1", f"PNTGRP='{group}',ISYM=1", 1))
    named = ci_solve.solve(str(path), states=4, tolerance=1e-7, orbital_symmetries=numbering)
    if symmetry is not None and not symmetry["found"]:
        assert named.irrep_names == names_by_oracle(named, oracle)


def test_every_group_has_a_molecule():
    groups = {WITHIN.get(mol.groupname, mol.groupname) for mol in map(molecule_of, MOLECULES)}
    assert groups == GROUPS.keys()


def test_the_triplet_of_oxygen_is_b1g():
    mf = field_of("O2")
    result = ci_solve.solve(**from_scf(mf, 6, 8))
    assert result.irrep_names == ["B1g"] and result.irreps == [4]
    assert "B1g" in str(result)


def test_an_assumed_name_is_marked_and_not_taken(tmp_path):
    mf = field_of("N2 pi")
    active, electrons, orbitals, _ = active_space(mf, "N2 pi")
    path = tmp_path / "pi.fcidump"
    write_dump(path, mf, active, electrons, orbitals, molpro=False)
    guessed = ci_solve.solve(str(path), states=3)
    assert guessed.record["problem"]["symmetry"]["assumed"] is True
    assert "?" in str(guessed)
    with pytest.raises(ci_solve.Error, match="set problem.orbital_symmetries to molpro or pyscf"):
        ci_solve.solve(str(path), irrep="B1u")
    told = ci_solve.solve(str(path), irrep="B1u", orbital_symmetries="pyscf")
    assert told.irrep_names == ["B1u"] and "?" not in str(told)


def test_a_chkfile_says_the_group(tmp_path):
    mf = field_of("water")
    mf.chkfile = str(tmp_path / "water.chk")
    mf.kernel()
    given = from_chkfile(mf.chkfile, 6, 8)
    assert given["point_group"] == "C2v" and given["orbital_symmetries"] == "pyscf"
    assert given["orbital_irreps"] == from_scf(mf, 6, 8)["orbital_irreps"]


def test_a_group_that_is_none_is_refused():
    h, g = np.diag([-1.0, -0.5]), np.zeros((3, 3))
    with pytest.raises(ci_solve.Error, match="the point group D17; expected D2h or one of"):
        ci_solve.solve(h, g, electrons=2, orbital_irreps=[0, 1], point_group="D17")
