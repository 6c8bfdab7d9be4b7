#include <omp.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "base/error.hpp"
#include "bench/products/kernels.hpp"
#include "bench/products/matrices.hpp"
#include "bench/products/measure.hpp"
#include "bench/products/report.hpp"
#include "io/files/output_file.hpp"

// bench_products: any set of kernels on any set of matrices. docs/benchmarks.md is its manual.
namespace cisolve::bench {
namespace {

struct Arguments {
  std::vector<std::string> kernels{"*"};
  std::vector<std::string> without;
  std::vector<std::string> matrices;
  std::vector<std::string> suites;
  std::vector<int> vectors{1};
  std::vector<int> threads;
  int repeat = 30;
  std::string json;
  std::string csv;
  std::string data;
  bool list = false;
};

/// True if the program should continue; otherwise `code` is its exit status.
bool parse(int argc, char** argv, Arguments& arguments, int& code) {
  CLI::App app("Times products of sparse matrices and vectors, kernels in turn");
  app.add_option("--kernels", arguments.kernels,
                 "names; * matches any text, @4 selects four threads")
      ->delimiter(',');
  app.add_option("--without", arguments.without, "kernels to leave out, named as for --kernels")
      ->delimiter(',');
  app.add_option("--matrices", arguments.matrices,
                 "files (.mtx, .h5, .yaml) or names of matrices of a suite")
      ->delimiter(',');
  app.add_option("--suite", arguments.suites,
                 "paper, million, ci, lattices, seeds, lightspmv, report, diagonals or quick")
      ->delimiter(',');
  app.add_option("--vectors", arguments.vectors, "vectors at once")
      ->delimiter(',')
      ->check(CLI::Range(1, 64));
  app.add_option("--threads", arguments.threads,
                 "thread counts of host kernels, such as 1,4; default: all threads")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  app.add_option("--repeat", arguments.repeat, "timed rounds")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--json", arguments.json, "write the results to this JSON file");
  app.add_option("--csv", arguments.csv, "write the results to this CSV file");
  app.add_option("--data", arguments.data, "the folder of the integral files of the ci suite");
  app.add_flag("--list", arguments.list, "name the kernels and the matrices of the suites");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    code = app.exit(error) == 0 ? 0 : 2;
    return false;
  }
  if (arguments.threads.empty()) arguments.threads = {omp_get_max_threads()};
  return true;
}

std::vector<Kernel> kernels_of(const Arguments& arguments) {
  std::vector<Kernel> kernels = chosen_kernels(all_kernels(arguments.threads), arguments.kernels);
  std::vector<std::string> left_out;
  for (const Kernel& kernel : chosen_kernels(kernels, arguments.without))
    left_out.push_back(full_name(kernel));
  std::erase_if(kernels, [&](const Kernel& kernel) {
    return std::ranges::count(left_out, full_name(kernel)) > 0;
  });
  if (kernels.empty())
    base::fail(base::ErrorKind::usage, "no kernel has such a name; --list names them all");
  return kernels;
}

std::vector<NamedMatrix> matrices_of(const Arguments& arguments) {
  std::vector<NamedMatrix> matrices;
  for (const std::string& name : arguments.suites)
    std::ranges::move(suite(name, arguments.data), std::back_inserter(matrices));
  for (const std::string& name : arguments.matrices)
    matrices.push_back(matrix_by_name(name, arguments.data));
  if (matrices.empty())
    base::fail(base::ErrorKind::usage, "no matrix; expected --suite NAME or --matrices NAME,...");
  return matrices;
}

void list(const Arguments& arguments) {
  for (const Kernel& kernel : all_kernels(arguments.threads))
    std::cout << full_name(kernel) << '\n';
  for (const std::string& name : suite_names()) {
    if (name == "seeds") continue;  // a union of others
    std::cout << '\n' << name << ':';
    for (const NamedMatrix& matrix : suite(name, arguments.data)) std::cout << ' ' << matrix.name;
  }
  std::cout << '\n';
}

void write_file(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  io::OutputFile file(path, true);
  file.append(text);
  file.commit();
}

/// Returns whether all measured products are correct. The files are rewritten after each matrix, so
/// that results remain if a later one fails.
bool run(const Arguments& arguments) {
  const std::vector<Kernel> kernels = kernels_of(arguments);
  Measurer measurer({.vectors = arguments.vectors,
                     .repeat = arguments.repeat,
                     .report = [](const std::string& line) {
                       std::cerr << line << '\n' << std::flush;
                     }});
  std::vector<MatrixResults> outcomes;
  bool right = true;
  for (const NamedMatrix& matrix : matrices_of(arguments)) {
    try {
      const Workload workload(matrix.name, matrix.make(measurer.host()));
      outcomes.push_back(measurer.measure(workload, kernels));
    } catch (const base::Error& error) {
      std::cerr << matrix.name << ": " << error.what() << '\n';
      if (error.kind() == base::ErrorKind::internal) throw;
      right = false;
      continue;
    }
    write_table(std::cout, outcomes.back());
    std::cout.flush();
    for (const KernelResult& outcome : outcomes.back().outcomes)
      right &= outcome.right || !outcome.skipped.empty();
    write_file(arguments.json, json(outcomes, arguments.repeat));
    write_file(arguments.csv, csv(outcomes));
  }
  return right;
}

}  // namespace
}  // namespace cisolve::bench

int main(int argc, char** argv) try {
  cisolve::bench::Arguments arguments;
  int code = 0;
  if (!cisolve::bench::parse(argc, argv, arguments, code)) return code;
  if (arguments.list) {
    cisolve::bench::list(arguments);
    return 0;
  }
  return cisolve::bench::run(arguments) ? 0 : 4;
} catch (const std::exception& error) {
  std::cerr << "bench_products: " << error.what() << '\n';
  return 1;
}
