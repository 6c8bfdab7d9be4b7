#include "job/problem/computed.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/openmp/beside.hpp"
#include "job/request/elements.hpp"
#include "job/request/shortage.hpp"

namespace cisolve::job {
namespace {

void require_factors(const Request& request, const ci::HamiltonianRows& h) {
  if (!must_factorise(request) || ci::may_factorise(h)) return;
  base::fail(
      base::Fault::configuration, request.origin, ": storage.elements is ",
      word_of(ElementPath::factorised),
      ", but alpha strings of this space go with lists of beta strings that differ in part, ",
      "or small elements are left out; expected full CI, one irrep of it or a product of ",
      "lists of strings, without a threshold, or elements: ", word_of(ElementPath::on_the_fly));
}

/// Of a lattice of spins: half of its moves turn over what is there. Each leads to a word that is
/// looked up; where there are symmetries, their operations are tried for it.
ci::ProductWork work_of(const ci::SpinRows& rows) {
  const auto& sector = rows.basis().sector();
  const double operations = sector ? static_cast<double>(sector->operations.size()) : 1;
  const double words = static_cast<double>(rows.model().moves.size()) / 2;
  ci::ProductWork work;
  work.walk.look_ups = static_cast<double>(rows.shape().rows) * words;
  work.walk.images = work.walk.look_ups * operations;
  return work;
}

/// Whether a choice depends on what rows tell, wherever their products are taken.
bool asks_for_rows(const Request& request, const base::Backend& backend) {
  return depends_on_rows(request) || !backend.is_host() || may_wait_for_a_device(request);
}

/// Null where there is no room to look: then nothing is known.
template <class Found>
std::unique_ptr<Found> found_in(const ci::HamiltonianRows& h) {
  auto found = if_there_is_room(MemoryOf::any, [&] { return std::make_unique<Found>(h); });
  return found ? *std::move(found) : nullptr;
}

}  // namespace

std::unique_ptr<base::LinearOperator> shared_spins(const base::Communicator& ranks,
                                                   const base::Layout& layout,
                                                   const ci::SpinRows& rows,
                                                   const base::Backend& host) {
  auto product =
      ci::spin_product_of_rows(rows, layout.first_of(ranks.rank()), layout.count(ranks.rank()));
  return base::share_of_rows(ranks, layout, std::move(product), host);
}

std::optional<sparse::RowProfile> profile_for(const Request& request, const sparse::RowSource& rows,
                                              const base::Backend& backend) {
  if (!leaves_format(request) || !asks_for_rows(request, backend)) return std::nullopt;
  if (rows.shape().rows > base::kLargestDimension) return std::nullopt;
  return if_there_is_room(MemoryOf::any, [&] {  // nothing is known where there is none to look
    return sparse::sample_profile(rows, vectors_at_once(request), backend.host());
  });
}

void Computed::tell(const base::Backend& backend, Counts& counts) const {
  if (elements) counts.work = elements->work();
  if (work) counts.work = work;
  if (factors) counts.factors = factors->work(backend);
}

Computed computed_for(const Request& request, const ProblemRows& rows,
                      const std::optional<sparse::RowProfile>& profile) {
  Computed found;
  if (const SpinProblemRows* spins = rows.sites()) found.work = work_of(spins->spins());
  if (!learns_anywhere(request) || rows.determinants() == nullptr) return found;
  const ci::HamiltonianRows& h = rows.determinants()->hamiltonian();
  require_factors(request, h);
  if (profile && profile->nonzeros() < kLeastElements) return found;
  const bool must = must_factorise(request);
  const bool factorises =
      (must || request.elements.path == ElementPath::automatic) && ci::may_factorise(h);
  const auto find_elements = [&h] { return found_in<ci::ComputedHamiltonian>(h); };
  const bool has_both = !must && factorises;
  auto elements = base::begin_beside_if(has_both && ci::is_looked_at_by_several(h.space()),
                                        h.space().host(), find_elements);
  if (factorises) found.factors = found_in<ci::FactorisedHamiltonian>(h);
  if (!must) found.elements = elements.get();
  return found;
}

Computed look_at(const Request& request, const ProblemRows& rows, const base::Backend& backend,
                 Counts& counts) {
  // String matrices are the same whatever the rows are like.
  const auto take_sample = [&] {
    return must_factorise(request) ? std::nullopt : profile_for(request, *rows, backend);
  };
  // What takes long to look at has more elements than would make a difference.
  const Molecule* molecule = molecule_of(rows);
  const bool is_long = molecule != nullptr && ci::is_looked_at_by_several(molecule->space);
  auto sample = base::begin_beside_if(is_long, backend.host(), take_sample);
  if (!is_long) counts.profile = sample.get();
  Computed found = computed_for(request, rows, counts.profile);
  if (is_long) counts.profile = sample.get();
  if (counts.profile) counts.nonzeros = std::max(counts.nonzeros, counts.profile->nonzeros());
  return found;
}

Computed learn(const Request& request, const ProblemRows& rows, const base::Backend& backend,
               Counts& counts) {
  Computed found = look_at(request, rows, backend, counts);
  found.tell(backend, counts);
  return found;
}

}  // namespace cisolve::job
