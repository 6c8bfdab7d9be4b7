#include "app/report/progress.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include "base/number.hpp"

namespace cisolve::app {
namespace {

constexpr std::size_t kEnergiesShown = 3;  // energies on a line
constexpr std::size_t kNarrow = 10;
constexpr std::size_t kWide = 17;

std::string to_the_right(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 1, ' ') + text;
}

/// Number of lowest energies on a line. If there are more states, one column is left for the state
/// that converges last.
std::size_t energies_shown(std::size_t states) {
  return states > kEnergiesShown ? kEnergiesShown - 1 : states;
}

}  // namespace

void ProgressTable::write_header(std::size_t energies) {
  out_ << to_the_right("iteration", kNarrow) << to_the_right("products", kNarrow);
  for (std::size_t j = 0; j < energies_shown(energies); ++j)
    out_ << to_the_right("energy " + std::to_string(j + 1), kWide);
  if (energies > 1) out_ << to_the_right("slowest", kNarrow);
  if (energies > kEnergiesShown) out_ << to_the_right("its energy", kWide);
  for (const char* name : {"change", "residual", "time", "GB/s"})
    out_ << to_the_right(name, kNarrow);
  out_ << '\n';
}

double ProgressTable::largest_change(const solver::Progress& progress) const {
  double largest = 0;
  for (std::size_t j = 0; j < std::min(last_.size(), progress.energies.size()); ++j)
    largest = std::max(largest, std::abs(progress.energies[j] - last_[j]));
  return largest;
}

bool ProgressTable::report(const solver::Progress& progress) {
  if (!begun_) write_header(progress.energies.size());
  if (progress.searching && !searching_)
    out_ << (progress.comparing ? "  comparing with the states of the other parity\n"
                                : "  searching for missed states\n");
  if (progress.searching && searching_ && since_line_.seconds() < 1) return true;
  searching_ = progress.searching;
  since_line_ = base::Stopwatch();
  out_ << to_the_right(std::to_string(progress.iteration), kNarrow)
       << to_the_right(std::to_string(progress.products), kNarrow);
  const std::size_t states = progress.energies.size();
  for (const double energy : progress.energies.first(energies_shown(states)))
    out_ << to_the_right(base::fixed(energy, 10), kWide);
  const auto slowest = std::ranges::max_element(progress.residuals);
  const bool known = slowest != progress.residuals.end();
  const double residual = known ? *slowest : 0;
  const auto place = static_cast<std::size_t>(slowest - progress.residuals.begin());
  if (states > 1) out_ << to_the_right(known ? std::to_string(place + 1) : "-", kNarrow);
  if (states > kEnergiesShown)
    out_ << to_the_right(place < states ? base::fixed(progress.energies[place], 10) : "-", kWide);
  out_ << to_the_right(begun_ ? base::scientific(largest_change(progress), 1) : "", kNarrow)
       << to_the_right(base::scientific(residual, 1), kNarrow)
       << to_the_right(base::fixed(progress.seconds, 1) + " s", kNarrow)
       << to_the_right(base::fixed(1e-9 * progress.bytes_per_second, 1), kNarrow) << '\n'
       << std::flush;
  last_.assign(progress.energies.begin(), progress.energies.end());
  begun_ = true;
  return true;
}

}  // namespace cisolve::app
