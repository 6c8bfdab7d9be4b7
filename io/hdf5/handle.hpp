#pragma once

#include <hdf5.h>

#include <utility>

namespace cisolve::io::hdf5 {

/// An HDF5 identifier that closes itself. Errors on closing are ignored here; where they matter,
/// as with a file that was written, close() tells of them.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle(hid_t id, Close closing_call) : id_(id), close_(closing_call) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() { close(); }

  operator hid_t() const { return id_; }  // a handle stands wherever HDF5 takes an identifier
  herr_t close() { return id_ < 0 ? 0 : close_(std::exchange(id_, -1)); }

 private:
  hid_t id_;
  Close close_;
};

/// Keeps HDF5 from printing its errors; what it did before comes back at the end.
class Silence {
 public:
  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace cisolve::io::hdf5
