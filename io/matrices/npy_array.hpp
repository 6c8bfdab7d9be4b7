#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/array.hpp"
#include "io/files/zip_archive.hpp"

namespace cisolve::io {

using base::Column;

/// An array of NumPy's own format within a .npz archive, of one dimension or none, elements in
/// their order. Its header is not trusted: the elements that it claims are the bytes that follow.
/// Throws Fault::bad_input, `what` names the array.
class NpyArray {
 public:
  NpyArray(const MappedFile& file, const ZipEntry& entry);

  Index size() const { return size_; }

  /// Whole numbers of any width, each within 0 to `most`.
  base::Array<Column> columns(Index most, const base::Backend& host);
  base::Array<Index> indices(Index most, const base::Backend& host);
  /// Real numbers, whole ones or truth values, finite and exact as doubles.
  base::Array<double> reals(const base::Backend& host);
  /// A text of a few characters.
  std::string text();

 private:
  /// Of its elements: 'f' real, 'i' and 'u' whole, 'b' truth, 'S' and 'U' text.
  struct Type {
    char kind = 0;
    int bytes = 0;
  };

  static std::optional<Type> parse_type(std::string_view quoted);
  void read_header();
  void parse(std::string_view header);
  template <class To, class Convert>
  base::Array<To> converted(const base::Backend& host, Convert convert);
  template <class Stored, class To, class Convert>
  void convert_all(base::Array<To>& result, Convert convert);
  template <class To>
  base::Array<To> whole_numbers(Index most, const base::Backend& host);
  [[noreturn]] void refuse(std::string_view what, std::string_view expected) const;

  const MappedFile& file_;
  std::string name_;
  ZipReader reader_;
  Type type_;
  Index size_ = 0;
};

}  // namespace cisolve::io
