#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "base/text.hpp"
#include "sparse/rows/shape.hpp"

// Formatting of a format's arrays: "Name = 1, 2, 3", or one line per row.
namespace cisolve::sparse {

template <class T>
void write_list(std::ostream& out, std::string_view name, std::span<const T> values) {
  out << name << " =";
  for (std::size_t i = 0; i < values.size(); ++i)
    out << (i == 0 ? " " : ", ") << base::concat(values[i]);
  out << '\n';
}

template <class T>
void write_list(std::ostream& out, std::string_view name, std::span<T> values) {
  write_list(out, name, std::span<const T>(values));
}

/// Prints element(row, column) for every position of a small table.
template <class Element>
void write_table(std::ostream& out, std::string_view name, Index rows, Index columns,
                 Element element) {
  out << name << " =\n";
  for (Index i = 0; i < rows; ++i) {
    out << "  [";
    for (Index k = 0; k < columns; ++k) out << (k == 0 ? "" : " ") << base::concat(element(i, k));
    out << "]\n";
  }
}

}  // namespace cisolve::sparse
