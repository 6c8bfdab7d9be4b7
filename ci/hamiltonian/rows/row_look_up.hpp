#pragma once

#include "base/host_device.hpp"
#include "ci/hamiltonian/rows/row_tables.hpp"

// Look-ups for one row of the Hamiltonian by a group of threads: a warp, or a single host thread.
namespace cisolve::ci {

/// A group of a single thread.
struct SingleThread {
  static constexpr int size = 1;
  static constexpr int lane() { return 0; }
  /// Bit set of the lanes with a true `value`.
  static constexpr unsigned ballot(bool value) { return value ? 1U : 0U; }
  static constexpr int count(unsigned lanes) { return static_cast<int>(lanes); }
  /// Number of these lanes before this one.
  static constexpr int before(unsigned /*lanes*/) { return 0; }
  /// The value of lane `from`.
  template <class T>
  static constexpr T broadcast(const T& value, int /*from*/) {
    return value;
  }
  /// Inclusive prefix sum.
  static constexpr int sum_through(int value) { return value; }
  /// The first lane whose inclusive prefix sum exceeds k, if any; each lane has its own k.
  /// `prefix_sum` is this lane's sum_through().
  static constexpr int owner(int /*prefix_sum*/, int /*k*/) { return 0; }
};

/// Looks up what the tables hold for one determinant.
class RowLookUp {
 public:
  CISOLVE_HOST_DEVICE RowLookUp(const RowTablesView& tables, Index stored_row) : t_(tables) {
    const Index row = t_.canonical == nullptr ? stored_row : Index{t_.canonical[stored_row]};
    if (t_.has_all_betas) {
      const auto betas = static_cast<std::uint32_t>(t_.betas);
      alpha_ = static_cast<std::uint32_t>(row) / betas;
      beta_ = static_cast<std::uint32_t>(row) % betas;
      return;
    }
    Index low = 0;
    for (Index high = t_.alphas; high - low > 1;) {
      const Index middle = (low + high) / 2;
      (t_.first_row[middle] <= row ? low : high) = middle;
    }
    alpha_ = low;
    beta_ = t_.members[t_.list_offsets[t_.list_of[low]] + row - t_.first_row[low]];
  }

  CISOLVE_HOST_DEVICE RowLookUp(const RowTablesView& tables, Index alpha, Index beta)
      : t_(tables), alpha_(alpha), beta_(beta) {}

  CISOLVE_HOST_DEVICE Index alpha() const { return alpha_; }
  CISOLVE_HOST_DEVICE Index beta() const { return beta_; }

  /// Position of a beta string in a list; -1 if absent.
  CISOLVE_HOST_DEVICE Column position(Index list, Index beta) const {
    if (t_.has_all_betas) return static_cast<Column>(beta);
    if (t_.positions != nullptr) return t_.positions[list * t_.betas + beta];
    const Index begin = t_.list_offsets[list];
    const Index end = t_.list_offsets[list + 1];
    Index first = begin;
    for (Index last = end; first < last;) {
      const Index middle = (first + last) / 2;
      if (t_.members[middle] < beta)
        first = middle + 1;
      else
        last = middle;
    }
    return first < end && t_.members[first] == beta ? static_cast<Column>(first - begin) : -1;
  }

  CISOLVE_HOST_DEVICE double diagonal() const {
    double value = t_.core_energy + t_.alpha_energy[alpha_] + t_.beta_energy[beta_];
    const std::uint8_t* p = occupied(0, alpha_);
    const std::uint8_t* q = occupied(1, beta_);
    for (int i = 0; i < t_.electrons[0]; ++i) {
      const double* row = t_.coulomb + Index{p[i]} * t_.orbitals;
      for (int j = 0; j < t_.electrons[1]; ++j) value += row[q[j]];
    }
    return value;
  }

  /// Element of a single: same-spin part + sum_k (pq|kk) over the electrons k of the other spin.
  CISOLVE_HOST_DEVICE double alpha_single(const Connection& single) const {
    return with_others(single, t_.on_alpha, 1, beta_);
  }
  CISOLVE_HOST_DEVICE double beta_single(const Connection& single) const {
    return with_others(single, t_.on_beta, 0, alpha_);
  }

  CISOLVE_HOST_DEVICE bool keeps(double value) const {
    return value > t_.threshold || value < -t_.threshold;
  }

 private:
  CISOLVE_HOST_DEVICE const std::uint8_t* occupied(int spin, Index string) const {
    return t_.occupied[spin] + string * t_.electrons[spin];
  }

  CISOLVE_HOST_DEVICE double with_others(const Connection& single, const double* table, int other,
                                         Index string) const {
    const double* row = table + single.pair().pair() * t_.orbitals;
    const std::uint8_t* k = occupied(other, string);
    double value = single.value;
    for (int i = 0; i < t_.electrons[other]; ++i) value += row[k[i]];
    return single.pair().sign() * value;
  }

  const RowTablesView t_;
  Index alpha_;
  Index beta_;
};

}  // namespace cisolve::ci
