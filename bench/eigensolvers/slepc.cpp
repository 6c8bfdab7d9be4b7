#include <slepceps.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "bench/eigensolvers/contest.hpp"

namespace cisolve::bench {
namespace {

void require(PetscErrorCode code) {
  if (code == PETSC_ERR_NOT_CONVERGED) throw std::runtime_error("too many products");
  if (code != 0) throw std::runtime_error("SLEPc error " + std::to_string(code));
}

/// SLEPc for the life of the program.
class Session {
 public:
  Session() {
    require(SlepcInitializeNoArguments());
    require(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  }
  ~Session() { SlepcFinalize(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

/// A PETSc object that is destroyed with this.
template <class Object, PetscErrorCode (*destroy)(Object*)>
class Owned {
 public:
  Owned() = default;
  ~Owned() { destroy(&object_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Object* address() { return &object_; }
  operator Object() const { return object_; }

 private:
  Object object_ = nullptr;
};

/// Data of the callbacks. The preconditioner is (D - theta)^-1 as for all solvers: SLEPc's own
/// Jacobi is D^-1, so theta is taken from the monitor, which gets the Ritz values of the
/// unconverged states after each iteration.
struct CallbackData {
  const Contest& contest;
  std::vector<double> shifts;  // shifts of one iteration's residuals, in order
  std::size_t call = 0;
  bool in_turn = true;  // false: all calls use the first shift
};

PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
  CallbackData* shared = nullptr;
  PetscCall(MatShellGetContext(matrix, &shared));
  const Contest& contest = shared->contest;
  if (contest.exhausted()) return PETSC_ERR_NOT_CONVERGED;
  const double* from = nullptr;
  double* to = nullptr;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  contest.multiply({from, contest.rows(), 1, contest.rows()},
                   {to, contest.rows(), 1, contest.rows()});
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(VecRestoreArrayWrite(y, &to));
  return 0;
}

PetscErrorCode precondition(PC pc, Vec x, Vec y) {
  void* context = nullptr;
  PetscCall(PCShellGetContext(pc, &context));
  auto* shared = static_cast<CallbackData*>(context);
  const double shift = shared->in_turn
                           ? shared->shifts[std::min(shared->call++, shared->shifts.size() - 1)]
                           : shared->shifts.front();
  const double* from = nullptr;
  double* to = nullptr;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  shared->contest.precondition(shift, from, to);
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(VecRestoreArrayWrite(y, &to));
  return 0;
}

PetscErrorCode learn_shifts(EPS /*eps*/, PetscInt /*iteration*/, PetscInt converged,
                            PetscScalar* values, PetscScalar* /*imaginary*/, PetscReal* /*errors*/,
                            PetscInt known, void* context) {
  auto* shared = static_cast<CallbackData*>(context);
  shared->call = 0;
  if (known > converged) shared->shifts.assign(values + converged, values + known);
  return 0;
}

void set_up(EPS eps, CallbackData& shared, const char* type) {
  const Contest& contest = shared.contest;
  require(EPSSetProblemType(eps, EPS_HEP));
  require(EPSSetType(eps, type));
  require(EPSSetWhichEigenpairs(eps, EPS_SMALLEST_REAL));
  require(EPSSetDimensions(eps, contest.states(), contest.columns(), contest.columns()));
  require(EPSSetConvergenceTest(eps, EPS_CONV_ABS));
  require(
      EPSSetTolerances(eps, contest.tolerance(), static_cast<PetscInt>(Contest::kMostProducts)));
  require(EPSMonitorSet(eps, learn_shifts, &shared, nullptr));
  if (std::string(type) == EPSGD)
    require(EPSGDSetBlockSize(eps, contest.width()));
  else
    require(EPSJDSetBlockSize(eps, contest.width()));
  ST st = nullptr;
  KSP ksp = nullptr;
  PC pc = nullptr;
  require(EPSGetST(eps, &st));
  require(STSetType(st, STPRECOND));
  require(STGetKSP(st, &ksp));
  require(KSPGetPC(ksp, &pc));
  require(PCSetType(pc, PCSHELL));
  require(PCShellSetContext(pc, &shared));
  require(PCShellSetApply(pc, precondition));
}

Answer slepc(const Contest& contest, const char* type) {
  static const Session session;
  CallbackData shared{contest, {}};
  shared.in_turn = std::string(type) == EPSGD;
  for (int j = 0; j < contest.states(); ++j) {
    const double* x = contest.start().block().column(j);
    shared.shifts.push_back(contest.diagonal()[std::max_element(x, x + contest.rows()) - x]);
  }
  const auto rows = static_cast<PetscInt>(contest.rows());
  Owned<Mat, MatDestroy> matrix;
  Owned<EPS, EPSDestroy> eps;
  require(MatCreateShell(PETSC_COMM_SELF, rows, rows, rows, rows, &shared, matrix.address()));
  require(MatShellSetOperation(matrix, MATOP_MULT, reinterpret_cast<void (*)()>(multiply)));
  require(MatSetOption(matrix, MAT_SYMMETRIC, PETSC_TRUE));
  require(EPSCreate(PETSC_COMM_SELF, eps.address()));
  require(EPSSetOperators(eps, matrix, nullptr));
  set_up(eps, shared, type);

  std::vector<Vec> start(contest.states());
  for (int j = 0; j < contest.states(); ++j) {
    require(VecCreateSeq(PETSC_COMM_SELF, rows, &start[j]));
    double* values = nullptr;
    require(VecGetArrayWrite(start[j], &values));
    std::copy_n(contest.start().block().column(j), rows, values);
    require(VecRestoreArrayWrite(start[j], &values));
  }
  require(EPSSetInitialSpace(eps, contest.states(), start.data()));
  for (Vec& vector : start) require(VecDestroy(&vector));
  require(EPSSolve(eps));

  PetscInt converged = 0;
  PetscInt iterations = 0;
  require(EPSGetConverged(eps, &converged));
  require(EPSGetIterationNumber(eps, &iterations));
  Answer answer{{}, {}, iterations, -1};
  Owned<Vec, VecDestroy> vector;
  require(VecCreateSeq(PETSC_COMM_SELF, rows, vector.address()));
  for (PetscInt j = 0; j < std::min<PetscInt>(converged, contest.states()); ++j) {
    double value = 0;
    require(EPSGetEigenpair(eps, j, &value, nullptr, vector, nullptr));
    const double* x = nullptr;
    require(VecGetArrayRead(vector, &x));
    answer.values.push_back(value);
    answer.vectors.insert(answer.vectors.end(), x, x + rows);
    require(VecRestoreArrayRead(vector, &x));
  }
  return answer;
}

const RegisterContestant kGd("SLEPc gd",
                             [](const Contest& contest) { return slepc(contest, EPSGD); });
const RegisterContestant kJd("SLEPc jd",
                             [](const Contest& contest) { return slepc(contest, EPSJD); });

}  // namespace
}  // namespace cisolve::bench
