#include "io/hdf5/exit_cleanup.hpp"

#include <hdf5.h>

namespace cisolve::io::hdf5 {

// Fails if HDF5 is already initialised; then the default behaviour remains.
void skip_cleanup_at_exit() noexcept { static_cast<void>(H5dont_atexit()); }

}  // namespace cisolve::io::hdf5
