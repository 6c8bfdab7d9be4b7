#include "sparse/rows/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <locale>
#include <numeric>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>

#include "sparse/rows/build.hpp"

namespace cisolve::sparse {
namespace {

RegionStatistics describe_region(Index columns, std::span<const Column> lengths) {
  RegionStatistics region;
  region.columns = columns;
  if (lengths.empty()) return region;
  region.nonzeros = std::accumulate(lengths.begin(), lengths.end(), Index{0});
  const auto [shortest, longest] = std::ranges::minmax(lengths);
  region.shortest_row = shortest;
  region.longest_row = longest;
  const auto rows = static_cast<double>(lengths.size());
  const auto nonzeros = static_cast<double>(region.nonzeros);
  region.mean_row = nonzeros / rows;
  if (columns > 0) region.sparsity = 1 - nonzeros / (rows * static_cast<double>(columns));
  return region;
}

double average_deviation(std::span<const Column> lengths, double mean) {
  if (lengths.empty()) return 0;
  double sum = 0;
  for (const Column length : lengths) sum += std::abs(length - mean);
  return sum / static_cast<double>(lengths.size());
}

/// One line of the table: a name and a text per region.
class Line {
 public:
  Line(std::ostream& out, const char* name) : out_(out) {
    out << std::left << std::setw(28) << name;
  }
  ~Line() { out_ << '\n'; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  template <class Value>
  Line& operator<<(const Value& value) {
    out_ << std::right << std::setw(16) << value;
    return *this;
  }

 private:
  std::ostream& out_;
};

template <class Member>
void write_line(std::ostream& out, const char* name, const Statistics& s,
                Member RegionStatistics::*member) {
  Line(out, name) << s.reference.*member << s.expansion.*member << s.whole.*member;
}

}  // namespace

Statistics describe(const RowSource& rows, const base::Backend& host) {
  const MatrixShape shape = rows.shape();
  const base::Array<Column> lengths = row_lengths(rows, host);
  base::Array<Column> reference(host, shape.rows, "the row lengths of the reference region");
  base::Array<Column> expansion(host, shape.rows, "the row lengths of the expansion space");
  for_each_row(rows, lengths.span(), host, [&](const Row& row) {
    const auto border = std::ranges::lower_bound(row.columns, shape.reference_columns);
    reference[row.number] = static_cast<Column>(border - row.columns.begin());
    expansion[row.number] = static_cast<Column>(row.columns.end() - border);
  });

  Statistics result{
      .shape = shape,
      .reference = describe_region(shape.reference_columns, reference.span()),
      .expansion = describe_region(shape.columns - shape.reference_columns, expansion.span()),
      .whole = describe_region(shape.columns, lengths.span()),
      .reference_lengths = std::move(reference),
      .expansion_lengths = std::move(expansion)};
  if (shape.rows > 0)
    result.longest_row_index = std::ranges::max_element(lengths.span()) - lengths.span().begin();
  const double mean = result.whole.mean_row;
  result.average_deviation = average_deviation(lengths.span(), mean);
  if (mean > 0) result.average_deviation_percent = 100 * result.average_deviation / mean;
  return result;
}

void write(std::ostream& out, const Statistics& s) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << s.shape.rows << " x " << s.shape.columns
       << (s.shape.symmetric ? ", symmetric\n" : ", general\n");
  Line(text, "") << "reference"
                 << "expansion"
                 << "whole";
  write_line(text, "columns", s, &RegionStatistics::columns);
  write_line(text, "non-zeros", s, &RegionStatistics::nonzeros);
  text << std::fixed << std::setprecision(6);
  write_line(text, "sparsity", s, &RegionStatistics::sparsity);
  text << std::setprecision(2);
  write_line(text, "non-zeros per row, mean", s, &RegionStatistics::mean_row);
  write_line(text, "non-zeros per row, least", s, &RegionStatistics::shortest_row);
  write_line(text, "non-zeros per row, most", s, &RegionStatistics::longest_row);
  if (s.longest_row_index >= 0)
    text << "longest row: " << s.whole.longest_row << " non-zeros, in row "
         << s.longest_row_index + 1 << '\n';
  text << "average deviation of the row length: " << s.average_deviation << ", "
       << s.average_deviation_percent << " % of the mean\n";
  out << text.str();
}

}  // namespace cisolve::sparse
