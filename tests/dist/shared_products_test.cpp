#include "tests/support/shared_product_cases.hpp"
