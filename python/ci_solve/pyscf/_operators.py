"""One-electron operators of a molecule of PySCF over its active orbitals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..properties import Operator

Floats = NDArray[np.float64]


def operators_of(mol: Any, orbitals: Any, ncore: Any, ncas: int) -> dict[str, Operator]:
    """Dipole and velocity, with nuclei and inactive orbitals in their constants.

    The origin is the centre of nuclear charge. None of a crystal, or of a model without atoms or a basis.
    """
    unrestricted = np.ndim(ncore) > 0
    by_spin = list(zip(orbitals, ncore)) if unrestricted else [(orbitals, ncore)] * 2
    charges = mol.atom_charges()
    is_molecule = mol.natm > 0 and not hasattr(mol, "pbc_intor") and charges.sum() > 0
    if not is_molecule or mol.nao != np.shape(by_spin[0][0])[0]:
        return {}
    nuclei = np.einsum("i,ix->x", charges, mol.atom_coords())
    origin = nuclei / charges.sum()
    with mol.with_common_origin(origin):
        position = mol.intor_symmetric("int1e_r", comp=3)
    gradient = -mol.intor("int1e_ipovlp", comp=3)
    gradient = (gradient - gradient.transpose(0, 2, 1)) / 2

    def over(matrices: Floats, orbitals: Floats) -> Floats:
        found: Floats = np.einsum("pi,xpq,qj->xij", orbitals, matrices, orbitals, optimize=True)
        return found

    def active(matrices: Floats) -> Any:
        parts = tuple(over(matrices, mine[:, core : core + ncas]) for mine, core in by_spin)
        return parts if unrestricted else parts[0]

    inactive = sum(np.einsum("xii->x", over(position, mine[:, :core])) for mine, core in by_spin)
    core_charge = float(charges.sum() - sum(int(core) for _, core in by_spin))
    described: dict[str, Any] = {
        "components": ("x", "y", "z"), "origin": origin.tolist(), "origin_note": "centre of nuclear charge",
        "core_charge": core_charge,
    }  # fmt: skip
    return {
        # Nuclei have no dipole about the centre of their charge.
        "dipole": Operator(active(-position), nuclei - charges.sum() * origin - inactive, unit="e a0", **described),
        "velocity": Operator(active(gradient), np.zeros(3), components=("x", "y", "z"), unit="1/a0"),
    }
