"""Full CI as an FCI solver of PySCF, for CASCI, CASSCF and methods based on them.

>>> from pyscf import gto, mcscf, scf
>>> from ci_solve.pyscf import FCISolver
>>> mol = gto.M(atom="N 0 0 0; N 0 0 1.1", basis="sto-3g", verbose=0)
>>> mc = mcscf.CASSCF(scf.RHF(mol).run(), 6, 6)
>>> mc.fcisolver = FCISolver(mol)
>>> print(f"{mc.run().e_tot:.6f}")
-107.638233
"""

from ._problems import from_casscf, from_chkfile, from_scf
from ._solver import FCISolver

__all__ = ["FCISolver", "from_casscf", "from_chkfile", "from_scf"]
