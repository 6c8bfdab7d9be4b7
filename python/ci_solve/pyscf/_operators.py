"""One-electron operators of a molecule of PySCF over its active orbitals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ..properties import Operator

NAMES = ("dipole", "velocity", "quadrupole", "angular_momentum")
_SECOND = ("xx", "xy", "xz", "yy", "yz", "zz")

Floats = NDArray[np.float64]


def operators_of(mol: Any, orbitals: Any, ncore: Any, ncas: int, names: Sequence[str]) -> dict[str, Operator]:
    """The operators of these names, with nuclei and inactive orbitals in their constants.

    The origin is the centre of nuclear charge. None of a crystal, or of a model without atoms or a basis.
    """
    for name in names:
        if name not in NAMES:
            raise UsageError(f"operators names {name!r}; expected some of {', '.join(NAMES)}")
    unrestricted = np.ndim(ncore) > 0
    by_spin = list(zip(orbitals, ncore)) if unrestricted else [(orbitals, ncore)] * 2
    charges = mol.atom_charges()
    is_molecule = mol.natm > 0 and not hasattr(mol, "pbc_intor") and charges.sum() > 0
    if not is_molecule or mol.nao != np.shape(by_spin[0][0])[0]:
        return {}
    origin = np.einsum("i,ix->x", charges, mol.atom_coords()) / charges.sum()

    def over(matrices: Floats, orbitals: Floats) -> Floats:
        found: Floats = np.einsum("pi,xpq,qj->xij", orbitals, matrices, orbitals, optimize=True)
        return found

    def active(matrices: Floats) -> Any:
        parts = tuple(over(matrices, mine[:, core : core + ncas]) for mine, core in by_spin)
        return parts if unrestricted else parts[0]

    def inactive(matrices: Floats) -> Floats:
        found: Floats = np.sum([np.einsum("xii->x", over(matrices, mine[:, :core])) for mine, core in by_spin], axis=0)
        return found

    at_origin: dict[str, Any] = {"origin": origin.tolist(), "origin_note": "centre of nuclear charge"}
    core_charge = float(charges.sum() - sum(int(core) for _, core in by_spin))
    places = mol.atom_coords() - origin
    found: dict[str, Operator] = {}
    for name in names:
        if name in ("dipole", "quadrupole"):  # moments of charge: minus those of the electrons
            matrices = -symmetric_moment(mol, origin, name)
            nuclei = charges @ (places if name == "dipole" else second_moments(places))
            found[name] = Operator(
                active(matrices), nuclei + inactive(matrices), ("x", "y", "z") if name == "dipole" else _SECOND,
                "e a0" if name == "dipole" else "e a0^2", core_charge=core_charge, **at_origin,
            )  # fmt: skip
        else:
            matrices = antisymmetric_moment(mol, origin, name)
            more = {} if name == "velocity" else at_origin
            unit = "1/a0" if name == "velocity" else "hbar"
            found[name] = Operator(active(matrices), np.zeros(3), ("x", "y", "z"), unit, **more)
    return found


def symmetric_moment(mol: Any, origin: Floats, name: str) -> Floats:
    """<p|r|q>, or <p|r r|q> in the order xx, xy, xz, yy, yz, zz, about the origin."""
    with mol.with_common_origin(origin):
        if name == "dipole":
            position: Floats = mol.intor_symmetric("int1e_r", comp=3)
            return position
        whole = mol.intor_symmetric("int1e_rr", comp=9)
    upper: Floats = whole[[0, 1, 2, 4, 5, 8]]
    return upper


def antisymmetric_moment(mol: Any, origin: Floats, name: str) -> Floats:
    """<p|d/dr|q>, or <p|r x d/dr|q> about the origin: times -i momentum and angular momentum."""
    with mol.with_common_origin(origin):
        matrices = -mol.intor("int1e_ipovlp", comp=3) if name == "velocity" else mol.intor("int1e_cg_irxp", comp=3)
    found: Floats = (matrices - matrices.transpose(0, 2, 1)) / 2
    return found


def second_moments(places: Floats) -> Floats:
    """x x, x y, x z, y y, y z, z z of each place."""
    products = np.einsum("ix,iy->ixy", places, places).reshape(len(places), 9)
    found: Floats = products[:, [0, 1, 2, 4, 5, 8]]
    return found
