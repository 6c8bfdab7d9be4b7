#pragma once

#include "job/request/choice.hpp"
#include "solver/task/options.hpp"
#include "sparse/formats/options.hpp"

// What a request chooses from, with the words for it.
namespace cisolve::job {

template <>
struct Words<solver::Method> {
  static constexpr std::array<std::string_view, 4> all = {"auto", "davidson", "lanczos", "dense"};
};

template <>
struct Words<solver::SearchEffort> {
  static constexpr std::array<std::string_view, 3> all = {"auto", "none", "full"};
};

template <>
struct Words<solver::StartKind> {
  static constexpr std::array<std::string_view, 3> all = {"auto", "model", "random"};
};

template <>
struct Words<solver::Keeping> {
  static constexpr std::array<std::string_view, 2> all = {"full", "staged"};
};

template <>
struct Words<sparse::BoundaryPolicy> {
  static constexpr std::array<std::string_view, 2> all = {"count", "column"};
};

/// How much of the states' products is taken a second time.
enum class Verification { automatic, whole, sample };

template <>
struct Words<Verification> {
  static constexpr std::array<std::string_view, 3> all = {"auto", "whole", "sample"};
};

/// Density matrices of states: up to those of two particles.
enum class Densities { automatic, none, one, two };

template <>
struct Words<Densities> {
  static constexpr std::array<std::string_view, 4> all = {"auto", "none", "one", "two"};
};

/// Correlations between the sites of a lattice.
enum class Correlations { automatic, none, all };

template <>
struct Words<Correlations> {
  static constexpr std::array<std::string_view, 3> all = {"auto", "none", "all"};
};

}  // namespace cisolve::job
