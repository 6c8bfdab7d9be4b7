"""The orbitals of a molecule of PySCF over its basis functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..orbitals import Orbitals, Shell

Floats = NDArray[np.float64]

_HIGHEST_MOMENTUM = 6


def orbitals_of(mol: Any, orbitals: Any, ncore: Any, ncas: int) -> Orbitals | None:
    """The active and the inactive orbitals; None of a crystal, a model, or functions beyond i."""
    unrestricted = np.ndim(ncore) > 0
    of_spins = list(zip(orbitals, ncore)) if unrestricted else [(orbitals, ncore)]
    is_molecule = mol.natm > 0 and not hasattr(mol, "pbc_intor")
    if not is_molecule or mol.nao != np.shape(of_spins[0][0])[0]:
        return None
    shells = [
        Shell(int(mol.bas_atom(b)), int(mol.bas_angular(b)), mol.bas_exp(b), coefficients)
        for b in range(mol.nbas)
        for coefficients in np.asarray(mol.bas_ctr_coeff(b)).T
    ]
    if any(shell.momentum > _HIGHEST_MOMENTUM for shell in shells):
        return None
    overlap = mol.intor_symmetric("int1e_ovlp")
    norms = np.sqrt(overlap.diagonal())  # Cartesian functions of PySCF are not normalised

    def columns(first: Any, last: Any) -> Any:
        parts = tuple(
            np.ascontiguousarray(norms[:, None] * np.asarray(mine)[:, first(core) : last(core)])
            for mine, core in of_spins
        )
        return parts if unrestricted else parts[0]

    return Orbitals(
        [int(round(mol.atom_charge(i))) + int(mol.atom_nelec_core(i)) for i in range(mol.natm)],
        np.array([mol.atom_charge(i) for i in range(mol.natm)], dtype=np.float64),
        mol.atom_coords(),
        shells,
        columns(lambda core: core, lambda core: core + ncas),
        columns(lambda core: 0, lambda core: core),
        overlap / np.outer(norms, norms),
        bool(mol.cart),
    )
