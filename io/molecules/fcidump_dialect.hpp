#pragma once

#include <optional>
#include <string_view>

#include "io/molecules/fcidump_header.hpp"
#include "io/molecules/fcidump_lines.hpp"
#include "io/molecules/integral_store.hpp"

namespace cisolve::io {

enum class FcidumpDialect { restricted, headerless, spin_blocks, interleaved, alpha_then_beta };

std::string_view name_of(FcidumpDialect dialect);

/// Summary of the lines of a body.
struct FcidumpSurvey {
  int largest_index = 0;
  const char* above_at = nullptr;    // the first line with an index above `norb`
  Index lines_without_orbitals = 0;  // lines with four zero indices
  Index lines = 0;
};
FcidumpSurvey survey_body(std::string_view body, ValueColumn column, int largest_accepted,
                          Index norb);

/// Dialect and number of spatial orbitals.
struct FcidumpShape {
  FcidumpDialect dialect;
  int orbitals;
  /// The largest index of a line.
  int largest_index() const;
  bool spin_dependent() const {
    return dialect != FcidumpDialect::restricted && dialect != FcidumpDialect::headerless;
  }
};

/// Dialect of a file whose header declares spin-dependent integrals. Throws TextProblem if the body
/// contradicts the header.
FcidumpShape spin_dependent_shape(const FcidumpHeader& header, std::string_view body);

/// The integrals and core energies of a body in the order of its lines. Skips orbital energies,
/// lines that close blocks, and zeros forbidden by spin. Throws TextProblem.
class FcidumpElements {
 public:
  FcidumpElements(const char* begin, const char* end, ValueColumn column, const FcidumpShape& shape)
      : lines_(begin, end, column, shape.largest_index()), shape_(shape) {}

  /// False at the end. `element` is undefined if line.kind is FcidumpKind::core.
  bool next(FcidumpLine& line, NamedIntegral& element);

  /// Number of closed blocks of the spin_blocks dialect, 0 to 6.
  int closed_blocks() const { return block_; }

 private:
  bool closes_block(const FcidumpLine& line);

  FcidumpLines lines_;
  FcidumpShape shape_;
  int block_ = 0;
  bool has_core_ = false;  // whether a core energy was read (spin_blocks dialect)
};

}  // namespace cisolve::io
