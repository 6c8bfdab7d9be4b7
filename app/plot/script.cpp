#include "app/plot/script.hpp"

#include <array>
#include <cmath>

#include "base/number.hpp"

namespace cisolve::app {

std::string gnuplot_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '`' || c == '"')
      result += '\'';  // gnuplot would execute text between backticks
    else if (c == '\\')
      result += '/';
    else if (byte >= 0x20 && byte != 0x7F)
      result += c;
  }
  return result + '"';
}

std::string cell(double value) { return std::isfinite(value) ? base::shortest(value) : "?"; }

void DataBlock::add(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) lines_ += (i == 0 ? "" : " ") + cells[i];
  lines_ += '\n';
}

std::vector<Unit> time_units() { return {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}; }

std::vector<Unit> byte_units() {
  return {{"bytes", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};
}

Unit fitting_unit(const std::vector<Unit>& units, double value) {
  Unit fitting = units.front();
  for (const Unit& unit : units)
    if (unit.size <= value) fitting = unit;
  return fitting;
}

std::string colour(std::size_t curve) {
  constexpr std::array<const char*, kMostCurves> colours{
      "'#0072B2'", "'#D55E00'", "'#009E73'", "'#CC79A7'", "'#E69F00'", "'#56B4E9'", "'#222222'"};
  return colours[curve % kMostCurves];
}

std::string common_style() {
  return "set encoding utf8\n"
         "set datafile missing '?'\n"
         "set border 3 lc rgb '#444444'\n"
         "set tics nomirror\n"
         "set grid ytics lt 1 lc rgb '#DDDDDD' lw 1\n"
         "set key above center horizontal noenhanced samplen 2\n"
         "set style fill solid 0.9 noborder\n"
         "set bars 0.5\n";
}

std::string logarithmic(const char* axis) {
  return std::string("set logscale ") + axis + "\nset format " + axis + " '10^{%T}'\n";
}

}  // namespace cisolve::app
