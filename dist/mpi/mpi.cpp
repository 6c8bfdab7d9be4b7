#include "dist/mpi.hpp"

#include "dist/mpi/checked.hpp"
#include "dist/mpi/heartbeat.hpp"
#include "dist/mpi/mpi_ranks.hpp"

namespace cisolve::dist {
namespace {

int size_of(MPI_Comm ranks) {
  int size = 0;
  checked(MPI_Comm_size(ranks, &size), "MPI_Comm_size");
  return size;
}

int rank_in(MPI_Comm ranks) {
  int rank = 0;
  checked(MPI_Comm_rank(ranks, &rank), "MPI_Comm_rank");
  return rank;
}

/// Calls what(communicator of this node).
template <class What>
int of_node(What what) {
  MPI_Comm node = MPI_COMM_NULL;
  checked(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
          "MPI_Comm_split_type");
  const int found = what(node);
  checked(MPI_Comm_free(&node), "MPI_Comm_free");
  return found;
}

}  // namespace

bool has_mpi() { return true; }

// A single thread calls MPI.
Mpi::Mpi() {
  int provided = 0;
  checked(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  checked(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  if (provided < MPI_THREAD_FUNNELED)
    base::fail(base::ErrorKind::resources, library(), " does not support threads; expected at ",
               "least MPI_THREAD_FUNNELED");
}

Mpi::~Mpi() { MPI_Finalize(); }

std::string Mpi::library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  checked(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  const std::string_view all(text, length);
  return std::string(all.substr(0, all.find_first_of(",\n\r")));
}

int Mpi::size() const { return size_of(MPI_COMM_WORLD); }

int Mpi::on_node() const { return of_node(size_of); }

int Mpi::place_on_node() const { return of_node(rank_in); }

std::unique_ptr<LivenessMonitor> Mpi::watch(const OnRankLost& lost) const {
  return Heartbeat::begin(lost);
}

std::unique_ptr<base::Communicator> Mpi::ranks(base::Index piece) const {
  return std::make_unique<MpiRanks>(piece);
}

}  // namespace cisolve::dist
