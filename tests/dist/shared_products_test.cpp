#include "tests/support/shared_product_cases.hpp"

#include "tests/support/shared_halves_cases.hpp"
