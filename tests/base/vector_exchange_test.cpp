#include "tests/support/vector_exchange_cases.hpp"

#include "tests/support/thread_runner.hpp"
