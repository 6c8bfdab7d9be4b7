#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "io/hdf5/context.hpp"
#include "io/hdf5/handle.hpp"

namespace cisolve::io::hdf5 {

enum class DatasetKind {
  checked,     // chunks with checksums
  compressed,  // and deflated
  growing,     // chunks without filters, of a set that may be made longer: what TREXIO expects
};

/// A one-dimensional data set that is written from its first element to its last, in chunks.
/// Elements wait here until a chunk is full, so that each chunk is written once.
class DatasetWriter {
 public:
  DatasetWriter(const Context& context, hid_t group, const char* name, hid_t stored, hid_t held,
                Index element_bytes, Index size, DatasetKind kind);

  /// Once all `size` elements were appended, all of them are in the file.
  void append(const void* elements, Index count);

 private:
  void write(const void* elements, Index count);

  const Context& context_;
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
