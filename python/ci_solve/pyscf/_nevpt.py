"""What strongly contracted NEVPT2 of PySCF asks a solver for.

Equations: C. Angeli, R. Cimiraglia, J.-P. Malrieu, J. Chem. Phys. 117, 9138 (2002). h2e[p,q,r,s] is
(pr|qs) here, as in PySCF's module.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InternalError

Floats = NDArray[np.float64]
Term = tuple[float, str, Any, Any]  # factor, subscripts and what is contracted


def three_particle(
    ci: Any, norb: int, nelec: tuple[int, int], settings: dict[str, Any]
) -> tuple[Floats, Floats, Floats]:
    """<E_pq>, <E_pq E_rs> and <E_pq E_rs E_tu>, as ``pyscf.fci.rdm.make_dm123``."""
    return _core.three_particle_density(norb, *nelec, _vector(ci), **settings)


def four_particle(
    ci: Any, eri: Any, norb: int, nelec: tuple[int, int], settings: dict[str, Any]
) -> tuple[Floats, Floats]:
    """Contractions of the four-particle density with (pq|rs): PySCF's f3ca and f3ac."""
    eri = np.ascontiguousarray(eri, dtype=np.float64)
    return _core.four_particle_contractions(norb, *nelec, _vector(ci), eri, **settings)


def _vector(ci: Any) -> Floats:
    if np.iscomplexobj(ci):
        raise NotImplementedError("the vector is complex; expected a real one")
    return np.ascontiguousarray(ci, dtype=np.float64)


def intermediate(
    name: str, ci: Any, norb: int, nelec: tuple[int, int], settings: dict[str, Any]
) -> Floats:
    """A16 or A22, for the functions of PySCF that call ``nevpt_intermediate``.

    They pass no integrals and no densities, but have them as h1e, h2e and dms, a dictionary that is
    common to both calls: the contractions of four particles are kept in it.
    """
    caller = sys._getframe(2).f_locals
    if not {"h1e", "h2e", "dms"} <= set(caller):
        raise InternalError(
            f"{name} of NEVPT2 is computed from h1e, h2e and dms of PySCF's own functions, which this "
            "version of PySCF names otherwise; expected PySCF 2"
        )
    h1e, h2e, dms = caller["h1e"], caller["h2e"], caller["dms"]
    if "f3ca" not in dms:
        eri = h2e.transpose(0, 2, 1, 3)
        dms["f3ca"], dms["f3ac"] = four_particle(ci, eri, norb, nelec, settings)
    return {"A16": a16, "A22": a22}[name](h1e, h2e, dms)


def _sum(*terms: Term) -> Any:
    """Sums contractions, which are matrix products."""
    return sum(
        factor * np.einsum(subscripts, left, right, optimize=True)
        for factor, subscripts, left, right in terms
    )


def a16(h1e: Any, h2e: Any, dms: dict[str, Any]) -> Floats:
    """<V+ [H, V]> of three operators of the active space that remove one electron."""
    dm3, f3ca, f3ac = dms["3"], dms["f3ca"], dms["f3ac"]
    a: Floats = _sum(
        (-1, "ib,rpqiac->pqrabc", h1e - np.einsum("jbij->ib", h2e), dm3),
        (1, "ia,rpqbic->pqrabc", h1e, dm3),
        (-1, "ci,rpqbai->pqrabc", h1e - np.einsum("jcij->ci", h2e), dm3),
        (-1, "kbia,rpqcki->pqrabc", h2e, dm3),
        (-1, "kbaj,rpqjkc->pqrabc", h2e, dm3),
        (1, "cbij,rpqjai->pqrabc", h2e, dm3),
        (-1, "cjka,rpqbjk->pqrabc", h2e, dm3),
    )
    a -= f3ca.transpose(1, 4, 0, 2, 5, 3)
    a += f3ac.transpose(1, 2, 0, 4, 3, 5)
    a -= f3ca.transpose(1, 2, 0, 4, 3, 5)
    reduced = _sum((1, "kbij,rpajki->prab", h2e, dm3))
    for i in range(len(h1e)):
        a[:, i, :, :, :, i] += reduced
    return a


def a22(h1e: Any, h2e: Any, dms: dict[str, Any]) -> Floats:
    """The same of operators that add one electron."""
    dm2, dm3, f3ca, f3ac = dms["2"], dms["3"], dms["f3ca"], dms["f3ac"]
    a: Floats = _sum(
        (-1, "pb,kipjac->ijkabc", h1e, dm3),
        (-1, "pa,kibjpc->ijkabc", h1e, dm3),
        (1, "cp,kibjap->ijkabc", h1e - np.einsum("qcpq->cp", h2e), dm3),
        (1, "cqra,kibjqr->ijkabc", h2e, dm3),
        (-1, "pqab,kiqjpc->ijkabc", h2e, dm3),
        (1, "pcrb,kiajpr->ijkabc", h2e, dm3),
        (1, "cqrb,kiqjar->ijkabc", h2e, dm3),
        (2, "jb,kiac->ijkabc", h1e, dm2),
        (2, "pjrb,kiprac->ijkabc", h2e, dm3),
    )
    a -= f3ac.transpose(1, 5, 0, 2, 4, 3)
    a -= f3ac.transpose(1, 3, 0, 4, 2, 5)
    a += f3ca.transpose(1, 3, 0, 4, 2, 5)
    crossed = _sum((1, "pqrb,kiqcpr->ikbc", h2e, dm3))
    direct = _sum(
        (2, "pa,kipc->ikac", h1e, dm2),
        (-2, "cp,kiap->ikac", h1e - np.einsum("qcpq->cp", h2e), dm2),
        (-2, "cqra,kiqr->ikac", h2e, dm2),
        (2, "pqra,kiqcpr->ikac", h2e, dm3),
        (-2, "rcpq,kiaqrp->ikac", h2e, dm3),
    )
    for i in range(len(h1e)):
        a[:, i, :, i, :, :] -= crossed
        a[:, i, :, :, i, :] += direct
    return a
