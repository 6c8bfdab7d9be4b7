#include <primme.h>

#include <algorithm>
#include <stdexcept>

#include "bench/eigensolvers/contest.hpp"

namespace cisolve::bench {
namespace {

const Contest& contest_of(const primme_params* parameters) {
  return *static_cast<const Contest*>(parameters->matrix);
}

void multiply(void* x, PRIMME_INT* ldx, void* y, PRIMME_INT* ldy, int* columns,
              primme_params* parameters, int* error) {
  const Contest& contest = contest_of(parameters);
  contest.multiply({static_cast<const double*>(x), contest.rows(), *columns, *ldx},
                   {static_cast<double*>(y), contest.rows(), *columns, *ldy});
  *error = 0;
}

void precondition(void* x, PRIMME_INT* ldx, void* y, PRIMME_INT* ldy, int* columns,
                  primme_params* parameters, int* error) {
  for (int j = 0; j < *columns; ++j)
    contest_of(parameters)
        .precondition(parameters->ShiftsForPreconditioner[j],
                      static_cast<const double*>(x) + j * *ldx, static_cast<double*>(y) + j * *ldy);
  *error = 0;
}

Answer primme(const Contest& contest, primme_preset_method method, bool preconditioned = true) {
  const Index rows = contest.rows();
  const int states = contest.states();
  primme_params parameters;
  primme_initialize(&parameters);
  parameters.n = rows;
  parameters.matrix = const_cast<Contest*>(&contest);
  parameters.matrixMatvec = multiply;
  parameters.applyPreconditioner = precondition;
  parameters.correctionParams.precondition = preconditioned ? 1 : 0;
  parameters.numEvals = states;
  parameters.target = primme_smallest;
  parameters.maxBlockSize = contest.width();
  parameters.maxBasisSize = contest.columns();
  parameters.aNorm = 1;  // eps is then the norm of a residual
  parameters.eps = contest.tolerance();
  parameters.initSize = states;
  parameters.initBasisMode = primme_init_user;  // the default adds a Krylov space, at a cost
  parameters.maxMatvecs = Contest::kMostProducts;
  parameters.printLevel = 0;
  primme_set_method(method, &parameters);

  Answer answer;
  answer.values.resize(states);
  answer.vectors.resize(rows * states);
  std::vector<double> norms(states);
  for (int j = 0; j < states; ++j)
    std::copy_n(contest.start().block().column(j), rows, answer.vectors.begin() + j * rows);
  const int error = dprimme(answer.values.data(), answer.vectors.data(), norms.data(), &parameters);
  answer.iterations = parameters.stats.numOuterIterations;
  answer.restarts = parameters.stats.numRestarts;
  primme_free(&parameters);
  if (error != 0) throw std::runtime_error("PRIMME error " + std::to_string(error));
  return answer;
}

const RegisterContestant kGd("PRIMME GD+k", [](const Contest& contest) {
  return primme(contest, PRIMME_GD_plusK);
});
const RegisterContestant kOlsen("PRIMME GD+k Olsen", [](const Contest& contest) {
  return primme(contest, PRIMME_GD_Olsen_plusK);
});

const RegisterContestant kPlain("PRIMME GD+k plain", [](const Contest& contest) {
  return primme(contest, PRIMME_GD_plusK, false);
});
const RegisterContestant kDynamic("PRIMME dynamic", [](const Contest& contest) {
  return primme(contest, PRIMME_DYNAMIC);
});

}  // namespace
}  // namespace cisolve::bench
