#include "app/report/table.hpp"

#include <algorithm>
#include <ostream>

namespace cisolve::app {

void Table::write(std::ostream& out) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_)
    for (std::size_t j = 0; j < row.size(); ++j) widths[j] = std::max(widths[j], row[j].size());
  for (const auto& row : rows_) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string blanks(widths[j] - row[j].size(), ' ');
      if (j == 0)
        out << row[j] << blanks;
      else
        out << "  " << blanks << row[j];
    }
    out << '\n';
  }
}

}  // namespace cisolve::app
