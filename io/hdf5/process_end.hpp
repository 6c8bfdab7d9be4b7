#pragma once

namespace cisolve::io::hdf5 {

/// For a program, before its first use of HDF5: at the end of the process HDF5 then touches
/// nothing. Whatever is to stay has been closed by then, and of a file that it could not close, on
/// a disk that is full, it would try to write the rest and crash.
void leave_process_end_alone() noexcept;

}  // namespace cisolve::io::hdf5
