#include "bench/products/measure.hpp"

#include <algorithm>
#include <deque>
#include <limits>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "bench/products/kernels.hpp"
#include "bench/products/reference.hpp"
#include "job/products/timing.hpp"

namespace cisolve::bench {
namespace {

constexpr int kDropped = 2;  // rounds that warm up and are not counted

base::Backend backend_for(const Kernel& kernel, const TimedBackend& timed) {
  if (kernel.backend == base::BackendKind::cuda) return timed.backend();
  return base::Backend::openmp(kernel.threads);
}

/// A prepared kernel with its vectors and samples.
struct Runner {
  const Kernel* kernel;
  TimedBackend* timed;
  std::unique_ptr<PreparedMatrix> prepared;
  KernelResult outcome;
  int products = 1;  // products per run
  std::vector<double> samples = {};
};

/// Rates in bytes per second, by kind of backend, sampled while a matrix is measured.
struct RateSamples {
  std::vector<double> copies[3];
  std::vector<double> reads[3];
};

struct Vectors {
  Vectors(const base::Backend& backend, const base::MultiVector& from, Index rows)
      : x(from.to(backend)), y(backend, rows, from.columns(), "the vectors y") {}
  base::MultiVector x;
  base::MultiVector y;
};

}  // namespace

Spread spread_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::ranges::sort(samples);
  return {job::quantile(samples, 0.25), job::quantile(samples, 0.5), job::quantile(samples, 0.75)};
}

/// One matrix and one number of vectors.
class Measurer::Session {
 public:
  Session(Measurer& owner, const Workload& matrix, int vectors, RateSamples& rates,
          MatrixResults& result)
      : owner_(owner),
        matrix_(matrix),
        vectors_(vectors),
        reference_(matrix, vectors, owner.host()),
        rates_(rates),
        result_(result) {}

  void run(const std::vector<Kernel>& kernels) {
    std::deque<const Kernel*> waiting;
    for (const Kernel& kernel : kernels) waiting.push_back(&kernel);
    while (!waiting.empty()) {
      std::vector<Runner> batch;
      while (!waiting.empty() && admit(*waiting.front(), batch)) waiting.pop_front();
      run_rounds(batch);
      for (Runner& runner : batch) finish(runner);
    }
  }

 private:
  KernelResult blank(const Kernel& kernel) const {
    return {.kernel = full_name(kernel),
            .backend = kernel.backend,
            .threads = kernel.threads,
            .precision = kernel.precision,
            .vectors = vectors_};
  }

  void skip(const Kernel& kernel, std::string why) {
    KernelResult outcome = blank(kernel);
    outcome.skipped = std::move(why);
    result_.outcomes.push_back(std::move(outcome));
  }

  /// False if memory is full and the kernel must wait for the next batch.
  bool admit(const Kernel& kernel, std::vector<Runner>& batch) {
    if (const std::string why = kernel.refusal(matrix_, vectors_); !why.empty()) {
      skip(kernel, why);
      return true;
    }
    try {
      TimedBackend& timed = owner_.timed_backend(kernel.backend);
      Vectors& vectors = vectors_on(timed);
      Runner runner{&kernel, &timed, nullptr, blank(kernel)};
      const base::Backend backend = backend_for(kernel, timed);
      if (!backend.is_host()) matrix_.csr_on(backend);  // shared: no kernel's own conversion
      const base::Stopwatch watch;
      runner.prepared = kernel.prepare(matrix_, backend, vectors_);
      backend.synchronize();
      runner.outcome.conversion_seconds = watch.seconds();
      runner.outcome.bytes = runner.prepared->bytes();
      runner.prepared->load(std::as_const(vectors.x).block(), std::as_const(vectors.y).block());
      check(runner, vectors);
      batch.push_back(std::move(runner));
    } catch (const base::Error& error) {
      if (error.kind() == base::ErrorKind::resources && !batch.empty()) return false;
      skip(kernel, error.what());
    }
    return true;
  }

  Vectors& vectors_on(const TimedBackend& timed) {
    auto& vectors = timed.backend().is_host() ? on_host_ : on_device_;
    if (!vectors)
      vectors = std::make_unique<Vectors>(timed.backend(), reference_.x(), matrix_.rows());
    return *vectors;
  }

  /// Compares one product, into a y of NaN, with the reference, and sets the number of products per
  /// run.
  void check(Runner& runner, Vectors& vectors) {
    base::MultiVector none(owner_.host(), matrix_.rows(), vectors_);
    for (int j = 0; j < vectors_; ++j)
      std::fill_n(none.block().column(j), none.rows(), std::numeric_limits<double>::quiet_NaN());
    vectors.y = none.to(vectors.y.backend());
    const double seconds = runner.timed->seconds([&] { multiply(runner, vectors); });
    runner.prepared->store(vectors.y.block());
    runner.outcome.error = reference_.error(vectors.y.to(owner_.host()));
    const double unit = runner.kernel->precision == Precision::double_precision
                            ? std::numeric_limits<double>::epsilon() / 2
                            : std::numeric_limits<float>::epsilon() / 2.0;
    runner.outcome.right = runner.outcome.error <= reference_.allowed_error(unit);
    if (seconds < runner.timed->shortest_run())
      runner.products = static_cast<int>(
          std::clamp(runner.timed->shortest_run() / std::max(seconds, 1e-9), 1.0, 1e4));
  }

  static void multiply(Runner& runner, Vectors& vectors) {
    runner.prepared->multiply(1, std::as_const(vectors.x).block(), 0, vectors.y.block());
  }

  void run_rounds(std::vector<Runner>& batch) {
    for (int round = 0; round < owner_.options_.repeat + kDropped && !batch.empty(); ++round) {
      for (Runner& runner : batch) {
        Vectors& vectors = vectors_on(*runner.timed);
        const auto product = [&] { multiply(runner, vectors); };
        runner.timed->settle(runner.outcome.bytes, product);
        const double seconds = runner.timed->seconds([&] {
          for (int i = 0; i < runner.products; ++i) product();
        });
        if (round >= kDropped) runner.samples.push_back(seconds / runner.products);
      }
      if (round >= kDropped) take_rates(batch);
    }
  }

  void take_rates(const std::vector<Runner>& batch) {
    constexpr std::size_t enough = 15;
    for (const auto kind : {base::BackendKind::openmp, base::BackendKind::cuda}) {
      const auto is_there = [&](const Runner& runner) { return runner.kernel->backend == kind; };
      std::vector<double>& copies = rates_.copies[static_cast<int>(kind)];
      if (std::ranges::none_of(batch, is_there) || copies.size() >= enough) continue;
      const TimedBackend::Rates rates = owner_.timed_backend(kind).rates();
      copies.push_back(rates.copy);
      rates_.reads[static_cast<int>(kind)].push_back(rates.read);
    }
  }

  void finish(Runner& runner) {
    KernelResult& outcome = runner.outcome;
    outcome.runs = static_cast<int>(runner.samples.size());
    outcome.seconds = spread_of(std::move(runner.samples));
    const auto nonzeros = static_cast<double>(matrix_.nonzeros());
    const double element = outcome.precision == Precision::double_precision ? 8 : 4;
    const double vector_bytes =
        element * vectors_ * static_cast<double>(matrix_.rows() + matrix_.columns());
    if (outcome.seconds.median > 0) {
      const double per_second = 1e-9 / outcome.seconds.median;
      outcome.gflops = 2 * nonzeros * vectors_ * per_second;
      outcome.gbytes = 12 * nonzeros * per_second;
      outcome.own_gbytes = (static_cast<double>(outcome.bytes) + vector_bytes) * per_second;
    }
    result_.outcomes.push_back(std::move(outcome));
  }

  Measurer& owner_;
  const Workload& matrix_;
  int vectors_;
  Reference reference_;
  RateSamples& rates_;
  MatrixResults& result_;
  std::unique_ptr<Vectors> on_host_;
  std::unique_ptr<Vectors> on_device_;
};

Measurer::Measurer(MeasureOptions options)
    : options_(std::move(options)),
      host_(timed_host(base::Backend::openmp(), options_.rate_bytes)) {}

Measurer::~Measurer() = default;

const base::Backend& Measurer::host() const { return host_->backend(); }

TimedBackend& Measurer::timed_backend(base::BackendKind kind) {
  if (kind != base::BackendKind::cuda) return *host_;
  if (!device_) device_ = timed_device(base::Backend::cuda(), options_.rate_bytes);
  return *device_;
}

MatrixResults Measurer::measure(const Workload& matrix, const std::vector<Kernel>& kernels) {
  MatrixResults result{.name = matrix.name(),
                       .shape = matrix.csr().shape,
                       .nonzeros = matrix.nonzeros(),
                       .longest_row = matrix.longest_row()};
  const sparse::CsrRows rows(matrix.csr());
  RateSamples samples;
  for (const int vectors : options_.vectors) {
    result.profiles.push_back(sparse::sample_profile(rows, vectors, host()));
    if (options_.report)
      options_.report(base::concat(matrix.name(), ": ", matrix.rows(), " x ", matrix.columns(),
                                   ", ", matrix.nonzeros(), " non-zeros, ", vectors,
                                   vectors == 1 ? " vector" : " vectors"));
    Session(*this, matrix, vectors, samples, result).run(kernels);
  }
  for (const auto kind : {base::BackendKind::openmp, base::BackendKind::cuda})
    if (const auto& copies = samples.copies[static_cast<int>(kind)]; !copies.empty())
      result.rates.push_back({kind, timed_backend(kind).backend().description(), spread_of(copies),
                              spread_of(samples.reads[static_cast<int>(kind)])});
  for (KernelResult& outcome : result.outcomes)
    for (const BackendRates& rates : result.rates)
      if (rates.backend == outcome.backend)
        outcome.fraction_of_copy = 1e9 * outcome.gbytes / rates.copy.median;
  return result;
}

}  // namespace cisolve::bench
