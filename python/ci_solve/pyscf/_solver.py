"""The FCI solver for PySCF."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyscf import lib, symm
from pyscf.fci import addons
from pyscf.lib import logger

from .._libraries import prepare
from ._integrals import require_real
from ._methods import Methods
from ._search import Search, signed


class FCISolver(Methods):
    """Full CI for CASCI, CASSCF and other methods that take an FCI solver of PySCF.

    It computes the lowest states for the given electrons, of the irrep ``wfnsym`` if ``orbsym`` is
    set, and of one total spin if ``fix_spin`` or ``total_spin`` is set; these are symmetries
    of the search space, not penalties. Vectors are arrays (alpha strings, beta strings).

    Attributes, besides those of PySCF's solvers: ``total_spin`` (S), ``even_spins`` (S = 0, 2, 4 and so
    on, as PySCF's ``direct_spin0`` means singlets), ``backend`` ("auto",
    "reference", "openmp" or "cuda"), ``memory`` (bytes; 0: the free memory) and ``search`` ("auto",
    "none" or "full": the search for missed states).
    ``used_backend`` names the backend of the last solution.

    >>> from ci_solve.pyscf import FCISolver
    >>> from pyscf import fci, gto, scf
    >>> mf = scf.RHF(gto.M(atom="H 0 0 0; H 0 0 1; H 0 1 0; H 0 1 1.2", verbose=0)).run()
    >>> solver = fci.addons.fix_spin(FCISolver(mf.mol), ss=2)
    >>> h1e = mf.mo_coeff.T @ mf.get_hcore() @ mf.mo_coeff
    >>> eri = mf.mol.ao2mo(mf.mo_coeff)
    >>> energy, ci = solver.kernel(h1e, eri, 4, 4, ecore=mf.energy_nuc())
    >>> print(f"{energy:.6f}, <S^2> = {solver.spin_square(ci, 4, 4)[0]:.6f}")
    -1.916619, <S^2> = 2.000000
    """

    max_cycle = 10000  # of Lanczos, products
    max_space = 0
    conv_tol = 1e-10
    conv_tol_residual = None
    lindep = 1e-14
    level_shift = 1e-3
    davidson_only = False
    pspace_size = 400
    threads = None
    lessio = False
    total_spin = None
    even_spins = False
    backend = "auto"
    memory = 0
    search = "auto"
    heeds_symmetry = True  # of orbsym and wfnsym; else all irreps are searched

    _keys = {
        *("max_cycle", "max_space", "conv_tol", "conv_tol_residual", "lindep", "level_shift"),
        *("davidson_only", "pspace_size", "threads", "lessio", "total_spin", "backend", "memory"),
        *("even_spins", "heeds_symmetry", "search", "mol", "nroots", "spin", "orbsym", "wfnsym", "converged", "norb", "nelec"),
        *("eci", "ci", "used_backend"),
    }

    def __init__(self, mol: Any = None) -> None:
        super().__init__()
        self.stdout = lib.StreamObject.stdout if mol is None else mol.stdout
        self.verbose = logger.NOTE if mol is None else mol.verbose
        self.max_memory = lib.param.MAX_MEMORY if mol is None else mol.max_memory
        self.mol = mol
        self.nroots = 1
        self.spin: int | None = None
        self.orbsym: Any = None
        self.wfnsym: Any = None
        self.converged: Any = False
        self.used_backend: str | None = None
        self.norb: int | None = None
        self.nelec: Any = None
        self.eci: Any = None
        self.ci: Any = None

    @property
    def e_tot(self) -> Any:
        return self.eci

    @property
    def nstates(self) -> int:
        return self.nroots

    @nstates.setter
    def nstates(self, count: int) -> None:
        self.nroots = count

    def dump_flags(self, verbose: Any = None) -> FCISolver:
        log = logger.new_logger(self, verbose)
        log.info("******** %s ********", self.__class__)
        for name in ("max_cycle", "conv_tol", "nroots", "spin", "wfnsym", "total_spin", "backend"):
            log.info("%s = %s", name, getattr(self, name))
        group = getattr(self.mol, "groupname", None)
        if group is not None and isinstance(self.wfnsym, (int, np.integer)):
            try:
                symm.irrep_id2name(group, self.wfnsym)
            except KeyError:
                raise RuntimeError(f"wfnsym is {self.wfnsym}; expected an irrep of {group}") from None
        return self

    def kernel(
        self,
        h1e: Any,
        eri: Any,
        norb: int,
        nelec: Any,
        ci0: Any = None,
        tol: float | None = None,
        lindep: float | None = None,
        max_cycle: int | None = None,
        max_space: int | None = None,
        nroots: int | None = None,
        davidson_only: bool | None = None,
        pspace_size: int | None = None,
        orbsym: Any = None,
        wfnsym: Any = None,
        ecore: float = 0,
        **kwargs: Any,
    ) -> tuple[Any, Any]:
        """Energies and vectors of the lowest states; a number and one array if one state is wanted."""
        if self.verbose >= logger.WARN:
            self.check_sanity()
        self.norb = norb
        self.nelec = addons._unpack_nelec(nelec, self.spin)
        count = self.nroots if nroots is None else nroots
        if orbsym is not None:
            self.orbsym = orbsym
        require_real(*(h1e if isinstance(h1e, (tuple, list)) else [h1e]), ecore)
        if callable(ci0):
            ci0 = ci0()
        search = Search(self, h1e, eri, ci0, wfnsym, float(ecore))
        dense = {"davidson_only": davidson_only, "pspace_size": pspace_size}
        with lib.temporary_env(self, **{k: v for k, v in dense.items() if v is not None}):
            found = search.lowest(count, tol, max_cycle, max_space)
        several = count > 1
        self.converged = found.converged if several else found.converged[0]
        vectors = list(signed(found.vectors, ci0))
        self.eci = found.energies if several else found.energies[0]
        self.ci = vectors if several else vectors[0]
        return self.eci, self.ci

    def approx_kernel(
        self,
        h1e: Any,
        eri: Any,
        norb: int,
        nelec: Any,
        ci0: Any = None,
        tol: float | None = None,
        max_cycle: int = 4,
        nroots: int | None = None,
        orbsym: Any = None,
        wfnsym: Any = None,
        ecore: float = 0,
        **kwargs: Any,
    ) -> tuple[Any, Any]:
        """A few iterations from ``ci0``, for integrals that have changed a little.

        ``tol`` is at most ``conv_tol``, since only the iterations are limited. The results of ``kernel`` and its ``converged`` stay.
        """
        rest = {name: getattr(self, name) for name in ("converged", "eci", "ci")}
        given = (h1e, eri, norb, nelec, ci0)
        tol = self.conv_tol if tol is None else min(tol, self.conv_tol)
        with lib.temporary_env(self, search="none" if ci0 is not None else self.search, **rest):
            return FCISolver.kernel(
                self, *given, tol=tol, max_cycle=max_cycle, nroots=nroots, orbsym=orbsym,
                wfnsym=wfnsym, ecore=ecore,
            )  # fmt: skip

    def _settings(self) -> dict[str, Any]:
        prepare()
        return {
            "backend": self.backend,
            "threads": 0 if self.threads is None else self.threads,
            "memory": self.memory,
        }
