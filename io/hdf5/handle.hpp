#pragma once

#include <hdf5.h>

#include <utility>

namespace cisolve::io::hdf5 {

/// Owner of an HDF5 identifier. The destructor ignores errors; call close() if they matter, as for
/// a written file.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle(hid_t id, Close closing_call) : id_(id), close_(closing_call) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() { close(); }

  operator hid_t() const { return id_; }  // usable as an HDF5 identifier
  herr_t close() { return id_ < 0 ? 0 : close_(std::exchange(id_, -1)); }

 private:
  hid_t id_;
  Close close_;
};

/// Disables HDF5's error printing; the destructor restores it.
class ErrorOutputOff {
 public:
  ErrorOutputOff() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ErrorOutputOff(const ErrorOutputOff&) = delete;
  ErrorOutputOff& operator=(const ErrorOutputOff&) = delete;
  ~ErrorOutputOff() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace cisolve::io::hdf5
