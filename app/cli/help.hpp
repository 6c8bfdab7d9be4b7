#pragma once

// Examples for the help of each command; each runs as printed.
namespace cisolve::app::help {

inline constexpr const char* kProgram =
    "Computes the lowest eigenstates of configuration-interaction matrices, and verifies them.";

inline constexpr const char* kExamples = R"(Examples:
  ci-solve configs/quickstart.yaml                     a first job: a small matrix, generated
  ci-solve configs/h2o-fci.yaml                        a molecule: full CI of water
  ci-solve h2o.fcidump                                 integrals alone; the defaults are printed
  ci-solve init h2o.fcidump                            write a commented configuration
  ci-solve resume out/h2o-fci                          resume an interrupted job
  ci-solve configs/quickstart.yaml --set storage.format=csr --force
  ci-solve check configs/paper-matrix.yaml             how much memory would each format take?
  ci-solve sweep configs/boundary-sweep.yaml           which BOUNDARY is fastest?
  ci-solve plot out/boundary-sweep                     draw it
  ci-solve devices                                     where can it run?
  ci-solve matrix generate a.mtx --rows 2000 --symmetric
  ci-solve matrix product a.mtx                        which format is fastest?

Exit codes: 0 converged and verified; 2 usage; 3 not converged; 4 verification failed; 65 bad
input; 66 no such input; 69 backend not available; 71 out of memory; 73 cannot write;
75 interrupted, can be resumed; 78 bad configuration.)";

inline constexpr const char* kCheck = R"(Examples:
  ci-solve check configs/paper-matrix.yaml
  ci-solve check configs/paper-matrix.yaml --set storage.boundary=700 --json -
  ci-solve check configs/h2o-fci.yaml --diagnose
  ci-solve check configs/h2o-fci.yaml --ranks 16 --card h200

The exit code is 0 whether or not the job fits; see the last lines, or `fits` in the record.)";

inline constexpr const char* kSweep = R"(Examples:
  ci-solve sweep configs/boundary-sweep.yaml
  ci-solve sweep configs/quickstart.yaml --set "sweep.storage.format=[csr, sell, hybrid]"
  ci-solve sweep job.yaml --set "sweep.storage.boundary=[auto, {from: 0, to: 700, step: 50}]"

The configuration says what is swept:
  sweep: {storage.boundary: [0, 100, 200, auto], repeat: 20}
A value is one of the key's own, a range {from, to, step} or {from, to, factor}, or
{value: n2_1.1.fcidump, label: 1.1}. The results go to sweep.json and sweep.csv in the
output.directory. A failed point is reported with its reason, and its exit code is that of the sweep.
The same command or ci-solve resume continues an interrupted sweep.)";

inline constexpr const char* kPlot = R"(Examples:
  ci-solve plot out/quickstart                         convergence, spectrum, memory, weights
  ci-solve plot configs/quickstart.yaml                the same, and the pattern of the matrix
  ci-solve plot out/boundary-sweep                     the curves of a sweep
  ci-solve plot a.mtx --output pictures                the pattern of a matrix

Each picture is drawn by gnuplot as SVG and as PNG; report.html holds them all, with the numbers,
and needs no other file.)";

inline constexpr const char* kResume = R"(Examples:
  ci-solve resume out
  ci-solve resume out --set solver.max_iterations=1000)";

inline constexpr const char* kInit = R"(Examples:
  ci-solve init h2o.fcidump                            reads the file; writes h2o.yaml
  ci-solve init molecule.h5 --output cas.yaml --set space.active=8
  ci-solve init lattice --set problem.lattice.columns=10
  ci-solve init generate --output small.yaml)";

inline constexpr const char* kSchema = R"(Examples:
  ci-solve schema --output configuration.schema.json   for editors that know JSON Schema
  ci-solve schema --markdown                           all keys as a Markdown page)";

inline constexpr const char* kManual = R"(Examples:
  ci-solve manual --output ci-solve.1
  man ./ci-solve.1)";

inline constexpr const char* kCompletion = R"(Examples:
  source <(ci-solve completion bash)                   now, in this shell
  ci-solve completion zsh --output ~/.zfunc/_ci-solve  permanently, if ~/.zfunc is in fpath)";

inline constexpr const char* kDevices = R"(Examples:
  ci-solve devices
  ci-solve devices --calibrate          measure once how fast this machine is, for predicted times
  ci-solve devices --json devices.json)";

inline constexpr const char* kMatrix = R"(Examples:
  ci-solve matrix generate a.mtx --rows 2000 --symmetric
  ci-solve matrix info a.mtx
  ci-solve matrix product a.mtx --formats csr,hybrid --vectors 4)";

inline constexpr const char* kInfo = R"(Examples:
  ci-solve matrix info a.mtx
  ci-solve matrix info configs/paper-matrix.yaml       of a matrix that is generated)";

inline constexpr const char* kGenerate = R"(Examples:
  ci-solve matrix generate a.mtx
  ci-solve matrix generate a.mtx --rows 2000 --density 0.02 --seed 7
  ci-solve matrix generate a.mtx --rows 2000 --symmetric)";

inline constexpr const char* kConvert = R"(Examples:
  ci-solve matrix convert a.mtx a.h5
  ci-solve matrix convert configs/quickstart.yaml quickstart.h5)";

inline constexpr const char* kProduct = R"(Examples:
  ci-solve matrix product a.mtx
  ci-solve matrix product a.mtx --formats csr,hybrid --backends reference,openmp
  ci-solve matrix product configs/paper-matrix.yaml --formats hybrid --boundary 655
  ci-solve matrix product a.mtx b.mtx -o c.mtx         C = A B, by diagonals where these are full)";

inline constexpr const char* kApply = R"(Examples:
  ci-solve matrix apply a.mtx                          a random x; y goes to standard output
  ci-solve matrix apply a.mtx --x x.txt --output y.txt --format csr)";

inline constexpr const char* kComponents = R"(Examples:
  ci-solve matrix components small.mtx --format csr
  ci-solve matrix components small.mtx --format hybrid --boundary 2)";

}  // namespace cisolve::app::help
