// Rates of vectors between ranks: mpirun -n N bench_link [BACKEND]. A rank takes the device of its
// number on its node; JSON on standard output of the first.
#include <cstdio>
#include <iostream>
#include <string>

#include "base/multivector.hpp"
#include "base/ranks/device_channel.hpp"
#include "base/ranks/vector_exchange.hpp"
#include "bench/timing.hpp"
#include "dist/mpi.hpp"

namespace {

using namespace cisolve;
using base::Index;

constexpr int kRepeat = 9;

/// Prints the rate at which a rank receives, in bytes per second.
void print(const char* what, Index bytes, double seconds, bool is_last) {
  std::printf(
      "  {\"what\": \"%s\", \"received_bytes\": %lld, \"seconds\": %.4g, \"gbytes\": %.4g}%s\n",
      what, static_cast<long long>(bytes), seconds, 1e-9 * static_cast<double>(bytes) / seconds,
      is_last ? "" : ",");
}

void measure(const base::VectorExchange& vectors, Index elements, bool is_last) {
  const base::Communicator& ranks = vectors.ranks();
  const base::Backend& backend = vectors.backend();
  const Index others = ranks.size() - 1;
  const auto layout = base::Layout::even(elements * ranks.size(), ranks.size());
  base::MultiVector mine(backend, elements, 1);
  base::MultiVector whole(backend, layout.rows(), 1);
  double* const own = mine.block().column(0);
  const double gather = bench::median_seconds(
      backend, kRepeat, [&] { vectors.all_gather(layout, own, whole.block().column(0)); });
  const Index part = elements / ranks.size();
  const std::vector<Index> counts(ranks.size(), part);
  const auto all = static_cast<std::size_t>(part * ranks.size());
  const double swap = bench::median_seconds(backend, kRepeat, [&] {
    vectors.exchange({own, all}, counts, {whole.block().column(0), all}, counts);
  });
  if (ranks.rank() != 0) return;
  print("everywhere", Index{sizeof(double)} * elements * others, gather, false);
  print("all to all", Index{sizeof(double)} * part * others, swap, is_last);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const dist::Mpi mpi;
    const std::string name = argc > 1 ? argv[1] : "cuda";
    const bool on_device = name == "cuda";
    const base::Backend backend =
        on_device ? base::Backend::cuda(mpi.place_on_node()) : base::Backend::by_name(name, 0, {});
    const auto ranks = mpi.ranks();
    const base::VectorExchange vectors(*ranks, backend);
    const base::DeviceChannel* links = ranks->device_channel(backend);
    if (ranks->rank() == 0)
      std::printf("{\"ranks\": %d, \"device\": \"%s\", \"by\": \"%s\", \"times\": [\n",
                  ranks->size(), backend.description().c_str(),
                  links == nullptr ? "the host" : links->name().c_str());
    constexpr Index kMost = Index{1} << 27;  // elements: a gibibyte
    for (Index elements = Index{1} << 15; elements <= kMost; elements *= 8)
      measure(vectors, elements, elements * 8 > kMost);
    if (ranks->rank() == 0) std::printf("]}\n");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
