#include "app/runs/vector_file.hpp"

#include "base/number.hpp"
#include "io/files/line_scanner.hpp"

namespace cisolve::app {
namespace {

using base::Index;

constexpr int kMostVectors = 16;

// Number of tokens in the first line that is not a comment.
int count_vectors(std::string_view text) {
  io::LineScanner line(text.data(), text.data() + text.size(), '#');
  int count = 0;
  if (line.next())
    while (count <= kMostVectors && !line.word().empty()) ++count;
  return count;
}

}  // namespace

base::MultiVector read_vectors(const std::string& path, Index rows, const base::Backend& host) {
  const io::MappedFile file(path);
  const std::string_view text = file.text();
  const int columns = count_vectors(text);
  try {
    if (columns < 1 || columns > kMostVectors)
      throw io::TextProblem{text.data(), base::concat("expected 1 to ", kMostVectors,
                                                      " numbers per line, one for each vector")};
    base::MultiVector vectors(host, rows, columns, "the vectors of a file");
    io::LineScanner line(text.data(), text.data() + text.size(), '#');
    for (Index row = 0; row < rows; ++row) {
      if (!line.next())
        throw io::TextProblem{line.at(), base::concat("the file ends after ", row, " rows; the ",
                                                      "matrix has ", rows, " columns")};
      for (int j = 0; j < columns; ++j) vectors(row, j) = line.real("a number");
      line.finish(base::concat(columns, " numbers, as in the first line"));
      line.skip_line();
    }
    if (line.next())
      throw io::TextProblem{line.line(),
                            base::concat("another row; the matrix has only ", rows, " columns")};
    file.require_unchanged();
    return vectors;
  } catch (const io::TextProblem& problem) {
    file.refuse(problem);
  }
}

std::string vectors_as_text(base::ConstBlock vectors) {
  std::string text;
  for (Index row = 0; row < vectors.rows; ++row) {
    for (int j = 0; j < vectors.columns; ++j) {
      if (j > 0) text += ' ';
      text += base::shortest(vectors(row, j));
    }
    text += '\n';
  }
  return text;
}

}  // namespace cisolve::app
