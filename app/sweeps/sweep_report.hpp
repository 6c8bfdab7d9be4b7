#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "app/json/json.hpp"
#include "app/sweeps/sweep_points.hpp"

// Results of a sweep, as text and as JSON.
namespace cisolve::app {

/// One line per point, with the reason if it failed.
void write_sweep_table(std::ostream& out, const Configuration& configuration,
                       std::span<const SweepPoint> points);

/// "3, 6: reason": the points that failed, by reason.
std::vector<std::string> failures(std::span<const SweepPoint> points);

/// Compares each automatic BOUNDARY with the best one of the sweep.
void write_automatic_choices(std::ostream& out, std::span<const SweepPoint> points,
                             std::span<const AutomaticChoice> choices);

/// The points as comma-separated values (RFC 4180).
std::string sweep_csv(const Configuration& configuration, std::span<const SweepPoint> points);

/// Fraction of the stored positions that hold no element.
double padding_fraction(const sparse::MemoryUse& memory, Index nonzeros);

Json axes_record(const Configuration& configuration);
Json points_record(const Configuration& configuration, std::span<const SweepPoint> points);
Json choices_record(std::span<const SweepPoint> points, std::span<const AutomaticChoice> choices);

}  // namespace cisolve::app
