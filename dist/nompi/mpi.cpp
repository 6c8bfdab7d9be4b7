#include "dist/mpi.hpp"

// Stub for builds without MPI.
namespace cisolve::dist {

bool has_mpi() { return false; }

Mpi::Mpi() {
  base::fail(base::ErrorKind::backend,
             "this build has no MPI; install an MPI library such as libopenmpi-dev and configure "
             "with -DCISOLVE_MPI=ON");
}
Mpi::~Mpi() = default;

std::string Mpi::library() { return {}; }
int Mpi::size() const { return 1; }
int Mpi::on_node() const { return 1; }
int Mpi::place_on_node() const { return 0; }
std::unique_ptr<LivenessMonitor> Mpi::watch(const OnRankLost& /*lost*/) const { return nullptr; }
std::unique_ptr<base::Communicator> Mpi::ranks(base::Index /*piece*/) const {
  return std::make_unique<base::OneProcess>();
}

}  // namespace cisolve::dist
