"""Methods of PySCF's FCI solvers other than kernel: products, densities, spins."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyscf import lib
from pyscf.fci import addons, direct_spin1, direct_spin1_symm, direct_uhf, rdm, spin_op

from .. import _core
from . import _densities, _nevpt
from ._densities import one_particle, two_particle, unordered
from ._integrals import KeptOperator, Packed, is_unrestricted, require_real
from ._symmetry import guess_wfnsym, labels_of


class Methods(lib.StreamObject):
    """Of a solver whose vectors are arrays (alpha strings, beta strings).

    ``link_index`` is heard and not needed. What speed does not depend on is PySCF's own.
    """

    mol: Any
    spin: int | None
    orbsym: Any
    wfnsym: Any

    def __init__(self) -> None:
        self._products = KeptOperator()

    def _electrons(self, nelec: Any) -> tuple[int, int]:
        alpha, beta = addons._unpack_nelec(nelec, self.spin)
        return int(alpha), int(beta)

    def _settings(self) -> dict[str, Any]:
        return {}

    # Hamiltonians

    def absorb_h1e(self, h1e: Any, eri: Any, norb: int, nelec: Any, fac: float = 1) -> Any:
        nelec = self._electrons(nelec)
        if is_unrestricted(h1e):
            return direct_uhf.absorb_h1e(h1e, eri, norb, nelec, fac)
        return direct_spin1.absorb_h1e(h1e, eri, norb, nelec, fac)

    def contract_1e(
        self, f1e: Any, fcivec: Any, norb: int, nelec: Any, link_index: Any = None, **_: Any
    ) -> Any:
        module = direct_uhf if is_unrestricted(f1e) else direct_spin1
        return module.contract_1e(f1e, fcivec, norb, self._electrons(nelec))

    def contract_2e(
        self, eri: Any, fcivec: Any, norb: int, nelec: Any, link_index: Any = None, **_: Any
    ) -> Any:
        """sum eri_pqrs E_pq E_rs |fcivec>, with eri from absorb_h1e."""
        nelec = self._electrons(nelec)
        if np.iscomplexobj(fcivec):
            real, imaginary = (
                self.contract_2e(eri, np.ascontiguousarray(part), norb, nelec)
                for part in (fcivec.real, fcivec.imag)
            )
            return real + 1j * imaginary
        require_real(*(eri if isinstance(eri, (tuple, list)) else [eri]))
        operator = self._products.of(eri, norb, nelec, **self._settings())
        if operator is None:
            module = direct_uhf if isinstance(eri, (tuple, list)) else direct_spin1
            return np.asarray(module.contract_2e(eri, fcivec, norb, nelec))
        vector = _densities.vector_of(fcivec, operator.shape)
        return operator.contract(vector).reshape(np.shape(fcivec))

    def make_hdiag(self, h1e: Any, eri: Any, norb: int, nelec: Any, compress: bool = False) -> Any:
        require_real(*(h1e if is_unrestricted(h1e) else [h1e]))
        integrals = Packed(h1e, eri, norb).core_integrals(self._electrons(nelec))
        return _core.FullCI(integrals, **self._settings()).diagonal().ravel()

    def pspace(
        self, h1e: Any, eri: Any, norb: int, nelec: Any, hdiag: Any = None, np: int = 400
    ) -> Any:
        """Addresses of the lowest diagonal elements, and H over them."""
        module = direct_uhf if is_unrestricted(h1e) else direct_spin1
        nelec = self._electrons(nelec)
        if hdiag is None:
            hdiag = self.make_hdiag(h1e, eri, norb, nelec)
        return module.pspace(h1e, eri, norb, nelec, hdiag, np)

    def get_init_guess(
        self, norb: int, nelec: Any, nroots: int, hdiag: Any, orbsym: Any = None, wfnsym: Any = None
    ) -> Any:
        """Determinants of low energy, of the irrep if one is set."""
        nelec = self._electrons(nelec)
        orbsym = self.orbsym if orbsym is None else orbsym
        labels = labels_of(orbsym, norb)
        if labels is None:
            return direct_spin1.get_init_guess(norb, nelec, nroots, hdiag)
        irrep = guess_wfnsym(
            self, norb, nelec, None, orbsym, self.wfnsym if wfnsym is None else wfnsym
        )
        return direct_spin1_symm.get_init_guess(norb, nelec, nroots, hdiag, labels, irrep % 10)

    def energy(
        self, h1e: Any, eri: Any, fcivec: Any, norb: int, nelec: Any, link_index: Any = None
    ) -> float:
        absorbed = self.absorb_h1e(h1e, eri, norb, nelec, 0.5)
        image = self.contract_2e(absorbed, fcivec, norb, nelec)
        return float(np.dot(np.ravel(fcivec), np.ravel(image)))

    def gen_linkstr(self, norb: int, nelec: Any, tril: bool = True, spin: int | None = None) -> Any:
        spin = self.spin if spin is None else spin
        return direct_spin1.FCIBase.gen_linkstr(self, norb, nelec, tril, spin)

    # Density matrices

    def make_rdm1s(self, fcivec: Any, norb: int, nelec: Any, link_index: Any = None) -> Any:
        return one_particle(fcivec, fcivec, norb, self._electrons(nelec))

    def make_rdm1(self, fcivec: Any, norb: int, nelec: Any, link_index: Any = None) -> Any:
        alpha, beta = one_particle(fcivec, fcivec, norb, self._electrons(nelec))
        return alpha + beta

    def make_rdm12s(
        self, fcivec: Any, norb: int, nelec: Any, link_index: Any = None, reorder: bool = True
    ) -> Any:
        ones, (same, mixed, _, other) = Methods.trans_rdm12s(
            self, fcivec, fcivec, norb, nelec, None, reorder
        )
        return ones, (same, mixed, other)

    def make_rdm12(
        self, fcivec: Any, norb: int, nelec: Any, link_index: Any = None, reorder: bool = True
    ) -> Any:
        return Methods.trans_rdm12(self, fcivec, fcivec, norb, nelec, None, reorder)

    def make_rdm2(
        self, fcivec: Any, norb: int, nelec: Any, link_index: Any = None, reorder: bool = True
    ) -> Any:
        return self.make_rdm12(fcivec, norb, nelec, link_index, reorder)[1]

    def trans_rdm1s(
        self, cibra: Any, ciket: Any, norb: int, nelec: Any, link_index: Any = None
    ) -> Any:
        return one_particle(cibra, ciket, norb, self._electrons(nelec))

    def trans_rdm1(
        self, cibra: Any, ciket: Any, norb: int, nelec: Any, link_index: Any = None
    ) -> Any:
        alpha, beta = one_particle(cibra, ciket, norb, self._electrons(nelec))
        return alpha + beta

    def trans_rdm12s(
        self,
        cibra: Any,
        ciket: Any,
        norb: int,
        nelec: Any,
        link_index: Any = None,
        reorder: bool = True,
    ) -> Any:
        given = (cibra, ciket, norb, self._electrons(nelec))
        alpha, beta = one_particle(*given)
        same, mixed, other = two_particle(*given)
        if not reorder:
            same, other = unordered(alpha, same), unordered(beta, other)
        return (alpha, beta), (same, mixed, mixed.transpose(2, 3, 0, 1), other)

    def trans_rdm12(
        self,
        cibra: Any,
        ciket: Any,
        norb: int,
        nelec: Any,
        link_index: Any = None,
        reorder: bool = True,
    ) -> Any:
        (alpha, beta), parts = Methods.trans_rdm12s(
            self, cibra, ciket, norb, nelec, None, reorder
        )
        return alpha + beta, sum(parts)

    def make_rdm123(
        self, fcivec: Any, norb: int, nelec: Any, link_index: Any = None, reorder: bool = True
    ) -> Any:
        """Densities of one, two and three particles, summed over spins."""
        found = self._make_dm123(fcivec, norb, nelec, link_index)
        return rdm.reorder_dm123(*found, inplace=True) if reorder else found

    # NEVPT2, by the interface that PySCF has for solvers with densities of their own

    def _make_dm123(self, ci: Any, norb: int, nelec: Any, link_index: Any = None) -> Any:
        return _nevpt.three_particle(ci, norb, self._electrons(nelec), self._settings())

    def nevpt_intermediate(self, name: str, norb: int, nelec: Any, ci: Any, **_: Any) -> Any:
        """A16 or A22 of strongly contracted NEVPT2, called by PySCF's own functions alone."""
        return _nevpt.intermediate(name, ci, norb, self._electrons(nelec), self._settings())

    # Spins and symmetry

    def contract_ss(self, fcivec: Any, norb: int, nelec: Any) -> Any:
        return _densities.spin_squared(fcivec, norb, self._electrons(nelec))

    def spin_square(
        self, fcivec: Any, norb: int, nelec: Any, mo_coeff: Any = None, ovlp: Any = 1, **_: Any
    ) -> tuple[float, float]:
        """<S^2> and the multiplicity; of alpha and beta orbitals that differ with `mo_coeff`."""
        nelec = self._electrons(nelec)
        if mo_coeff is not None or not (np.isscalar(ovlp) and ovlp == 1):
            squared: tuple[float, float] = spin_op.spin_square(
                fcivec, norb, nelec, mo_coeff, ovlp, fcisolver=self
            )
            return squared
        image = _densities.spin_squared(fcivec, norb, nelec)
        return _densities.with_spin(float(np.vdot(np.ravel(fcivec), image)))

    def guess_wfnsym(
        self,
        norb: int,
        nelec: Any,
        fcivec: Any = None,
        orbsym: Any = None,
        wfnsym: Any = None,
        **kwargs: Any,
    ) -> Any:
        return guess_wfnsym(self, norb, nelec, fcivec, orbsym, wfnsym, **kwargs)

    # PySCF's own

    large_ci = direct_spin1.FCIBase.large_ci
    transform_ci_for_orbital_rotation = direct_spin1.FCISolver.transform_ci_for_orbital_rotation
    make_rdm123s = direct_spin1.FCIBase.make_rdm123s
    make_rdm1234 = direct_spin1.FCIBase.make_rdm1234
    make_rdm1234s = direct_spin1.FCIBase.make_rdm1234s
