#include "tests/support/distributed_matrix_cases.hpp"
