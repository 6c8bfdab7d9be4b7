#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "base/cuda/check.hpp"
#include "base/device.hpp"

namespace cisolve::base::cuda {

/// A CUDA stream that ends with its owner.
class Stream {
 public:
  Stream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in a stream's work; two of them measure the time between.
class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  void record(const Stream& stream) {
    check(cudaEventRecord(event_, stream.get()), "cudaEventRecord");
  }
  /// Waits for this event; milliseconds since `start` was reached.
  float milliseconds_since(const Event& start) const {
    check(cudaEventSynchronize(event_), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// A cuBLAS handle bound to one stream.
class BlasHandle {
 public:
  explicit BlasHandle(const Stream& stream) {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, stream.get()), "cublasSetStream");
  }
  BlasHandle(const BlasHandle&) = delete;
  BlasHandle& operator=(const BlasHandle&) = delete;
  ~BlasHandle() { cublasDestroy(handle_); }
  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

/// One device, made current for the calling thread, with its stream and handles.
class Context {
 public:
  explicit Context(int device);

  const DeviceInfo& info() const { return info_; }
  cudaStream_t stream() const { return stream_.get(); }
  const Stream& stream_object() const { return stream_; }
  cublasHandle_t blas() const { return blas_.get(); }

 private:
  DeviceInfo info_;  // read first: it makes the device current
  Stream stream_;
  BlasHandle blas_;
};

}  // namespace cisolve::base::cuda
