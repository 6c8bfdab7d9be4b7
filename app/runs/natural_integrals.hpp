#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/config/configuration.hpp"
#include "job/run/outcome.hpp"

namespace cisolve::app {

inline constexpr const char* kNaturalFcidump = "natural.fcidump";
inline constexpr const char* kNaturalOperators = "natural.operators.h5";

/// Files for write_over_natural_orbitals().
struct NaturalFiles {
  std::filesystem::path fcidump;
  std::filesystem::path operators;  // written if the problem has any
};

/// Writes the integrals over the natural orbitals of a state (from 0), or of the mean density of
/// all states, and the operators beside them. Returns why nothing was written; empty if it was.
/// Throws ErrorKind::resources and ErrorKind::cannot_write.
std::string write_over_natural_orbitals(const job::Outcome& found, std::optional<std::size_t> state,
                                        const NaturalFiles& files, bool overwrite);

/// Writes the integrals over natural orbitals as output.natural_fcidump asks for, and the problem's
/// operators beside them. Returns a sentence on what was written, or why nothing was; empty if
/// nothing was asked for. Throws ErrorKind::resources and ErrorKind::cannot_write.
std::string write_natural_integrals(const Configuration& configuration, const job::Outcome& found,
                                    bool overwrite);

}  // namespace cisolve::app
