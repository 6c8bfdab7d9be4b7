#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/random.hpp"
#include "solver/task/checkpoint.hpp"
#include "solver/task/options.hpp"
#include "solver/vectors/problem.hpp"

namespace cisolve::solver {

/// Hash of a rank's inputs.
class Fingerprint {
 public:
  template <class... Values>
  void take(Values... values) {
    (take_bits(values), ...);
  }

  template <class Values>
  void take_all(const Values& values) {
    take(values.size());
    for (const auto value : values) take(value);
  }

  double value() const { return base::unit_interval(key_); }

 private:
  template <class Value>
  void take_bits(Value value) {
    if constexpr (std::is_same_v<Value, double>)
      key_ = base::mix(key_, std::bit_cast<std::uint64_t>(value));
    else
      key_ = base::mix(key_, static_cast<std::uint64_t>(value));
  }

  std::uint64_t key_ = 0;
};

/// Throws ErrorKind::usage on all ranks if their fingerprints differ.
void require_same(const Problem& problem, const Fingerprint& print, std::string_view what);

/// Calls require_same() for options, the rows of the model space, and the number and counters of
/// start vectors.
void require_same_inputs(const Problem& problem, const Options& options, const Checkpoint* start);

}  // namespace cisolve::solver
