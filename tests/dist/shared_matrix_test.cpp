#include "tests/support/shared_matrix_cases.hpp"
