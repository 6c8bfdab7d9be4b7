#include "base/ranks/agreement.hpp"
#include "job/run/job.hpp"
#include "job/states/eigenstates.hpp"
#include "job/states/row_sample.hpp"

// How the states of a job are held against a second operator, and by whom.
namespace cisolve::job {

bool Job::lie_where_solved() const {
  return found_.result->vectors.backend().kind() == backend_.kind();
}

bool Job::samples() const {
  const Molecule* molecule = rows_ ? molecule_of(*rows_) : nullptr;
  return molecule != nullptr && (served_ || lie_where_solved()) &&
         samples_rows(request_, plans_->plan(), *molecule, backend_, solved_by_one());
}

// String matrices are those of the solution; elements of spins are computed anew, whatever solved.
const base::LinearOperator* Job::for_a_sample(const SecondReading& second) {
  const base::Backend& backend = found_.result->vectors.backend();
  if (served_ && lie_where_solved()) return &*served_;
  if (served_)
    return &served_at_home_.emplace(*workers_, layout_, *matrix_.product, backend_,
                                    ServedProduct::Vectors::at_home);
  if (matrix_.product && lie_where_solved()) return matrix_.product.get();
  const SpinProblemRows* spins = second.spins();
  if (spins == nullptr || !samples_rows(request_, spins->problem(), backend, solved_by_one()))
    return nullptr;
  matrix_.product = ci::spin_product(spins->spins(), backend);
  return matrix_.product.get();
}

std::unique_ptr<ci::RowwiseOperator> Job::read_again(const SecondReading& second,
                                                     const Watch& hear) {
  // Vectors of the first rank's device are sooner read there than on their way to the hosts of all.
  if (ranks_.size() == 1 || !found_.result->vectors.backend().is_host()) return second.direct(hear);
  const Watch hear_of_all = [&](Index rows) { hear(rows * ranks_.size()); };  // as if all told it
  try {
    std::unique_ptr<ServedRows> found;
    told(ranks_, {Wish::share_again});
    base::agree(ranks_, [&] {
      auto own = second.direct(hear ? hear_of_all : Watch());
      found = std::make_unique<ServedRows>(ranks_, std::move(own), host_);
    });
    return found;
  } catch (const base::Error& error) {
    if (error.fault() != base::Fault::resources) throw;
    note({"verification by all ranks", "verification by the first", error.what()});
  }
  return second.direct(hear);
}

// A sample takes what an operator holds, and vectors on the host; where there is no room for them,
// all rows are taken where the states lie.
solver::Verification Job::verified(const SecondReading& second, const Watch& hear) {
  try {
    if (auto found = verified_in_sample(second, hear)) return *std::move(found);
  } catch (const base::Error& error) {
    if (error.fault() != base::Fault::resources) throw;
    note({"verification in a sample of rows", "verification in all rows", error.what()});
  }
  const bool was_served = served_.has_value();
  let_go();
  if (was_served) move_to_device();  // which may have had no room beside the products
  return verified_in_all_rows(second, hear);
}

// The devices of all ranks multiply also where that of the first has no room for whole images.
std::optional<solver::Verification> Job::verified_in_sample(const SecondReading& second,
                                                            const Watch& hear) {
  solver::Result& result = *found_.result;
  const auto verify_there = [&]() -> std::optional<solver::Verification> {
    const base::LinearOperator* first = for_a_sample(second);
    if (first == nullptr) return {};
    const base::MultiVector& states = at_home_ ? *at_home_ : result.vectors;
    // Who has the states on its host reads rows by itself: the others may have no room for them.
    const auto again = [&] {
      return served_at_home_ ? std::unique_ptr<ci::RowwiseOperator>(second.direct({}))
                             : read_again(second, {});
    };
    auto found = verify_sample(request_, second, again, result, states, *first);
    if (hear) hear(result.vectors.rows());
    return found;
  };
  if (!served_ || result.vectors.backend().is_host()) return verify_there();
  try {
    return verify_there();
  } catch (const base::DeviceMemoryError& error) {
    note({"vectors of the verification on the device", "vectors of the verification on the host",
          error.what()});
  }
  result.vectors = brought_home(result.vectors);
  return verify_there();
}

solver::Verification Job::verified_in_all_rows(const SecondReading& second, const Watch& hear) {
  const solver::Result& result = *found_.result;
  const base::Backend& backend = result.vectors.backend();
  if (ranks_.size() == 1 || !backend.is_host() || !second.is_direct(backend))
    return verify_again(request_, second, second.matrix(backend, hear), result);
  try {
    return verify_again(request_, second, {read_again(second, hear), host_}, result);
  } catch (const base::Error& error) {
    if (error.fault() != base::Fault::resources) throw;
    note({"verification by all ranks", "verification by the first", error.what()});
  }
  return verify_again(request_, second, second.matrix(backend, hear), result);
}

// Ranks share the work of either, or of verification alone.
double Job::solved_by_one() const { return found_.times.of("solve_s") * ranks_.size(); }

}  // namespace cisolve::job
