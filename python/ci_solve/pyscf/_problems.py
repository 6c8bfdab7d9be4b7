"""From what PySCF has computed or kept to the arguments of `ci_solve.solve`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pyscf import lib, mcscf, scf
from pyscf.lib import chkfile as chk


def from_scf(
    mf: Any, ncas: int | None = None, nelecas: int | Sequence[int] | None = None, mo: Any = None
) -> dict[str, Any]:
    """The integrals of an active space as arguments of ``ci_solve.solve``: all orbitals without ``ncas``.

    Orbitals of a molecule with symmetry bring their irreps and point group, so that states have the
    irreps that PySCF names them by: those of D2h or C2v for linear molecules.

    >>> import ci_solve
    >>> from ci_solve.pyscf import from_scf
    >>> from pyscf import gto, scf
    >>> mf = scf.RHF(gto.M(atom="N 0 0 0; N 0 0 1.1", basis="sto-3g", verbose=0)).run()
    >>> print(f"{ci_solve.solve(**from_scf(mf, 6, 6)).energies[0]:.6f}")
    -107.623102
    """
    unrestricted = isinstance(mf, scf.uhf.UHF)
    orbitals = mf.mo_coeff if mo is None else mo
    if ncas is None:
        ncas = np.shape(orbitals)[-1]
    if nelecas is None:
        nelecas = mf.mol.nelec if ncas == np.shape(orbitals)[-1] else None
    if nelecas is None:
        raise ValueError("orbitals without electrons; expected nelecas=N or (alpha, beta)")
    casci = (mcscf.UCASCI if unrestricted else mcscf.CASCI)(mf, ncas, nelecas)
    one, core = casci.get_h1eff(orbitals)
    two = casci.get_h2eff(orbitals)
    found: dict[str, Any] = {
        "one_body": tuple(one) if unrestricted else one,
        "two_body": tuple(two) if unrestricted else two,
        "core": float(core),
        "electrons": tuple(int(number) for number in casci.nelecas),
    }
    symmetry = None if unrestricted else _irreps(mf, orbitals)
    if symmetry is not None:
        active = symmetry[casci.ncore : casci.ncore + ncas]
        found["orbital_irreps"] = [int(irrep) for irrep in active]
        found["orbital_symmetries"] = "pyscf"
        found["point_group"] = mf.mol.groupname
    return found


def _irreps(mf: Any, orbitals: Any) -> Any:
    """None where the orbitals are not of irreps."""
    if not mf.mol.symmetry:
        return None
    try:
        return scf.hf_symm.get_orbsym(mf.mol, orbitals, mf.get_ovlp(), True)
    except ValueError:
        return None


def from_chkfile(
    path: str, ncas: int | None = None, nelecas: int | Sequence[int] | None = None
) -> dict[str, Any]:
    """As ``from_scf``, of a file that PySCF's ``chkfile`` has written.

    Of an active space that the file holds, its orbitals, and its size where none is asked for; else
    the orbitals of the self-consistent field.
    """
    mol = chk.load_mol(path)
    field = chk.load(path, "scf")
    active = chk.load(path, "mcscf") or {}
    orbitals = active.get("mo_coeff", field["mo_coeff"] if field else None)
    if orbitals is None:
        raise ValueError(f"{path} holds no orbitals; expected a chkfile of a field or active space")
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
        return from_scf(mf, ncas, nelecas)
