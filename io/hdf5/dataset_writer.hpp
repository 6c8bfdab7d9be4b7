#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "io/hdf5/context.hpp"
#include "io/hdf5/handle.hpp"

namespace cisolve::io::hdf5 {

/// How many elements of each row of a data set a chunk holds, so that all are as good as full: few
/// enough that they stay in the cache of a processor from one filter to the next, but no more
/// chunks than a thousand, until they are of 8 MiB: to find one, HDF5 may have to look through all.
constexpr Index chunk_of(Index length, Index rows = 1) {
  const Index most = std::clamp<Index>(length * rows / 1024, Index{1} << 14, Index{1} << 20);
  const Index chunks = std::max<Index>(1, (length + most - 1) / most);
  return std::max<Index>(1, (length + chunks - 1) / chunks);
}

/// How a data set is written to: chunks go to the disk as they come, so that one that does not fit
/// there fails where it is written, and not unseen when the set is closed.
Handle write_through(const FileContext& context, const char* name);

enum class DatasetKind {
  checked,     // chunks with checksums
  compressed,  // and deflated
  growing,     // chunks without filters, of a set that may be made longer: what TREXIO expects
};

/// A one-dimensional data set that is written from its first element to its last, in chunks.
/// Elements wait here until a chunk is full, so that each chunk is written once.
class DatasetWriter {
 public:
  DatasetWriter(const FileContext& context, hid_t group, const char* name, hid_t stored, hid_t held,
                Index element_bytes, Index size, DatasetKind kind);

  /// Once all `size` elements were appended, all of them are in the file.
  void append(const void* elements, Index count);

 private:
  void write(const void* elements, Index count);

  const FileContext& context_;
  std::string name_;
  hid_t held_;
  Index element_bytes_;
  Index size_;
  Index chunk_;
  Index written_ = 0;
  std::vector<char> waiting_;
  Handle dataset_;
};

}  // namespace cisolve::io::hdf5
