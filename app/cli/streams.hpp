#pragma once

#include <string_view>

// Standard streams that may be closed, or pipes without a reader.
namespace cisolve::app {

/// Whether a name denotes standard output, such as "-".
bool is_standard_output(std::string_view name);

/// Opens /dev/null for each closed standard stream, so that no output file takes its descriptor,
/// and makes writing to a pipe without a reader fail instead of ending the program.
void prepare_streams();

/// Flushes stdout. A pipe whose reader has closed is no error; throws ErrorKind::cannot_write for
/// any other failure, such as a full disk.
void finish_output();

}  // namespace cisolve::app
