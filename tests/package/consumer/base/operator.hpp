#pragma once

// A header of the user's own.
namespace own {

struct Operator {
  int value = 42;
};

}  // namespace own
