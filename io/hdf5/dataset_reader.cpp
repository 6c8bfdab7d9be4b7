#include "io/hdf5/dataset_reader.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

namespace cisolve::io::hdf5 {
namespace {

constexpr Index kElementsPerSlab = Index{1} << 20;
constexpr Index kLargestChunkBytes = Index{1} << 28;
constexpr Index kBestDeflateRatio = 1032;  // limit of the deflate format itself

void require_hard_link(const FileContext& context, hid_t parent, const char* name) {
  if (!holds(context, parent, name))
    context.refuse(name, "the object is missing; ", context.remedy);
  H5L_info_t link{};
  context.check(H5Lget_info(parent, name, &link, H5P_DEFAULT), "H5Lget_info", name);
  if (link.type != H5L_TYPE_HARD)
    context.refuse(
        name, "the name is a soft or external link; expected the object itself: links are not ",
        "followed");
}

Handle open_object(const FileContext& context, hid_t parent, const char* name, H5I_type_t kind) {
  require_hard_link(context, parent, name);
  Handle object = context.own(H5Oopen(parent, name, H5P_DEFAULT), H5Oclose, "H5Oopen", name);
  if (H5Iget_type(object) != kind)
    context.refuse(name, "the object has another kind; expected a ",
                   kind == H5I_GROUP ? "group" : "data set");
  return object;
}

}  // namespace

ElementType int64_elements() {
  return {"int64", H5T_STD_I64LE, H5T_STD_I64BE, 8, H5T_NATIVE_INT64, 8};
}
ElementType int32_elements() {
  return {"int32", H5T_STD_I32LE, H5T_STD_I32BE, 4, H5T_NATIVE_INT32, 4};
}
ElementType float64_elements() {
  return {"float64", H5T_IEEE_F64LE, H5T_IEEE_F64BE, 8, H5T_NATIVE_DOUBLE, 8};
}
std::vector<ElementType> integer_elements() {
  return {int64_elements(), {"int32", H5T_STD_I32LE, H5T_STD_I32BE, 4, H5T_NATIVE_INT64, 8}};
}
std::vector<ElementType> column_elements() {
  return {int32_elements(), {"int64", H5T_STD_I64LE, H5T_STD_I64BE, 8, H5T_NATIVE_INT32, 4}};
}
std::vector<ElementType> real_elements() {
  return {float64_elements(), {"float32", H5T_IEEE_F32LE, H5T_IEEE_F32BE, 4, H5T_NATIVE_DOUBLE, 8}};
}
std::vector<ElementType> index_elements() {
  return {{"uint8", H5T_STD_U8LE, H5T_STD_U8BE, 1, H5T_NATIVE_INT32, 4},
          {"uint16", H5T_STD_U16LE, H5T_STD_U16BE, 2, H5T_NATIVE_INT32, 4},
          int32_elements()};
}

bool holds(const FileContext& context, hid_t parent, const char* name) {
  return context.check(H5Lexists(parent, name, H5P_DEFAULT), "H5Lexists", name) > 0;
}

Handle open_file(const FileContext& context) {
  context.check(H5PLset_loading_state(0), "H5PLset_loading_state", "/");
  const auto access = context.own(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate", "/");
  context.check(H5Pset_fapl_sec2(access), "H5Pset_fapl_sec2", "/");
  return context.own(H5Fopen(context.file.c_str(), H5F_ACC_RDONLY, access), H5Fclose, "H5Fopen",
                     "/");
}

Handle open_group(const FileContext& context, hid_t parent, const char* name) {
  return open_object(context, parent, name, H5I_GROUP);
}

DatasetReader::DatasetReader(const FileContext& context, hid_t group, const char* name,
                             const std::vector<ElementType>& types, int rank)
    : context_(context),
      name_(name),
      rank_(rank),
      dataset_(open_object(context, group, name, H5I_DATASET)),
      type_(stored_type(types)) {
  read_extent();
  const Handle creation =
      context_.own(H5Dget_create_plist(dataset_), H5Pclose, "H5Dget_create_plist", name_);
  require_own_storage(creation);
  require_known_filters(creation);
  require_chunks(creation);
  require_stored_bytes();
}

ElementType DatasetReader::stored_type(const std::vector<ElementType>& types) const {
  const Handle type = context_.own(H5Dget_type(dataset_), H5Tclose, "H5Dget_type", name_);
  std::string names;
  for (const ElementType& known : types) {
    if (H5Tequal(type, known.little_endian) > 0 || H5Tequal(type, known.big_endian) > 0)
      return known;
    names.append(names.empty() ? "" : " or ").append(known.name);
  }
  context_.refuse(name_, "the elements have another type; expected ", names);
}

void DatasetReader::read_extent() {
  const Handle space = context_.own(H5Dget_space(dataset_), H5Sclose, "H5Dget_space", name_);
  if (H5Sis_simple(space) <= 0 || H5Sget_simple_extent_ndims(space) != rank_)
    context_.refuse(name_, rank_ == 1 ? "the data set is not a list; expected one dimension"
                                      : "the data set is not a table; expected two dimensions");
  std::array<hsize_t, 2> extent{1, 1};
  context_.check(H5Sget_simple_extent_dims(space, extent.data(), nullptr),
                 "H5Sget_simple_extent_dims", name_);
  const auto most = static_cast<hsize_t>(INT64_MAX / widest());
  if (extent[0] > most || (extent[1] > 0 && extent[0] > most / extent[1]) || extent[1] > most)
    context_.refuse(name_, extent[0], " by ", extent[1],
                    " elements exceed any memory; expected an undamaged file");
  extent_ = {static_cast<Index>(extent[0]), static_cast<Index>(extent[1])};
}

void DatasetReader::require_own_storage(hid_t creation) const {
  const auto layout = H5Pget_layout(creation);
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    context_.refuse(name_, "the data set is virtual; expected one that contains its elements");
  if (H5Pget_external_count(creation) != 0)
    context_.refuse(name_, "its elements are stored in another file; expected them in this file");
}

void DatasetReader::require_known_filters(hid_t creation) {
  const int filters = context_.check(H5Pget_nfilters(creation), "H5Pget_nfilters", name_);
  for (int i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        context_.check(H5Pget_filter2(creation, i, &flags, &values, nullptr, 0, nullptr, nullptr),
                       "H5Pget_filter2", name_);
    if (filter == H5Z_FILTER_DEFLATE) deflated_ = true;
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
        filter != H5Z_FILTER_FLETCHER32)
      context_.refuse(name_, "filter number ", filter,
                      " is not supported; expected fletcher32, shuffle and ", "deflate only");
  }
}

void DatasetReader::require_chunks(hid_t creation) {
  if (H5Pget_layout(creation) != H5D_CHUNKED) return;
  std::array<hsize_t, 2> chunk{1, 1};
  const auto most = static_cast<hsize_t>(kLargestChunkBytes / widest());
  if (context_.check(H5Pget_chunk(creation, rank_, chunk.data()), "H5Pget_chunk", name_) != rank_ ||
      chunk[0] == 0 || chunk[1] == 0 || chunk[0] > most || chunk[1] > most / chunk[0])
    context_.refuse(name_, "its chunks have ", chunk[0] * chunk[1], " elements; expected 1 to ",
                    most);
  chunk_ = {static_cast<Index>(chunk[0]), static_cast<Index>(chunk[1])};
}

/// Extents can be claimed at no cost, and missing data would read as zeros.
void DatasetReader::require_stored_bytes() const {
  const auto file_bytes = static_cast<Index>(std::filesystem::file_size(context_.file));
  const auto stored = static_cast<Index>(H5Dget_storage_size(dataset_));
  const Index ratio = deflated_ ? kBestDeflateRatio : 1;
  if (stored < 0 || stored > file_bytes || size() * type_.stored_bytes / ratio > stored)
    context_.refuse(name_, size(), " elements are claimed, but ", stored,
                    " bytes are stored in a file of ", file_bytes, " bytes",
                    "; expected a complete file");
}

/// Without this check, a missing chunk or one stored without its filters would be read silently as
/// something else.
void DatasetReader::require_sound_chunk(Index row, Index column) const {
  const std::array<hsize_t, 2> offset{static_cast<hsize_t>(row), static_cast<hsize_t>(column)};
  unsigned filters_left_out = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t bytes = 0;
  context_.check(
      H5Dget_chunk_info_by_coord(dataset_, offset.data(), &filters_left_out, &address, &bytes),
      "H5Dget_chunk_info_by_coord", name_);
  if (address == HADDR_UNDEF || filters_left_out != 0)
    context_.refuse(name_, "the chunk at element ", row * extent_[1] + column,
                    " is missing or was stored without its filters; expected a complete file");
}

void DatasetReader::require_sound_chunks(Index first, Index last) const {
  if (chunk_[0] == 0) return;
  for (Index row = first; row < last; row += chunk_[0])
    for (Index column = 0; column < extent_[1]; column += chunk_[1])
      require_sound_chunk(row, column);
}

void DatasetReader::send(const WorkerOutput& output) const {
  if (size() == 0) return;
  // Whole chunks, so that none is read twice.
  const Index unit = std::max<Index>(1, chunk_[0]);
  const Index slab = std::max<Index>(1, kElementsPerSlab / (unit * extent_[1])) * unit;
  const Handle stored = context_.own(H5Dget_space(dataset_), H5Sclose, "H5Dget_space", name_);
  std::vector<char> elements(std::min(slab, extent_[0]) * extent_[1] * type_.held_bytes);
  for (Index first = 0; first < extent_[0]; first += slab) {
    output.begin_step();
    const Index last = std::min(extent_[0], first + slab);
    require_sound_chunks(first, last);
    const std::array<hsize_t, 2> start{static_cast<hsize_t>(first), 0};
    const std::array<hsize_t, 2> count{static_cast<hsize_t>(last - first),
                                       static_cast<hsize_t>(extent_[1])};
    context_.check(
        H5Sselect_hyperslab(stored, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
        "H5Sselect_hyperslab", name_);
    const Handle held = context_.own(H5Screate_simple(rank_, count.data(), nullptr), H5Sclose,
                                     "H5Screate_simple", name_);
    context_.check(H5Dread(dataset_, type_.held, held, stored, H5P_DEFAULT, elements.data()),
                   "H5Dread", name_);
    output.send(
        std::span<const char>(elements.data(), (last - first) * extent_[1] * type_.held_bytes));
  }
}

}  // namespace cisolve::io::hdf5
