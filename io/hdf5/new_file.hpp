#pragma once

#include <filesystem>
#include <functional>
#include <span>

#include "base/block.hpp"
#include "io/files/output_file.hpp"
#include "io/hdf5/context.hpp"

namespace cisolve::io::hdf5 {

/// Address space that HDF5 takes at most to write a file: it crashes where it gets no memory.
/// Chunks of 8 MiB are held three times, by the cache and by filters.
inline constexpr Index kWritingSpace = Index{32} << 20;

/// An HDF5 file that appears whole or not at all: it is written under another name, and commit()
/// closes it, brings it to the disk and gives it its name. All metadata carry checksums.
class NewFile {
 public:
  /// `bytes` is what the file will hold, apart from what HDF5 adds: a disk without that room is
  /// refused here, and not in the middle of HDF5, which keeps open what it cannot finish. So is,
  /// as Fault::resources, address space below kWritingSpace.
  NewFile(const FileContext& context, std::filesystem::path path, bool overwrite, Index bytes,
          Place place = Place::of_user);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  operator hid_t() const { return file_; }
  Handle make_group(hid_t parent, const char* name) const;

  /// Refuses a disk that has no room for so many bytes more, and too little address space.
  void require_room(Index bytes) const;
  /// Brings to the disk what the data sets that are closed hold, so that commit() has less to do.
  void sync() const { output_.sync(); }

  /// Closes the file. What was written can then be read back under this name.
  const std::filesystem::path& close();
  void commit();

 private:
  const FileContext& context_;
  OutputFile output_;
  Handle file_;
  bool committed_ = false;
};

/// What is said of a file that cannot be written.
FileContext writing_context(const std::filesystem::path& path);

/// The access properties of files of our own.
Handle access_list(const FileContext& context);

/// A scalar data set of text, for texts that may be long.
void write_text(const FileContext& context, hid_t parent, const char* name, std::string_view text);

/// Changes some elements of a vector, of which the first is that of the row.
using Alteration = std::function<void(Index row, std::span<double> elements)>;

/// A data set of two dimensions, one row for each vector of the block; with the alteration, if
/// there is one, of copies of its elements.
void write_vectors(const FileContext& context, hid_t parent, const char* name,
                   base::ConstBlock block, const Alteration& alter = {});

}  // namespace cisolve::io::hdf5
