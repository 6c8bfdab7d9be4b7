#include "tests/support/shared_matrix_cases.hpp"

#include "tests/support/thread_runner.hpp"
