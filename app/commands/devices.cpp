#include <fstream>
#include <functional>
#include <ostream>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/report/table.hpp"
#include "base/block_kernels.hpp"
#include "base/multivector.hpp"
#include "base/number.hpp"
#include "base/stopwatch.hpp"

namespace cisolve::app {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

// Bytes read and written a second by the backend's own copy; the best of a few.
double copy_bandwidth(const base::Backend& backend) {
  constexpr Index rows = Index{1} << 24;  // 128 MiB, more than a cache holds
  constexpr int repeat = 5;
  base::MultiVector from(backend, rows, 1, "the source of a copy");
  base::MultiVector to(backend, rows, 1, "the target of a copy");
  const base::BlockKernels& kernels = base::block_kernels(backend);
  kernels.fill(backend, 1, from.block());
  kernels.fill(backend, 0, to.block());
  backend.synchronize();
  double best = 0;
  for (int i = 0; i < repeat; ++i) {
    const base::Stopwatch watch;
    kernels.copy(backend, from.block(), to.block());
    backend.synchronize();
    best = std::max(best, 2.0 * sizeof(double) * rows / watch.seconds());
  }
  return best;
}

struct Row {
  std::string name;
  bool available = false;
  std::string device;  // or why there is none
  std::string details;
  double bandwidth = 0;
};

Row host_row(const base::Backend& backend) {
  return {std::string(backend.name()), true, processor_name(),
          base::concat(backend.description(), ", ", base::human_bytes(backend.memory().limit()),
                       " to use"),
          copy_bandwidth(backend)};
}

Row device_row(const base::cuda::DeviceInfo& info) {
  const base::Backend backend = base::Backend::cuda(info.number);
  const std::string name = info.number == 0 ? "cuda" : base::concat("cuda:", info.number);
  return {name, true, info.name,
          base::concat(info.multiprocessors, " multiprocessors, compute capability ", info.major,
                       ".", info.minor, ", ", base::human_bytes(info.total_bytes)),
          copy_bandwidth(backend)};
}

std::vector<Row> all_rows() {
  std::vector<Row> rows{host_row(base::Backend::reference()), host_row(base::Backend::openmp())};
  std::string reason;
  for (const auto& info : base::cuda::devices(reason)) rows.push_back(device_row(info));
  if (rows.size() == 2) rows.push_back({"cuda", false, "not available: " + reason, "", 0});
  return rows;
}

}  // namespace

Outcome devices(const Invocation& /*call*/, std::ostream& out) {
  Table table({"backend", "device", "", "copy GB/s"});
  std::vector<Json> items;
  for (const Row& row : all_rows()) {
    table.add({row.name, row.device, row.details,
               row.available ? base::brief(row.bandwidth * 1e-9) : ""});
    items.push_back(
        Json::object({{"backend", row.name},
                      {"available", row.available},
                      {"device", row.device},
                      {"details", row.details},
                      {"copy_bytes_per_s", row.available ? Json(row.bandwidth) : Json()}}));
  }
  table.write(out);
  return {ExitCode::success, record({{"backends", Json::array(std::move(items))}})};
}

}  // namespace cisolve::app
