#pragma once

#include "base/array.hpp"

namespace cisolve::base {

/// Sets all bytes to `byte`.
void fill_bytes(const Backend& backend, void* target, unsigned char byte, Index bytes);

template <class T>
void fill_bytes(Array<T>& array, unsigned char byte) {
  fill_bytes(array.backend(), array.data(), byte, array.bytes());
}

namespace cuda {
/// Sets all bytes of device memory to `byte`; queued on the device's stream.
void fill_bytes(const Context& context, void* target, unsigned char byte, Index bytes);
}  // namespace cuda

}  // namespace cisolve::base
