#include <cuda_runtime.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "app/cli/program.hpp"
#include "tests/support/broken_device.cuh"

// The program with a faulty device. Two environment variables control it: CISOLVE_TEST_LEAVES is
// the free device memory in MiB, and the device fails permanently once the file
// CISOLVE_TEST_BREAKS_ONCE exists.
namespace cisolve::test {
namespace {

std::size_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
}

void occupy_all_but(std::size_t left) {
  for (std::size_t piece = std::size_t{1} << 37; piece >= std::size_t{1} << 20; piece /= 2) {
    void* held = nullptr;
    while (free_bytes() >= left + piece && cudaMalloc(&held, piece) == cudaSuccess) {
    }
  }
  cudaGetLastError();
}

void break_once_there(const std::string& path) {
  while (!std::filesystem::exists(path)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  cudaSetDevice(0);
  break_device(cudaStreamPerThread);
}

}  // namespace
}  // namespace cisolve::test

int main(int argc, char** argv) {
  if (const char* mebibytes = std::getenv("CISOLVE_TEST_LEAVES"))
    cisolve::test::occupy_all_but(std::stoull(mebibytes) << 20);
  if (const char* path = std::getenv("CISOLVE_TEST_BREAKS_ONCE"))
    std::thread(cisolve::test::break_once_there, std::string(path)).detach();
  return cisolve::app::run_program(argc, argv);
}
