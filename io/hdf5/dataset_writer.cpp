#include "io/hdf5/dataset_writer.hpp"

namespace cisolve::io::hdf5 {
namespace {

constexpr unsigned kDeflateLevel =
    1;  // compresses repetitions as well as higher levels in half the time

Handle create(const FileContext& context, hid_t group, const char* name, hid_t stored, Index size,
              Index chunk, DatasetKind kind) {
  const auto extent = static_cast<hsize_t>(size);
  const hsize_t longest = kind == DatasetKind::growing ? H5S_UNLIMITED : extent;
  const Handle space =
      context.own(H5Screate_simple(1, &extent, &longest), H5Sclose, "H5Screate_simple", name);
  const Handle creation = context.own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "H5Pcreate", name);
  if (size > 0) {  // filters require chunks, and an empty set cannot have any
    const auto chunk_extent = static_cast<hsize_t>(chunk);
    context.check(H5Pset_chunk(creation, 1, &chunk_extent), "H5Pset_chunk", name);
    if (kind == DatasetKind::compressed) {
      context.check(H5Pset_shuffle(creation), "H5Pset_shuffle", name);
      context.check(H5Pset_deflate(creation, kDeflateLevel), "H5Pset_deflate", name);
    }
    if (kind != DatasetKind::growing)
      context.check(H5Pset_fletcher32(creation), "H5Pset_fletcher32", name);
  }
  return context.own(
      H5Dcreate2(group, name, stored, space, H5P_DEFAULT, creation, write_through(context, name)),
      H5Dclose, "H5Dcreate2", name);
}

}  // namespace

Handle write_through(const FileContext& context, const char* name) {
  Handle access = context.own(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "H5Pcreate", name);
  context.check(H5Pset_chunk_cache(access, 0, 0, H5D_CHUNK_CACHE_W0_DEFAULT), "H5Pset_chunk_cache",
                name);
  return access;
}

DatasetWriter::DatasetWriter(const FileContext& context, hid_t group, const char* name,
                             hid_t stored, hid_t held, Index element_bytes, Index size,
                             DatasetKind kind)
    : context_(context),
      name_(name),
      held_(held),
      element_bytes_(element_bytes),
      size_(size),
      chunk_(chunk_of(size)),
      dataset_(create(context, group, name, stored, size, chunk_, kind)) {
  waiting_.reserve(chunk_ * element_bytes_);
}

void DatasetWriter::append(const void* elements, Index count) {
  const char* at = static_cast<const char*>(elements);
  while (count > 0) {
    const Index waiting = std::ssize(waiting_) / element_bytes_;
    const Index part = std::min(count, chunk_ - waiting);
    waiting_.insert(waiting_.end(), at, at + part * element_bytes_);
    at += part * element_bytes_;
    count -= part;
    if (waiting + part == chunk_ || written_ + waiting + part == size_) {
      write(waiting_.data(), waiting + part);
      waiting_.clear();
    }
  }
}

void DatasetWriter::write(const void* elements, Index count) {
  const Handle stored = context_.own(H5Dget_space(dataset_), H5Sclose, "H5Dget_space", name_);
  const auto start = static_cast<hsize_t>(written_);
  const auto extent = static_cast<hsize_t>(count);
  context_.check(H5Sselect_hyperslab(stored, H5S_SELECT_SET, &start, nullptr, &extent, nullptr),
                 "H5Sselect_hyperslab", name_);
  const Handle held =
      context_.own(H5Screate_simple(1, &extent, nullptr), H5Sclose, "H5Screate_simple", name_);
  context_.check(H5Dwrite(dataset_, held_, held, stored, H5P_DEFAULT, elements), "H5Dwrite", name_);
  written_ += count;
}

}  // namespace cisolve::io::hdf5
