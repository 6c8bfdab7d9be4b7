#include "bench/products/lattices.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

#include "job/problem/source.hpp"
#include "sparse/formats/csr.hpp"

namespace cisolve::bench {
namespace {

NamedMatrix of_request(std::string name, const job::Request& request) {
  return {std::move(name), [request](const base::Backend& host) {
            return sparse::build_csr(*job::open_rows(request, host), host);
          }};
}

NamedMatrix lattice(std::string name, const job::Request::Lattice& shape) {
  job::Request request;
  request.origin = name;
  request.source = job::ProblemSource::lattice;
  request.lattice = shape;
  return of_request(std::move(name), request);
}

/// Hubbard model with U = 4 t at half filling on twelve sites; the bonds are one-electron
/// integrals.
class Sites {
 public:
  static constexpr Index kSites = 12;

  Sites() : integrals_(std::make_shared<job::GivenIntegrals>()) {
    integrals_->orbitals = static_cast<int>(kSites);
    integrals_->alpha = integrals_->beta = static_cast<int>(kSites / 2);
    integrals_->one_body.resize(kSites * kSites);
    integrals_->two_body.resize(kPairs * (kPairs + 1) / 2);
    for (Index site = 0; site < kSites; ++site) repel(site, site, 4);
  }

  void bind(Index p, Index q, double hopping) {
    integrals_->one_body[p * kSites + q] = integrals_->one_body[q * kSites + p] = -hopping;
  }
  void repel(Index p, Index q, double strength) {
    const Index high = std::max(pair(p, p), pair(q, q));
    integrals_->two_body[high * (high + 1) / 2 + std::min(pair(p, p), pair(q, q))] = strength;
  }

  NamedMatrix matrix(std::string name) const {
    job::Request request;
    request.origin = name;
    request.source = job::ProblemSource::integrals;
    request.integrals = integrals_;
    return of_request(std::move(name), request);
  }

 private:
  static constexpr Index kPairs = kSites * (kSites + 1) / 2;
  static Index pair(Index p, Index q) { return p * (p + 1) / 2 + q; }

  std::shared_ptr<job::GivenIntegrals> integrals_;
};

/// A chain whose hopping falls with the square of the distance, and whose repulsion falls with the
/// distance.
NamedMatrix long_range() {
  Sites sites;
  for (Index p = 0; p < Sites::kSites; ++p)
    for (Index q = 0; q < p; ++q) {
      const auto distance = static_cast<double>(p - q);
      sites.bind(p, q, 1 / (distance * distance));
      sites.repel(p, q, 1 / distance);
    }
  return sites.matrix("long-range-12");
}

/// Three bonds per site: a ring, and a random perfect matching.
NamedMatrix random_graph() {
  Sites sites;
  std::mt19937_64 random(1);
  std::vector<Index> order(Sites::kSites);
  for (Index site = 0; site < Sites::kSites; ++site) {
    sites.bind((site + 1) % Sites::kSites, site, 1);
    order[site] = site;
  }
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random() % left]);
  for (Index k = 0; k < Sites::kSites; k += 2) sites.bind(order[k], order[k + 1], 1);
  return sites.matrix("random-graph-12");
}

}  // namespace

std::vector<NamedMatrix> lattices() {
  return {
      lattice("chain-12", {.columns = 12}),
      lattice("ring-14", {.columns = 14, .periodic_columns = true}),
      lattice("plane-4x3", {.columns = 4, .rows = 3}),
      lattice("heisenberg-20", {.model = job::LatticeModel::heisenberg, .columns = 5, .rows = 4}),
      long_range(),
      random_graph()};
}

}  // namespace cisolve::bench
