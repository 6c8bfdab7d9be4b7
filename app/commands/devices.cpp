#include <ostream>

#include "app/commands/commands.hpp"
#include "app/commands/common.hpp"
#include "app/config/machine_rates.hpp"
#include "app/report/table.hpp"
#include "base/block_kernels.hpp"
#include "base/device.hpp"
#include "base/multivector.hpp"
#include "base/number.hpp"
#include "base/stopwatch.hpp"
#include "job/ranking/calibration.hpp"

namespace cisolve::app {
namespace {

// Bytes read and written per second by the backend's copy; best of five.
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
  std::string device;  // the device's name, or why there is none
  std::string details;
  double bandwidth = 0;
  std::string rates = {};  // name under which they are saved; empty: no rates
};

Row host_row(const base::Backend& backend, const char* rates) {
  return {std::string(backend.name()),
          true,
          processor_name(),
          base::concat(backend.description(), ", ", base::human_bytes(backend.memory().limit()),
                       " available"),
          copy_bandwidth(backend),
          rates};
}

Row device_row(const base::cuda::DeviceInfo& info) {
  const base::Backend backend = base::Backend::cuda(info.number);
  const std::string name = info.number == 0 ? "cuda" : base::concat("cuda:", info.number);
  return {name,
          true,
          info.name,
          base::concat(info.multiprocessors, " multiprocessors, compute capability ", info.major,
                       ".", info.minor, ", ", base::human_bytes(info.total_bytes)),
          copy_bandwidth(backend),
          info.name};
}

std::vector<Row> all_rows() {
  std::vector<Row> rows{host_row(base::Backend::reference(), ""),
                        host_row(base::Backend::openmp(), job::kHostName)};
  std::string reason;
  for (const auto& info : base::cuda::devices(reason)) rows.push_back(device_row(info));
  if (rows.size() == 2) rows.push_back({"cuda", false, "not available: " + reason, "", 0});
  return rows;
}

void calibrate(const Row& row, std::ostream& out) {
  const base::Backend backend = base::Backend::by_name(row.name, 0, {});
  const auto path = save_machine_rates(row.rates, job::calibrate(backend));
  out << "rates of " << row.name << " are saved in " << path.string() << '\n';
}

void write_rates(const Row& row, const job::MachineFactors& factors, std::ostream& out) {
  out << "rates      " << row.name << ": ";
  if (!factors.is_measured) {
    out << "built in; 'ci-solve devices --calibrate' measures them\n";
    return;
  }
  out << "measured; relative to the built-in rates, the time of a product is "
      << base::brief(factors.stored) << " (stored), " << base::brief(factors.coded) << " (coded), "
      << base::brief(factors.blocks) << " (computed by blocks), " << base::brief(factors.rows)
      << " (by rows), that of building a matrix " << base::brief(factors.making) << '\n';
}

Json factors_record(const job::MachineFactors& factors) {
  return Json::object({{"measured", factors.is_measured},
                       {"stored", factors.stored},
                       {"coded", factors.coded},
                       {"blocks", factors.blocks},
                       {"rows", factors.rows},
                       {"making", factors.making}});
}

}  // namespace

CommandOutcome devices(const Invocation& call, std::ostream& out) {
  Table table({"backend", "device", "", "copy GB/s"});
  std::vector<Json> items;
  if (call.calibrate) require_rates_folder(job::kHostName);  // fails before seconds of work
  const std::vector<Row> rows = all_rows();
  if (call.calibrate)
    for (const Row& row : rows)
      if (!row.rates.empty()) calibrate(row, out);
  job::MachineFactorsByName machine_factors = machine_rates();
  for (const Row& row : rows) {
    table.add({row.name, row.device, row.details,
               row.available ? base::brief(row.bandwidth * 1e-9) : ""});
    items.push_back(Json::object(
        {{"backend", row.name},
         {"available", row.available},
         {"device", row.device},
         {"details", row.details},
         {"copy_bytes_per_s", row.available ? Json(row.bandwidth) : Json()},
         {"rates", row.rates.empty() ? Json() : factors_record(machine_factors[row.rates])}}));
  }
  table.write(out);
  for (const Row& row : rows)
    if (!row.rates.empty()) write_rates(row, machine_factors[row.rates], out);
  return {ExitCode::success, record({{"backends", Json::array(std::move(items))}})};
}

}  // namespace cisolve::app
