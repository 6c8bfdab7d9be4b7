#include "io/hdf5/process_end.hpp"

#include <hdf5.h>

namespace cisolve::io::hdf5 {

// Fails if HDF5 is already initialised; then the default behaviour remains.
void leave_process_end_alone() noexcept { static_cast<void>(H5dont_atexit()); }

}  // namespace cisolve::io::hdf5
