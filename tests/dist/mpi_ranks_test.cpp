#include "tests/support/agreement_cases.hpp"

// The ranks of MPI pass the cases that all kinds of ranks have to pass.
