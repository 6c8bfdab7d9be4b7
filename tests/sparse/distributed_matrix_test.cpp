#include "tests/support/distributed_matrix_cases.hpp"

#include "tests/support/thread_runner.hpp"
