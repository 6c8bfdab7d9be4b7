#pragma once

namespace cisolve::io::hdf5 {

/// Disables HDF5's cleanup at process exit; to be called by a program before its first use of HDF5.
/// All files to be kept are closed by then; for a file that HDF5 could not close on a full disk,
/// the cleanup would retry and crash.
void skip_cleanup_at_exit() noexcept;

}  // namespace cisolve::io::hdf5
