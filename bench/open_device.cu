// An empty program that opens the device and allocates memory: the minimum cost of any job on it.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  void* memory = nullptr;
  cudaError_t error = cudaMalloc(&memory, 1 << 20);
  if (error == cudaSuccess) error = cudaFree(memory);
  if (error == cudaSuccess) return 0;
  std::fprintf(stderr, "open_device: %s\n", cudaGetErrorString(error));
  return 1;
}
