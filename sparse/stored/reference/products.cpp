#include <vector>

#include "sparse/stored/instantiate.hpp"

// Row by row and vector by vector in extended precision: the oracle of the other backends.
namespace cisolve::sparse::reference {
namespace {

/// Visits the elements of one row of a format stored by rows.
template <class View, class Visit>
void visit_row(const View& a, Index row, Visit visit) {
  a.visit(row, 0, 1, visit);
}

/// Visits the elements of one row of a blocked format by searching its row of blocks.
template <class Visit>
void visit_row(const CsbView& a, Index row, Visit visit) {
  const Index block_row = row / a.block_size;
  for (Index block = 0; block < a.block_columns; ++block) {
    const Index number = block_row * a.block_columns + block;
    for (Index k = a.block_offsets[number]; k < a.block_offsets[number + 1]; ++k)
      if (a.row[k] == row % a.block_size) visit(block * a.block_size + a.column[k], a.value[k]);
  }
}

void write(double alpha, long double sum, double beta, double& y) {
  y = static_cast<double>(beta == 0 ? alpha * sum : alpha * sum + beta * y);
}

template <class View>
void multiply_vector(const View& a, double alpha, const double* x, double beta, double* y) {
  for (Index row = 0; row < a.rows; ++row) {
    long double sum = 0;
    visit_row(a, row, [&](Index column, double value) { sum += value * x[column]; });
    write(alpha, sum, beta, y[row]);
  }
}

/// The tiled format yields its elements block by block, not row by row.
void multiply_vector(const TiledView& a, double alpha, const double* x, double beta, double* y) {
  std::vector<long double> sums(a.rows);
  for (Index block = 0; block < a.blocks; ++block)
    a.visit_block(block, 0, 1,
                  [&](Index row, Index column, double value) { sums[row] += value * x[column]; });
  for (Index row = 0; row < a.rows; ++row) {
    visit_row(a.tail, row, [&](Index column, double value) { sums[row] += value * x[column]; });
    write(alpha, sums[row], beta, y[row]);
  }
}

template <class View>
void read_diagonal(const View& a, double* d) {
  for (Index row = 0; row < a.rows; ++row) {
    d[row] = 0;
    visit_row(a, row, [&](Index column, double value) {
      if (column == row) d[row] = value;
    });
  }
}

void read_diagonal(const TiledView& a, double* d) {
  for (Index row = 0; row < a.rows; ++row) d[row] = a.tail_diagonal(row);
  for (Index block = 0; block < a.blocks; ++block)
    a.visit_block(block, 0, 1, [&](Index row, Index column, double value) {
      if (row == column) d[row] = value;
    });
}

}  // namespace

template <class View>
void multiply(const base::Backend& /*backend*/, double alpha, const View& a, base::ConstBlock x,
              double beta, base::Block y) {
  for (int j = 0; j < y.columns; ++j) multiply_vector(a, alpha, x.column(j), beta, y.column(j));
}

template <class View>
void diagonal(const base::Backend& /*backend*/, const View& a, base::Block d) {
  read_diagonal(a, d.column(0));
}

CISOLVE_FOR_EACH_VIEW(CISOLVE_INSTANTIATE_PRODUCTS)

}  // namespace cisolve::sparse::reference
