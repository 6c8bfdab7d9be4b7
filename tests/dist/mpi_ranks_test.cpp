#include "tests/support/collective_error_cases.hpp"

// MPI ranks pass the cases of all communicators.
