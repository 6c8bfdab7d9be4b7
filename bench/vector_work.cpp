#include <iostream>
#include <string>

#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/multivector.hpp"
#include "bench/timing.hpp"

// vector_work BACKEND ROWS: the block operations of a Davidson iteration, as fractions of the copy
// bandwidth of the backend. Bytes are those of a perfect implementation: each vector read or
// written once.
namespace cisolve::bench {
namespace {

using base::Index;

constexpr int kRepeat = 20;

class VectorWork {
 public:
  VectorWork(const base::Backend& backend, Index rows)
      : backend_(backend),
        kernels_(base::block_kernels(backend)),
        rows_(rows),
        basis_(backend, rows, 40),
        block_(backend, rows, 20) {
    kernels_.randomise(backend, 1, basis_.block());
    kernels_.randomise(backend, 2, block_.block());
  }

  void run() {
    copy_rate_ =
        rate(2 * 8, [&] { kernels_.copy(backend_, basis_.block(0, 8), block_.block(0, 8)); });
    std::cout << "{\"benchmark\": \"vector_work\", \"backend\": \"" << backend_.name()
              << "\", \"device\": \"" << backend_.description() << "\", \"rows\": " << rows_
              << ", \"copy_gb_s\": " << copy_rate_ * 1e-9 << ", \"operations\": [";
    for (const int width : {1, 4})
      for (const int size : {8, 16, 24, 32, 40}) measure(size, width);
    measure_rotation(40, 20);
    print("norms", 0, 4, 4, [&] {
      std::vector<double> norms(4);
      kernels_.squared_norms(backend_, block_.block(0, 4), norms);
    });
    std::cout << "]}\n";
  }

 private:
  template <class Work>
  double rate(Index vectors, Work work) {
    return static_cast<double>(vectors * rows_ * Index{sizeof(double)}) /
           median_seconds(backend_, kRepeat, work);
  }

  void measure(int size, int width) {
    base::SmallMatrix overlap(size, width);
    print("gram", size, width, size + width,
          [&] { kernels_.gram(backend_, basis_.block(0, size), block_.block(0, width), overlap); });
    print("update", size, width, size + 2 * width, [&] {
      kernels_.update(backend_, -1, basis_.block(0, size), overlap, 1, block_.block(0, width));
    });
  }

  /// Times the rotation of a basis, as at a restart.
  void measure_rotation(int size, int width) {
    const base::SmallMatrix all(size, width);
    print("rotate", size, width, size + width, [&] {
      kernels_.update(backend_, 1, basis_.block(0, size), all, 0, block_.block(0, width));
    });
  }

  template <class Work>
  void print(const char* name, int size, int width, Index vectors, Work work) {
    const double found = rate(vectors, work);
    std::cout << (first_ ? "\n" : ",\n") << "  {\"name\": \"" << name << "\", \"basis\": " << size
              << ", \"width\": " << width << ", \"gb_s\": " << found * 1e-9
              << ", \"of_copy\": " << found / copy_rate_ << "}";
    first_ = false;
  }

  base::Backend backend_;
  const base::BlockKernels& kernels_;
  Index rows_;
  base::MultiVector basis_;
  base::MultiVector block_;
  double copy_rate_ = 1;
  bool first_ = true;
};

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  const std::string name = argc > 1 ? argv[1] : "auto";
  const cisolve::base::Index rows = argc > 2 ? std::stoll(argv[2]) : 1000000;
  cisolve::bench::VectorWork(cisolve::base::Backend::by_name(name, 0, {}), rows).run();
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
