#include "app/plot/pattern_figure.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/number.hpp"

namespace cisolve::app {
namespace {

using base::Column;
using base::concat;
using base::Index;

constexpr Index kMostCells = 256;   // along each side
constexpr Index kMostPieces = 512;  // most pieces of rows that are read

/// Fraction of the positions of each cell that hold an element, row by row of the picture.
struct CellDensities {
  Index rows = 0;
  Index columns = 0;
  std::vector<double> fractions;
};

// First position of a cell; the last cell ends at `size`.
Index begin_of(Index cell, Index cells, Index size) { return cell * size / cells; }

// The cell of a position; inverse of begin_of().
Index cell_of(Index place, Index cells, Index size) { return ((place + 1) * cells - 1) / size; }

/// Counts elements per cell; rows are read in pieces of the source's grain.
class Sampler {
 public:
  explicit Sampler(const sparse::RowSource& rows) : rows_(rows), shape_(rows.shape()) {
    found_.rows = std::min(shape_.rows, kMostCells);
    found_.columns = std::min(shape_.columns, kMostCells);
    found_.fractions.assign(static_cast<std::size_t>(found_.rows * found_.columns), 0);
    seen_.assign(static_cast<std::size_t>(found_.rows), 0);
  }

  CellDensities sample() {
    const Index grain = rows_.grain();
    const Index pieces = (shape_.rows + grain - 1) / grain;
    const Index looked_at = std::min(pieces, kMostPieces);
    for (Index k = 0; k < looked_at; ++k) {
      const Index first = k * pieces / looked_at * grain;
      add(first, std::min(first + grain, shape_.rows));
    }
    divide();
    return std::move(found_);
  }

 private:
  void add(Index first, Index last) {
    lengths_.resize(static_cast<std::size_t>(last - first));
    rows_.count(first, lengths_);
    std::size_t elements = 0;
    for (const Column length : lengths_) elements += static_cast<std::size_t>(length);
    columns_.resize(elements);
    values_.resize(elements);
    rows_.fill(first, last, columns_, values_);
    const Column* column = columns_.data();
    for (Index row = first; row < last; ++row) {
      const Index cell = cell_of(row, found_.rows, shape_.rows);
      ++seen_[static_cast<std::size_t>(cell)];
      for (const Column* end = column + lengths_[static_cast<std::size_t>(row - first)];
           column < end; ++column)
        ++found_.fractions[at(cell, cell_of(*column, found_.columns, shape_.columns))];
    }
  }

  void divide() {
    for (Index i = 0; i < found_.rows; ++i)
      for (Index j = 0; j < found_.columns; ++j) {
        const Index width = begin_of(j + 1, found_.columns, shape_.columns) -
                            begin_of(j, found_.columns, shape_.columns);
        const Index positions = seen_[static_cast<std::size_t>(i)] * width;
        if (positions > 0) found_.fractions[at(i, j)] /= static_cast<double>(positions);
      }
  }

  std::size_t at(Index i, Index j) const {
    return static_cast<std::size_t>(i * found_.columns + j);
  }

  const sparse::RowSource& rows_;
  sparse::MatrixShape shape_;
  CellDensities found_;
  std::vector<Index> seen_;  // rows of each cell
  std::vector<Column> lengths_;
  std::vector<Column> columns_;
  std::vector<double> values_;
};

DataBlock density_block(const CellDensities& densities, double least) {
  DataBlock block("$density");
  for (Index i = 0; i < densities.rows; ++i) {
    std::vector<std::string> cells;
    for (Index j = 0; j < densities.columns; ++j) {
      const double fraction =
          densities.fractions[static_cast<std::size_t>(i * densities.columns + j)];
      cells.push_back(fraction > 0 ? base::brief(std::log10(std::max(fraction, least))) : "?");
    }
    block.add(cells);
  }
  return block;
}

/// Colour-bar tics in per cent, at 1, 2 and 5 times the powers of ten, or at the powers alone if
/// there are many decades.
std::string fraction_tics(double lowest) {
  const bool many = lowest < -3;
  std::string tics;
  for (int decade = 0; decade >= lowest; --decade)
    for (const int digit : {1, 5, 2}) {
      const double fraction = digit * std::pow(10.0, digit == 1 ? decade : decade - 1);
      if (std::log10(fraction) < lowest || (many && digit != 1)) continue;
      tics += concat(tics.empty() ? "" : ", ", "'", base::brief(100 * fraction), " %%' ",
                     base::brief(std::log10(fraction)));
    }
  return tics;
}

// 1, 2 or 5 times a power of ten, so that no more than five tics stand side by side.
Index tic_distance(Index size) {
  for (Index decade = 1;; decade *= 10)
    for (const Index step : {decade, 2 * decade, 5 * decade})
      if (size / step <= 5) return step;
}

std::string region_lines(const sparse::MatrixShape& shape) {
  if (shape.reference_columns <= 0 || shape.reference_columns >= shape.columns) return {};
  const std::string x = base::shortest(static_cast<double>(shape.reference_columns) + 0.5);
  const auto centre = [](Index from, Index to) {
    return base::shortest(0.5 * static_cast<double>(from + to));
  };
  const bool narrow = shape.reference_columns < shape.columns / 5;
  return concat("set arrow 1 from ", x, ", graph 0 to ", x,
                ", graph 1.03 nohead front lw 2 lc rgb '#D55E00'\n", "set label 1 'Reference' at ",
                narrow ? "graph 0" : centre(0, shape.reference_columns).c_str(), ", graph 1.05 ",
                narrow ? "left" : "center", " tc rgb '#D55E00'\n",
                "set label 2 'Expansion space' at ", centre(shape.reference_columns, shape.columns),
                ", graph 1.05 center tc rgb '#444444'\n");
}

}  // namespace

Figure pattern_figure(const sparse::RowSource& rows, const std::string& title) {
  const sparse::MatrixShape shape = rows.shape();
  CellDensities densities = Sampler(rows).sample();
  double least = 1;
  for (const double fraction : densities.fractions)
    if (fraction > 0) least = std::min(least, fraction);
  // The middle of a cell's rows or columns, counted from 1, from the cell's number.
  const auto middle = [](Index size, Index cells, const char* cell) {
    return concat("(", size, ".0/", cells, "*(", cell, "+0.5)+0.5)");
  };
  const bool exact = densities.rows == shape.rows && densities.columns == shape.columns;
  std::string script =
      density_block(densities, least).text() + region_lines(shape) +
      concat("set xrange [0.5:", shape.columns, ".5]\nset yrange [", shape.rows, ".5:0.5]\n",
             "set size ratio ",
             base::shortest(std::clamp(
                 static_cast<double>(shape.rows) / static_cast<double>(shape.columns), 0.5, 2.0)),
             "\nset border 15\nunset grid\nunset key\nset tmargin 4\nset xlabel 'column'\n"
             "set ylabel 'row'\nset format x '%.0f'\nset format y '%.0f'\n"
             "set tics front\nset xtics ",
             tic_distance(shape.columns), ',', tic_distance(shape.columns), "\nset ytics ",
             tic_distance(shape.rows), ',', tic_distance(shape.rows), '\n');
  const double lowest = std::min(-0.3, std::floor(2 * std::log10(least)) / 2);
  script += exact ? "set palette defined (0 '#0072B2', 1 '#0072B2')\nunset colorbox\n"
                  : concat(
                        "set palette defined (0 '#CDE4F3', 0.5 '#0072B2', 1 '#001F33')\n"
                        "set cblabel 'fraction of positions with an element'\n"
                        "set cbrange [",
                        base::brief(lowest), ":0]\nset cbtics (", fraction_tics(lowest), ")\n");
  script += concat("plot $density matrix using ", middle(shape.columns, densities.columns, "$1"),
                   ":", middle(shape.rows, densities.rows, "$2"), ":3 with image\n");
  return {"pattern",
          concat(title, ": positions of its elements",
                 exact ? "" : ", as the fraction of positions that hold one",
                 shape.reference_columns > 0
                     ? concat("; the leading ", base::grouped(shape.reference_columns),
                              " columns are the Reference region.")
                     : std::string(".")),
          std::move(script), 760, 680};
}

}  // namespace cisolve::app
