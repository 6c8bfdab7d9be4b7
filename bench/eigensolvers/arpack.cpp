#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/random.hpp"
#include "bench/eigensolvers/contest.hpp"

// ARPACK in Fortran: the library behind SciPy's eigsh and MATLAB's eigs.
extern "C" {
void dsaupd_(int* ido, const char* bmat, const int* n, const char* which, const int* nev,
             const double* tol, double* resid, const int* ncv, double* v, const int* ldv,
             int* iparam, int* ipntr, double* workd, double* workl, const int* lworkl, int* info);
void dseupd_(const int* rvec, const char* howmny, int* select, double* d, double* z, const int* ldz,
             const double* sigma, const char* bmat, const int* n, const char* which, const int* nev,
             const double* tol, double* resid, const int* ncv, double* v, const int* ldv,
             int* iparam, int* ipntr, double* workd, double* workl, const int* lworkl, int* info);
}
// NOLINTEND(readability-identifier-naming)

namespace cisolve::bench {
namespace {

/// ARPACK stores no images, so twice the columns take the memory of the others.
Answer arpack(const Contest& contest, bool is_wide) {
  const auto rows = static_cast<int>(contest.rows());
  const int states = contest.states();
  const int columns = std::min((is_wide ? 2 : 1) * contest.columns(), rows);
  const int workspace_size = columns * (columns + 8);
  const double tolerance = contest.tolerance() / std::max(contest.size(), 1e-3);  // relative
  std::vector<double> residual(rows);
  base::RandomStream random(17, 3);
  for (double& value : residual) value = 2 * random.uniform() - 1;
  std::vector<double> v(static_cast<std::size_t>(rows) * columns);
  std::vector<double> work(3 * static_cast<std::size_t>(rows));
  std::vector<double> small(workspace_size);
  int parameters[11] = {1, 0, static_cast<int>(Contest::kMostProducts), 1, 0, 0, 1};
  int at[11] = {};
  int what = 0;
  int info = 1;  // a start vector is given
  while (true) {
    dsaupd_(&what, "I", &rows, "SA", &states, &tolerance, residual.data(), &columns, v.data(),
            &rows, parameters, at, work.data(), small.data(), &workspace_size, &info);
    if (what != 1 && what != -1) break;
    if (contest.exhausted()) throw std::runtime_error("too many products");
    contest.multiply({work.data() + at[0] - 1, rows, 1, rows},
                     {work.data() + at[1] - 1, rows, 1, rows});
  }
  if (info < 0) throw std::runtime_error("ARPACK error " + std::to_string(info));
  Answer answer;
  answer.iterations = parameters[2];
  answer.restarts = parameters[2];
  answer.values.resize(states);
  answer.vectors.resize(static_cast<std::size_t>(rows) * states);
  std::vector<int> select(columns);
  const int wants_vectors = 1;
  const double shift = 0;
  dseupd_(&wants_vectors, "A", select.data(), answer.values.data(), answer.vectors.data(), &rows,
          &shift, "I", &rows, "SA", &states, &tolerance, residual.data(), &columns, v.data(), &rows,
          parameters, at, work.data(), small.data(), &workspace_size, &info);
  if (info != 0) throw std::runtime_error("ARPACK error " + std::to_string(info));
  return answer;
}

const RegisterContestant kArpack("ARPACK",
                                 [](const Contest& contest) { return arpack(contest, false); });
const RegisterContestant kWide("ARPACK wide",
                               [](const Contest& contest) { return arpack(contest, true); });

}  // namespace
}  // namespace cisolve::bench
