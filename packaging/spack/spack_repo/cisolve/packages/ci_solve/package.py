# Spack 1.0 or later, from a clone:
#   spack repo add packaging/spack/spack_repo/cisolve
#   spack install ci-solve +mpi
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class CiSolve(CMakePackage, CudaPackage):
    """The lowest eigenstates of configuration-interaction Hamiltonians, from integrals, lattice
    models or sparse matrices, verified through a second operator."""

    git = pathlib.Path(__file__).resolve().parents[6].as_uri()  # the clone that holds this file
    homepage = git

    license("Apache-2.0")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("mpi", default=True, description="Jobs on many ranks")
    variant("shared", default=True, description="Shared libraries")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("boost")
    depends_on("cli11", type="build")
    depends_on("eigen@3.4:", type="build")
    depends_on("hdf5")
    depends_on("nlohmann-json", type="build")
    depends_on("openssl")
    depends_on("spdlog")
    depends_on("yaml-cpp")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@13:", when="+cuda")
    depends_on("nccl", when="+mpi+cuda")

    conflicts("%gcc@:11", msg="ci-solve is written in C++20: GCC 12 or later")
    conflicts("cuda_arch=none", when="+cuda", msg="choose cuda_arch, such as 90")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("CISOLVE_MPI", "mpi"),
            self.define_from_variant("CISOLVE_CUDA", "cuda"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("CISOLVE_PYTHON", "off"),
            self.define("CISOLVE_TESTS", self.run_tests),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args

    def test_version(self):
        """The program starts."""
        ci_solve = which(self.prefix.bin.join("ci-solve"))
        assert "0.1" in ci_solve("--version", output=str)
