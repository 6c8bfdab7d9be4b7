"""Populations, natural orbitals, Molden and cube files beside PySCF's."""

from __future__ import annotations

import subprocess
import sys

import h5py
import numpy as np
import pytest
from pyscf import ao2mo, gto, lo, mcscf, scf
from pyscf.tools import cubegen, molden

import ci_solve
from ci_solve.pyscf import from_casscf, from_chkfile, from_scf
from test_documents import ROOT
from test_pyscf_properties import MOLECULES, WATER, Reference, field

AGREEMENT = 1e-7
CASES = {**MOLECULES, "water cartesian": lambda: (field(WATER, basis="cc-pvdz", cart=True), 4, 4, None)}
CASES["oh uhf active"] = lambda: (field("O 0 0 0; H 0 0 0.97", basis="6-31g", kind=scf.UHF, spin=1), 5, (3, 2), None)


class OfBasis:
    """The densities of a state over basis functions, and what follows from them, by PySCF."""

    def __init__(self, expected, state):
        self.mol, self.overlap = expected.mol, expected.mol.intor("int1e_ovlp")
        self.norms = np.sqrt(self.overlap.diagonal())  # of Cartesian functions
        parts = expected.solver.make_rdm1s(expected.vectors[state], expected.norb, expected.nelec)
        self.density = []
        for spin, part in enumerate(parts):
            core, every = expected.ncore[spin], expected._spatial(spin)
            mine = every[:, core : core + expected.norb]
            self.density.append(mine @ part @ mine.T + every[:, :core] @ every[:, :core].T)

    def populations(self, kind):
        if kind == "mulliken":
            of_functions = [np.einsum("pq,qp->p", d, self.overlap) for d in self.density]
        else:  # of functions that are normalised
            scaled = self.overlap / np.outer(self.norms, self.norms)
            values, vectors = np.linalg.eigh(scaled)
            root = vectors * np.sqrt(values) @ vectors.T
            of_functions = [
                np.diag(root @ (d * np.outer(self.norms, self.norms)) @ root) for d in self.density
            ]
        slices = self.mol.aoslice_by_atom()[:, 2:]
        alpha, beta = (np.array([part[p:q].sum() for p, q in slices]) for part in of_functions)
        return self.mol.atom_charges() - alpha - beta, alpha - beta

    def occupations(self):
        root = np.linalg.cholesky(self.overlap)
        return np.linalg.eigvalsh(root.T @ sum(self.density) @ root)[::-1]


def of_levels(expected, found, state):
    """Whether a state stands alone in its level."""
    return all(j == state or abs(expected.energies[j] - expected.energies[state]) > 1e-6 for j in range(len(found) + 1))


@pytest.mark.parametrize("name", CASES)
def test_populations_and_natural_orbitals_are_those_of_pyscf(name):
    mf, ncas, nelecas, mo = CASES[name]()
    expected = Reference(mf, ncas, nelecas, mo, 4)
    result = ci_solve.solve(**from_scf(mf, ncas, nelecas, mo), states=3)
    compared = 0
    for state in range(3):
        if not of_levels(expected, result, state):
            continue
        compared += 1
        own = OfBasis(expected, state)
        found = result.populations(state)
        for kind in ("mulliken", "loewdin"):
            charges, spins = own.populations(kind)
            assert abs(getattr(found, f"{kind}_charges") - charges).max() < AGREEMENT
            assert abs(getattr(found, f"{kind}_spins") - spins).max() < AGREEMENT
        scale = np.outer(own.norms, own.norms)
        density = result.density_in_basis(state)
        assert abs(density - np.array(own.density) * scale).max() < AGREEMENT
        occupations, orbitals = result.natural_orbitals_in_basis(state)
        assert abs(occupations - own.occupations()[: len(occupations)]).max() < AGREEMENT
        assert abs(orbitals @ np.diag(occupations) @ orbitals.T - density.sum(axis=0)).max() < AGREEMENT
        assert abs(orbitals.T @ (own.overlap / scale) @ orbitals - np.eye(orbitals.shape[1])).max() < 1e-8
    assert compared


def test_populations_are_those_of_pyscfs_own_analysis():
    mf = field("O 0 0 0; H 0 0 0.97", basis="6-31g", kind=scf.ROHF, spin=1)
    result = ci_solve.solve(**from_scf(mf), determinants=([0b11111], [0b1111]))  # the field's own
    own, found = mf.make_rdm1(), result.populations()
    _, charges = mf.mulliken_pop(mf.mol, own, verbose=0)
    assert found.mulliken_charges == pytest.approx(charges, abs=1e-6)  # as exact as the field
    root = np.linalg.inv(lo.orth_ao(mf.mol, "lowdin"))
    slices = mf.mol.aoslice_by_atom()[:, 2:]
    spins = np.diag(root @ (own[0] - own[1]) @ root.T)
    assert found.loewdin_spins == pytest.approx([spins[p:q].sum() for p, q in slices], abs=1e-6)


BASES = {
    "spherical to g": {"basis": {"O": gto.expand_etbs([(0, 3, 0.3, 3), (1, 2, 0.4, 3), (2, 2, 0.5, 3), (3, 1, 1.1, 2), (4, 1, 0.9, 2)]),
                                 "H": "cc-pvtz"}},
    "cartesian to g": {"basis": {"O": gto.expand_etbs([(0, 3, 0.3, 3), (1, 2, 0.4, 3), (2, 1, 0.5, 3), (3, 1, 1.1, 2), (4, 1, 0.9, 2)]),
                                 "H": "cc-pvdz"}, "cart": True},
    "contracted": {"basis": "cc-pvdz"},
    "pseudopotential": {"basis": "ccecp-ccpvdz", "ecp": "ccecp"},
}  # fmt: skip


def overlap_with(own, ours, theirs, orbitals):
    """|C^T S C'| of orbitals over the basis functions of two molecules."""
    return abs(ours.T @ gto.intor_cross("int1e_ovlp", own, theirs) @ orbitals)


@pytest.mark.parametrize("name", BASES)
def test_molden_files_hold_the_orbitals(name, tmp_path, capfd):
    mf = field(WATER, **BASES[name])
    result = ci_solve.solve(**from_scf(mf, 4, 4), states=2)
    result.write_molden(tmp_path / "orbitals.molden")
    theirs, energies, orbitals, occupations, _, spins = molden.load(str(tmp_path / "orbitals.molden"))
    assert set(spins) == {"ALPHA"} and occupations.sum() == mf.mol.nelectron
    ncore = (mf.mol.nelectron - 4) // 2
    ours = mf.mo_coeff[:, : ncore + 4]
    assert overlap_with(mf.mol, ours, theirs, orbitals) == pytest.approx(np.eye(ncore + 4), abs=1e-8)
    result.write_molden(tmp_path / "natural.molden", 1)
    theirs, _, orbitals, occupations, _, _ = molden.load(str(tmp_path / "natural.molden"))
    expected, coefficients = result.natural_orbitals_in_basis(1)
    assert occupations == pytest.approx(expected, abs=1e-12)
    norms = np.sqrt(mf.mol.intor("int1e_ovlp").diagonal())
    own = coefficients / norms[:, None]
    assert overlap_with(mf.mol, own, theirs, orbitals) == pytest.approx(np.eye(ncore + 4), abs=1e-8)
    with pytest.raises(ci_solve.CannotWriteError):
        result.write_molden(tmp_path / "natural.molden", 1)
    result.write_molden(tmp_path / "natural.molden", 0, overwrite=True)


def test_molden_files_of_two_spins_hold_both(tmp_path):
    mf = field("O 0 0 0; H 0 0 0.97", basis="6-31g", kind=scf.UHF, spin=1)
    result = ci_solve.solve(**from_scf(mf, 5, (3, 2)))
    result.write_molden(tmp_path / "orbitals.molden")
    theirs, _, orbitals, occupations, _, _ = molden.load(str(tmp_path / "orbitals.molden"))
    for spin in (0, 1):
        assert occupations[spin].sum() == mf.mol.nelec[spin]
        ours = mf.mo_coeff[spin][:, : 5 + mf.mol.nelec[0] - 3]
        found = overlap_with(mf.mol, ours, theirs, orbitals[spin])
        assert found == pytest.approx(np.eye(found.shape[0]), abs=1e-8)


def test_molden_files_know_no_functions_beyond_g(tmp_path):
    mf = field("He 0 0 0; He 0 0 2", basis={"He": [[0, [1.0, 1]], [5, [1.0, 1]]]})
    result = ci_solve.solve(**from_scf(mf, 2, 4))
    with pytest.raises(ci_solve.ConfigurationError, match="angular momentum 5, and Molden files have none beyond g"):
        result.write_molden(tmp_path / "he.molden")


def read_cube(path):
    """Origin, spacing, nuclei and values of a cube file."""
    lines = path.read_text().splitlines()
    count, *origin = lines[2].split()
    axes = [lines[3 + axis].split() for axis in range(3)]
    shape = [int(axis[0]) for axis in axes]
    steps = np.array([[float(x) for x in axis[1:]] for axis in axes])
    nuclei = np.array([[float(x) for x in line.split()] for line in lines[6 : 6 + int(count)]])
    values = np.array(" ".join(lines[6 + int(count) :]).split(), dtype=float).reshape(shape)
    return np.array(origin, dtype=float), steps, nuclei, values


def points_of(origin, steps, shape):
    axes = [origin[x] + steps[x, x] * np.arange(shape[x]) for x in range(3)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


@pytest.mark.parametrize("name", BASES)
def test_cube_files_hold_densities_and_orbitals(name, tmp_path):
    mf = field(WATER, **BASES[name])
    result = ci_solve.solve(**from_scf(mf, 4, 4))
    given = {"spacing": 0.4, "margin": 3}
    result.write_cube(tmp_path / "density.cube", **given)
    origin, steps, nuclei, values = read_cube(tmp_path / "density.cube")
    assert nuclei[:, 1] == pytest.approx(mf.mol.atom_charges()) and nuclei[:, 2:] == pytest.approx(mf.mol.atom_coords(), abs=1e-7)
    points = points_of(origin, steps, values.shape)
    functions = mf.mol.eval_gto("GTOval", points)
    norms = np.sqrt(mf.mol.intor("int1e_ovlp").diagonal())
    density = result.density_in_basis().sum(axis=0) / np.outer(norms, norms)
    expected = np.einsum("gp,pq,gq->g", functions, density, functions, optimize=True)
    assert values.reshape(-1) == pytest.approx(expected, abs=1e-8, rel=1e-7)
    result.write_cube(tmp_path / "orbital.cube", "orbital_2", **given)
    ncore = (mf.mol.nelectron - 4) // 2
    own = functions @ mf.mo_coeff[:, ncore + 1]
    assert read_cube(tmp_path / "orbital.cube")[3].reshape(-1) == pytest.approx(own, abs=1e-8, rel=1e-7)


def test_the_density_integrates_to_the_electrons_and_is_pyscfs(tmp_path):
    mf = field("H 0 0 0; H 0 0 0.8", basis="6-31g")
    result = ci_solve.solve(**from_scf(mf))
    result.write_cube(tmp_path / "density.cube", spacing=0.1, margin=7)
    _, steps, _, values = read_cube(tmp_path / "density.cube")
    assert values.sum() * np.linalg.det(steps) == pytest.approx(2, abs=2e-3)
    theirs = tmp_path / "theirs.cube"
    cubegen.density(mf.mol, str(theirs), result.density_in_basis().sum(axis=0), nx=9, ny=9, nz=9)
    origin, steps, _, expected = read_cube(theirs)
    functions = mf.mol.eval_gto("GTOval", points_of(origin, steps, expected.shape))
    own = np.einsum("gp,pq,gq->g", functions, result.density_in_basis().sum(axis=0), functions)
    assert own == pytest.approx(expected.reshape(-1), rel=1e-4, abs=1e-5)  # printed with few digits


@pytest.mark.parametrize("kind", [scf.ROHF, scf.UHF])
def test_spin_densities_of_a_radical(kind, tmp_path):
    mf = field("N 0 0 0; N 0 0 1.12", charge=1, spin=1, kind=kind)
    result = ci_solve.solve(**from_scf(mf, 6, (4, 3)))
    alpha, beta = result.density_in_basis()
    for name, matrix in (("spin_density", alpha - beta), ("density", alpha + beta)):
        result.write_cube(tmp_path / f"{name}.cube", name, spacing=0.5, margin=3)
        origin, steps, _, values = read_cube(tmp_path / f"{name}.cube")
        functions = mf.mol.eval_gto("GTOval", points_of(origin, steps, values.shape))
        expected = np.einsum("gp,pq,gq->g", functions, matrix, functions)
        assert values.reshape(-1) == pytest.approx(expected, abs=1e-8, rel=1e-7)
    assert result.populations().mulliken_spins.sum() == pytest.approx(1)


def test_frozen_orbitals_count_as_inactive_ones():
    water = field(WATER, basis="6-31g")
    inactive = ci_solve.solve(**from_scf(water, 7, 8))
    frozen = ci_solve.solve({"space": {"frozen": 1, "active": 7}}, **from_scf(water))
    for kind in ("mulliken_charges", "loewdin_charges"):
        assert getattr(frozen.populations(), kind) == pytest.approx(getattr(inactive.populations(), kind), abs=AGREEMENT)
    mine, theirs = frozen.natural_orbitals_in_basis(), inactive.natural_orbitals_in_basis()
    assert mine[0][:8] == pytest.approx(theirs[0], abs=AGREEMENT) and not mine[0][8:].any()
    assert abs(frozen.density_in_basis() - inactive.density_in_basis()).max() < AGREEMENT


def test_chkfiles_and_casscf_objects_bring_their_orbitals(tmp_path):
    mf = field(WATER)
    mf.chkfile = str(tmp_path / "water.chk")
    mf.run()
    casscf = mcscf.CASSCF(mf, 4, 4).run()
    for given in (from_casscf(casscf), from_chkfile(mf.chkfile, 4, 4)):
        populations = ci_solve.solve(**given).populations()
        assert populations.mulliken_charges.sum() == pytest.approx(0, abs=1e-9)
        assert populations.loewdin_charges.sum() == pytest.approx(0, abs=1e-9)


def test_results_hold_what_was_asked_for(tmp_path):
    mf = field("O 0 0 0; O 0 0 1.21", spin=2)
    request = {"analysis": {"properties": ["dipole", "populations"]}, "output": {"molden": True, "cube": ["spin_density"], "cube_spacing": 0.5}}
    result = ci_solve.solve(request, **from_scf(mf, 6, (5, 3)), states=3)
    result.write(tmp_path / "out")
    assert {"natural-1.molden", "natural-2.molden", "orbitals.molden", "spin_density-2.cube"} < {
        path.name for path in (tmp_path / "out").iterdir()
    }
    found = result.populations(1)
    with h5py.File(tmp_path / "out" / "results.h5") as file:
        assert file["populations"].attrs["atoms"] in ("O O", b"O O")
        assert file["populations/mulliken_spins"][1] == pytest.approx(found.mulliken_spins, abs=1e-12)
        shape = file["basis/orbitals"].shape
        natural = file["basis/natural_orbitals"][1].reshape(-1, shape[0]).T
        assert abs(natural) == pytest.approx(abs(result.natural_orbitals_in_basis(1)[1]), abs=1e-12)
        overlap = file["basis/overlap"][:]
    assert overlap == pytest.approx(mf.mol.intor("int1e_ovlp"), abs=1e-12)
    assert result.record["atoms"] == ["O", "O"] and found.loewdin_spins.sum() == pytest.approx(2)
    loaded = ci_solve.load(tmp_path / "out")
    assert loaded.populations(1).loewdin_charges == pytest.approx(found.loewdin_charges, abs=1e-12)
    assert "populations" not in ci_solve.solve(**from_scf(mf, 6, (5, 3))).record["states"][0]


def test_the_script_writes_orbitals_that_the_program_reads(tmp_path):
    script = ROOT / "scripts" / "fcidump-of-molecule.py"
    command = [sys.executable, script, WATER, "--basis", "cc-pvdz", "--active", "4", "4", "-o", "water.fcidump"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    problem = {"fcidump": str(tmp_path / "water.fcidump"), "operators": str(tmp_path / "water.operators.h5")}
    found = ci_solve.solve({"problem": problem}).populations()
    expected = ci_solve.solve(**from_scf(field(WATER, basis="cc-pvdz"), 4, 4)).populations()
    for kind in ("mulliken_charges", "loewdin_charges"):
        assert getattr(found, kind) == pytest.approx(getattr(expected, kind), abs=1e-6)  # as exact as the field


def test_orbitals_that_cannot_be_are_refused():
    mf = field(WATER)
    given = from_scf(mf, 4, 4)
    basis = given["orbitals"]

    def changed(**more):
        return {**given, "orbitals": ci_solve.Orbitals(**{**basis.__dict__, **more})}

    for more, words in (
        ({"orbitals": basis.orbitals[:, :3]}, "orbitals: 7 by 3 elements; expected 7 basis functions by 4 orbitals"),
        ({"orbitals": 1.01 * basis.orbitals}, "the overlap of orbitals 4 and 4, inactive ones counted first, is 1.02"),
        ({"overlap": np.eye(7)}, "overlap: element 1 2 is 0, and the basis gives"),
        ({"shells": basis.shells[:-1]}, "overlap: 7 by 7 elements; expected 6 by as many"),
        ({"coordinates": np.asarray(basis.coordinates) * [[np.nan], [1], [1]]}, "atom 1: its charge or a coordinate"),
        ({"shells": [*basis.shells[:-1], ci_solve.Shell(2, 0, [-1.0], [1.0])]}, "exponent -1; expected a positive number"),
    ):  # fmt: skip
        with pytest.raises(ci_solve.BadInputError, match=f"the given orbitals.*{words}"):
            ci_solve.solve(**changed(**more))
    with pytest.raises(ci_solve.UsageError, match="the job knows no basis functions; expected orbitals="):
        ci_solve.solve(**{**given, "orbitals": None}).populations()
    result = ci_solve.solve(**given)
    for contents, words in (("orbital_9", "orbital 9; expected 1 to 4"), ("natural_9", "1 to 7, inactive ones"),
                            ("beta_orbital_1", "expected orbital_1")):  # fmt: skip
        with pytest.raises(ci_solve.ConfigurationError, match=words):
            result.write_cube("never.cube", contents)
    with pytest.raises(ci_solve.UsageError, match="the cube file of 'spin'; expected density"):
        result.write_cube("never.cube", "spin")


def write_trexio(path, mf, with_overlap):
    """The groups of a TREXIO file with HDF5 back end, as PySCF's converter of pyscf-forge fills them."""
    mol, n = mf.mol, mf.mo_coeff.shape[1]
    order = []
    for b in range(mol.nbas):
        momentum = mol.bas_angular(b)
        inside = [2, 0, 1] if momentum == 1 else [momentum, *(momentum + s * m for m in range(1, momentum + 1) for s in (1, -1))]
        if mol.cart:
            inside = list(range((momentum + 1) * (momentum + 2) // 2))
        for _ in range(mol.bas_nctr(b)):
            order += [len(order) + k for k in inside]
    shells = [(b, c) for b in range(mol.nbas) for c in range(mol.bas_nctr(b))]
    counts = [mol.bas_nprim(b) for b, _ in shells]
    functions = [(m + 1) * (m + 2) // 2 if mol.cart else 2 * m + 1 for m in (mol.bas_angular(b) for b, _ in shells)]
    racah = [np.sqrt((2 * m + 1) / (4 * np.pi)) if not mol.cart or m < 2 else 1 for m in (mol.bas_angular(b) for b, _ in shells)]
    one = mf.mo_coeff.T @ mf.get_hcore() @ mf.mo_coeff
    two = ao2mo.restore(1, ao2mo.kernel(mol, mf.mo_coeff), n)
    index = [(p, r, q, s) for p in range(n) for q in range(p + 1) for r in range(n) for s in range(r + 1)
             if (p, q) >= (r, s) and abs(two[p, q, r, s]) > 1e-15]  # fmt: skip
    with h5py.File(path, "w") as file:
        for name, attributes, sets in (
            ("nucleus", {"nucleus_num": mol.natm, "nucleus_repulsion": mol.energy_nuc()},
             {"charge": mol.atom_charges().astype(float), "coord": mol.atom_coords()}),
            ("electron", {"electron_up_num": mol.nelec[0], "electron_dn_num": mol.nelec[1]}, {}),
            ("basis", {"basis_type": np.bytes_("Gaussian")}, {
                "nucleus_index": np.array([mol.bas_atom(b) for b, _ in shells]),
                "shell_ang_mom": np.array([mol.bas_angular(b) for b, _ in shells]),
                "shell_factor": np.ones(len(shells)),
                "shell_index": np.repeat(np.arange(len(shells)), counts),
                "exponent": np.concatenate([mol.bas_exp(b) for b, _ in shells]),
                "coefficient": np.concatenate([mol.bas_ctr_coeff(b)[:, c] for b, c in shells]),
                "prim_factor": np.concatenate([gto.gto_norm(mol.bas_angular(b), mol.bas_exp(b)) for b, _ in shells])}),
            ("ao", {"ao_num": mol.nao, "ao_cartesian": int(mol.cart)}, {
                "shell": np.repeat(np.arange(len(shells)), functions), "normalization": np.repeat(racah, functions)}),
            ("mo", {"mo_num": n}, {"coefficient": mf.mo_coeff[order].T}),
            ("mo_1e_int", {}, {"core_hamiltonian": one}),
            ("mo_2e_int", {}, {"eri_indices": np.array(index, dtype=np.uint8).reshape(-1),
                               "eri_values": np.array([two[p, q, r, s] for p, r, q, s in index])}),
            ("ao_1e_int", {}, {"overlap": mol.intor("int1e_ovlp")[np.ix_(order, order)]} if with_overlap else {}),
        ):  # fmt: skip
            group = file.create_group(name)
            for key, value in attributes.items():
                group.attrs[key] = np.int64(value) if isinstance(value, (int, np.integer)) else value
            for key, value in sets.items():
                group[f"{name}_{key}"] = value


@pytest.mark.parametrize("with_overlap", [True, False])
@pytest.mark.parametrize("cart", [True, False])
def test_trexio_files_bring_their_orbitals(cart, with_overlap, tmp_path):
    mf = field("H 0 0 0; F 0.1 0.2 0.9", basis={"H": [[0, [0.7, 1]], [2, [0.9, 1]], [3, [1.1, 1]]], "F": "sto-3g"}, cart=cart)
    write_trexio(tmp_path / "hf.trexio.h5", mf, with_overlap)
    space = {"kind": "cisd", "frozen": 1, "active": 5}
    found = ci_solve.solve({"problem": {"trexio": str(tmp_path / "hf.trexio.h5")}, "space": space})
    expected = ci_solve.solve({"space": space}, **from_scf(mf))
    assert found.energies == pytest.approx(expected.energies, abs=1e-9)
    for kind in ("mulliken_charges", "loewdin_charges"):
        assert getattr(found.populations(), kind) == pytest.approx(getattr(expected.populations(), kind), abs=AGREEMENT)
    assert abs(found.density_in_basis() - expected.density_in_basis()).max() < AGREEMENT
    with h5py.File(tmp_path / "hf.trexio.h5", "a") as file:
        file["mo/mo_coefficient"][0, 0] *= 1.5
    with pytest.warns(ci_solve.SolveWarning, match="hf.trexio.h5: groups basis, ao and mo: orbitals: the overlap"):
        damaged = ci_solve.solve({"problem": {"trexio": str(tmp_path / "hf.trexio.h5")}, "space": space})
    assert damaged.energies == pytest.approx(expected.energies, abs=1e-9)
    with pytest.raises(ci_solve.UsageError, match="knows no basis functions"):
        damaged.populations()
