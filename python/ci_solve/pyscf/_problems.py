"""Converts PySCF objects into arguments of `ci_solve.solve`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pyscf import lib, mcscf, scf
from pyscf.lib import chkfile as chk

from .._requests import as_int, counts_of
from ..errors import UsageError
from ._operators import operators_of
from ._orbitals import orbitals_of


def from_scf(
    mf: Any,
    ncas: int | None = None,
    nelecas: int | Sequence[int] | None = None,
    mo: Any = None,
    *,
    operators: Sequence[str] = ("dipole", "velocity"),
) -> dict[str, Any]:
    """The integrals of an active space as arguments of ``ci_solve.solve``: all orbitals without ``ncas``.

    Dipole and velocity operators are included, so that results have dipole moments and oscillator
    strengths; ``operators`` names them and others: "quadrupole", the second moments of the charge (not without
    trace), and "angular_momentum", r x d/dr. They account for nuclei and inactive orbitals, and their origin is
    the centre of nuclear charge.
    So are the orbitals over basis functions, for populations, Molden and cube files.

    Orbitals of a molecule with symmetry include their irreps and point group, so that states have PySCF's
    irrep names (of D2h or C2v for linear molecules); orbitals of an unrestricted field do so if alpha
    and beta orbitals of the same number have the same irrep.

    >>> import ci_solve
    >>> from ci_solve.pyscf import from_scf
    >>> from pyscf import gto, scf
    >>> mf = scf.RHF(gto.M(atom="N 0 0 0; N 0 0 1.1", basis="sto-3g", verbose=0)).run()
    >>> print(f"{ci_solve.solve(**from_scf(mf, 6, 6)).energies[0]:.6f}")
    -107.623102
    """
    orbitals = _orbitals(mf, mo)
    unrestricted = isinstance(mf, scf.uhf.UHF)
    ncas, nelecas = _active(mf.mol, np.shape(orbitals)[-1], ncas, nelecas)
    casci = (mcscf.UCASCI if unrestricted else mcscf.CASCI)(mf, ncas, nelecas)
    one, energy = casci.get_h1eff(orbitals)
    # That of UCASCI takes what it is given for the active orbitals alone.
    active = [mine[:, core : core + ncas] for mine, core in zip(orbitals, casci.ncore)] if unrestricted else orbitals
    two = casci.get_h2eff(active)
    found: dict[str, Any] = {
        "one_body": tuple(one) if unrestricted else one,
        "two_body": tuple(two) if unrestricted else two,
        "core": float(energy),
        "electrons": tuple(int(number) for number in casci.nelecas),
    }
    if brought := operators_of(mf.mol, orbitals, casci.ncore, ncas, operators):
        found["operators"] = brought
    if (in_basis := orbitals_of(mf.mol, orbitals, casci.ncore, ncas)) is not None:
        found["orbitals"] = in_basis
    irreps = _active_irreps(mf, orbitals, casci.ncore, ncas)
    if irreps is not None:
        found["orbital_irreps"] = irreps
        found["orbital_symmetries"] = "pyscf"
        found["point_group"] = mf.mol.groupname
    return found


def from_casscf(mc: Any, *, operators: Sequence[str] = ("dipole", "velocity")) -> dict[str, Any]:
    """As ``from_scf``, with the active space and the orbitals of a CASCI or CASSCF object.

    >>> import ci_solve
    >>> from ci_solve.pyscf import from_casscf
    >>> from pyscf import gto, mcscf, scf
    >>> mol = gto.M(atom="O 0 0 0.117; H 0 0.757 -0.469; H 0 -0.757 -0.469", basis="sto-3g", verbose=0)
    >>> mc = mcscf.CASSCF(scf.RHF(mol).run(), 4, 4).run()
    >>> result = ci_solve.solve(**from_casscf(mc), states=2)
    >>> abs(result.energies[0] - mc.e_tot) < 1e-7, result.properties["dipole"].shape
    (np.True_, (2, 3))
    """
    if not isinstance(mc, mcscf.casci.CASBase):
        raise UsageError(f"an object of the type {type(mc).__name__}; expected CASCI or CASSCF of PySCF")
    return from_scf(mc._scf, mc.ncas, mc.nelecas, mc.mo_coeff, operators=operators)


def _orbitals(mf: Any, mo: Any) -> Any:
    """Orbitals of the mean field, or the ones given instead."""
    if isinstance(mf, mcscf.casci.CASBase):
        name = type(mf).__name__
        raise UsageError(
            f"a {name} object was given; expected from_casscf(mc), or a self-consistent field and the active space: "
            "from_scf(mc._scf, mc.ncas, mc.nelecas, mc.mo_coeff)"
        )
    if isinstance(mf, scf.ghf.GHF) or not hasattr(mf, "mo_coeff"):
        raise UsageError(
            f"an object of the type {type(mf).__name__} was given; expected a restricted or unrestricted field of PySCF"
        )
    orbitals = mf.mo_coeff if mo is None else mo
    if orbitals is None:
        raise UsageError(f"the {type(mf).__name__} object has no orbitals yet; expected mf.run() before, or mo=")
    return orbitals


def _active(
    mol: Any, norb: int, ncas: int | None, nelecas: int | Sequence[int] | None
) -> tuple[int, tuple[int, int]]:
    """How many orbitals and electrons are active, of which the rest fills whole orbitals."""
    ncas = norb if ncas is None else as_int(ncas, "ncas")
    if not 1 <= ncas <= norb:
        raise UsageError(f"ncas is {ncas}; expected 1 to {norb}, the number of orbitals")
    if nelecas is None and ncas != norb:
        raise UsageError("ncas is given without electrons; expected nelecas=N or (alpha, beta)")
    counts = mol.nelec if nelecas is None else counts_of(nelecas, "nelecas")
    total = counts if isinstance(counts, int) else sum(counts)
    core = mol.nelectron - total
    if core < 0 or core % 2:
        raise UsageError(
            f"nelecas is {nelecas}, and the molecule has {mol.nelectron} electrons; expected "
            f"{'an even' if mol.nelectron % 2 == 0 else 'an odd'} number up to that, since the others fill orbitals in pairs"
        )
    alpha, beta = (total - (total - mol.spin) // 2, (total - mol.spin) // 2) if isinstance(counts, int) else counts
    if not (0 <= alpha <= ncas and 0 <= beta <= ncas):
        raise UsageError(f"{alpha} alpha and {beta} beta electrons; expected 0 to {ncas} of each, as ncas is {ncas}")
    if core // 2 + ncas > norb:
        raise UsageError(
            f"{core // 2} doubly occupied and {ncas} active orbitals; expected at most {norb} together"
        )
    return ncas, (alpha, beta)


def _active_irreps(mf: Any, orbitals: Any, ncore: Any, ncas: int) -> list[int] | None:
    """Irreps of the active orbitals; None if alpha and beta orbitals differ, or none are known."""
    by_spin = []
    for mine, core in zip(orbitals, ncore) if np.ndim(ncore) else [(orbitals, ncore)]:
        irreps = _irreps(mf, mine)
        if irreps is None:
            return None
        by_spin.append([int(irrep) for irrep in irreps[core : core + ncas]])
    return by_spin[0] if by_spin[0] == by_spin[-1] else None


def _irreps(mf: Any, orbitals: Any) -> Any:
    """None if the orbitals do not belong to irreps."""
    if not mf.mol.symmetry:
        return None
    try:
        return scf.hf_symm.get_orbsym(mf.mol, orbitals, mf.get_ovlp(), True)
    except ValueError:
        return None


def from_chkfile(
    path: str,
    ncas: int | None = None,
    nelecas: int | Sequence[int] | None = None,
    *,
    operators: Sequence[str] = ("dipole", "velocity"),
) -> dict[str, Any]:
    """Like ``from_scf``, from a checkpoint file (``chkfile``) of PySCF.

    If the file holds an active space, its orbitals are used, and its size unless ``ncas`` is given; otherwise
    the orbitals of the self-consistent field.
    """
    mol = chk.load_mol(path)
    field = chk.load(path, "scf")
    active = chk.load(path, "mcscf") or {}
    orbitals = active.get("mo_coeff", field["mo_coeff"] if field else None)
    if orbitals is None:
        raise UsageError(f"{path} holds no orbitals; expected a chkfile of a field or active space")
    if ncas is None and "ncas" in active:
        ncas, nelecas = int(active["ncas"]), active["nelecas"] if nelecas is None else nelecas
    orbitals = np.asarray(orbitals)
    mf = scf.UHF(mol) if orbitals.ndim == 3 else scf.ROHF(mol) if mol.spin else scf.RHF(mol)
    mf.mo_coeff = orbitals
    if field and np.shape(field.get("mo_occ")) == orbitals.shape[:-2] + orbitals.shape[-1:]:
        mf.mo_occ = np.asarray(field["mo_occ"])
    if isinstance(nelecas, np.ndarray):
        nelecas = nelecas.tolist()
    with lib.temporary_env(mf, verbose=0):
        return from_scf(mf, ncas, nelecas, operators=operators)
