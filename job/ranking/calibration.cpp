#include "job/ranking/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/block_kernels.hpp"
#include "base/error.hpp"
#include "base/multivector.hpp"
#include "base/random.hpp"
#include "base/stopwatch.hpp"
#include "ci/hamiltonian/on_the_fly/factories.hpp"
#include "job/methods/prepare.hpp"
#include "job/problem/source.hpp"
#include "job/ranking/rank_plans.hpp"
#include "job/request/shortage.hpp"

namespace cisolve::job {
namespace {

/// Integrals without any symmetry.
std::shared_ptr<const GivenIntegrals> made_up(CalibrationSize size) {
  const auto [orbitals, electrons] = size;
  auto given = std::make_shared<GivenIntegrals>();
  *given = {.orbitals = orbitals,
            .alpha = electrons,
            .beta = electrons,
            .core_energy = 0,
            .one_body = {},
            .two_body = {}};
  auto random = [next = std::uint64_t{0}]() mutable {
    return base::unit_interval(base::mix(++next)) - 0.5;
  };
  given->one_body.resize(static_cast<std::size_t>(orbitals) * orbitals);
  for (int p = 0; p < orbitals; ++p)
    for (int q = 0; q <= p; ++q)
      given->one_body[p * orbitals + q] = given->one_body[q * orbitals + p] =
          p == q ? p : 0.1 * random();
  const std::size_t pairs = static_cast<std::size_t>(orbitals) * (orbitals + 1) / 2;
  for (std::size_t i = 0; i < pairs * (pairs + 1) / 2; ++i)
    given->two_body.push_back(0.1 * random());
  return given;
}

/// Geometric mean of measured over predicted times.
class Factor {
 public:
  void add(double measured, std::optional<double> predicted) {
    if (!predicted || *predicted <= 0 || measured <= 0) return;
    sum_ += std::log(measured / *predicted);
    ++count_;
  }
  double mean() const { return count_ == 0 ? 1 : clamped_factor(std::exp(sum_ / count_)); }

 private:
  double sum_ = 0;
  int count_ = 0;
};

class Calibration {
 public:
  Calibration(const base::Backend& backend, CalibrationSize size)
      : backend_(backend),
        request_(request_for(backend, size)),
        rows_(open_rows(request_, backend.host())) {
    const auto profile = sparse::sample_profile(*rows_, 1, backend_.host());
    counts_ = {.rows = static_cast<double>(profile.rows), .nonzeros = profile.nonzeros()};
    counts_.profile = profile;
    counts_.work = ci::ComputedHamiltonian(hamiltonian()).work();
  }

  MachineFactors measured() {
    MachineFactors factors{.is_measured = true};
    Factor stored;
    Factor coded;
    Factor blocks;
    Factor making;
    take(ElementPath::precomputed, stored, &making);
    take(ElementPath::coded, coded, nullptr);
    take(ElementPath::on_the_fly, blocks, nullptr);
    factors.stored = stored.mean();
    factors.coded = coded.mean();
    factors.blocks = blocks.mean();
    factors.making = making.mean();
    factors.rows = by_rows();
    return factors;
  }

 private:
  static Request request_for(const base::Backend& backend, CalibrationSize size) {
    Request request;
    request.origin = "the calibration";
    request.source = ProblemSource::integrals;
    request.integrals = made_up(size);
    request.backend = backend.kind();
    return request;
  }

  const ci::HamiltonianRows& hamiltonian() const { return rows_.determinants()->hamiltonian(); }

  /// Measures every plan of an element path.
  void take(ElementPath elements, Factor& products, Factor* making) {
    Request request = request_;
    request.elements.path = elements;
    for (const Plan& plan : rank_plans(request, counts_, Resources::of(backend_, {}))) {
      if (plan.on_device == backend_.is_host() || !plan.fits()) continue;
      run_catching_shortage(MemoryOf::any, [&] {
        const auto prepared = prepare_product(rows_, plan, backend_);
        if (making != nullptr) making->add(prepared.description.build_seconds, plan.setup_seconds);
        products.add(seconds(*prepared.product), plan.product_seconds);
      });
    }
  }

  double by_rows() {
    MatrixEstimate counts = counts_;
    counts.work->by_blocks = false;
    Request request = request_;
    request.elements.path = ElementPath::on_the_fly;
    const Plan plan = rank_plans(request, counts, Resources::of(backend_, {})).front();
    const auto product = backend_.is_host() ? ci::by_rows(hamiltonian())
                                            : ci::cuda::by_rows(hamiltonian(), backend_);
    Factor factor;
    factor.add(seconds(*product), plan.product_seconds);
    return factor.mean();
  }

  /// The fastest of a few runs, to exclude other load on the machine.
  double seconds(const base::LinearOperator& product) const {
    constexpr int kRuns = 7;
    constexpr double kEnough = 0.5;  // seconds
    base::MultiVector x(backend_, product.rows(), 1, "the vector x");
    base::MultiVector y(backend_, product.rows(), 1, "the vector y");
    base::block_kernels(backend_).randomise(backend_, 1, x.block());
    double least = std::numeric_limits<double>::infinity();
    const base::Stopwatch all;
    for (int run = 0; run < kRuns && (run < 2 || all.seconds() < kEnough); ++run) {
      backend_.synchronize();
      const base::Stopwatch watch;
      product.apply(x.block(), y.block());
      backend_.synchronize();
      least = std::min(least, watch.seconds());
    }
    return least;
  }

  base::Backend backend_;
  Request request_;
  ProblemRows rows_;
  MatrixEstimate counts_;
};

}  // namespace

CalibrationSize CalibrationSize::of(const base::Backend& backend) {
  return backend.is_host() ? CalibrationSize{10, 4} : CalibrationSize{12, 5};
}

MachineFactors calibrate(const base::Backend& backend, CalibrationSize size) {
  return Calibration(backend, size).measured();
}

}  // namespace cisolve::job
