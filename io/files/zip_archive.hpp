#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/files/mapped_file.hpp"

namespace cisolve::io {

/// Directory record of a file in an archive.
struct ZipEntry {
  std::string name;
  bool deflated = false;
  std::uint32_t checksum = 0;
  Index stored_bytes = 0;
  Index bytes = 0;  // unpacked
  Index where = 0;  // offset of its local header
};

/// Reads the directory of a ZIP archive, ZIP64 included. The archive is not trusted: all offsets
/// are checked, entries must be stored or deflated, and none may claim more bytes than its packed
/// data can yield. Throws ErrorKind::bad_input.
std::vector<ZipEntry> read_zip_directory(const MappedFile& file);

/// Sequential reader of one entry.
class ZipReader {
 public:
  ZipReader(const MappedFile& file, const ZipEntry& entry);
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;
  ~ZipReader();

  Index left() const { return left_; }
  /// Reads exactly bytes.size() bytes. Verifies the checksum after the last one.
  void read(std::span<char> bytes);

 private:
  struct Inflation;
  void inflate(std::span<char> bytes);
  [[noreturn]] void refuse(std::string_view what) const;

  const MappedFile& file_;
  ZipEntry entry_;
  std::string_view packed_;
  Index left_;
  unsigned long sum_;
  std::unique_ptr<Inflation> inflation_;  // set if the entry is deflated
};

}  // namespace cisolve::io
