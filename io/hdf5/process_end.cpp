#include "io/hdf5/process_end.hpp"

#include <hdf5.h>

namespace cisolve::io::hdf5 {

// It fails where HDF5 is in use already; then all is as it would be without.
void leave_process_end_alone() noexcept { static_cast<void>(H5dont_atexit()); }

}  // namespace cisolve::io::hdf5
