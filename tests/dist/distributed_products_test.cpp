#include "tests/support/distributed_product_cases.hpp"

#include "tests/support/distributed_parity_cases.hpp"
