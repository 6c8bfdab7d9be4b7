#include "tests/support/agreement_cases.hpp"

// MPI ranks pass the cases of all communicators.
