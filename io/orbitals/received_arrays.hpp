#pragma once

#include <string>
#include <vector>

#include "base/backend.hpp"
#include "base/error.hpp"
#include "base/small_matrix.hpp"
#include "ci/fock/basis/gaussian_basis.hpp"
#include "io/files/worker.hpp"
#include "io/hdf5/dataset_reader.hpp"

// Arrays of an untrusted HDF5 file on their way from a worker process to the program.
namespace cisolve::io {

using base::Index;

/// Most elements of a row or a column of an array that a basis has.
inline constexpr Index kLongestArray = Index{1} << 20;

/// Sends data sets of a group, each with its shape before it.
class ArraySender {
 public:
  /// `prefix` stands before the names of data sets in messages.
  ArraySender(const hdf5::FileContext& context, const hdf5::Handle& group, std::string prefix,
              const WorkerOutput& output)
      : context_(context), group_(group), prefix_(std::move(prefix)), output_(output) {}

  void send_wholes(const char* name) const {
    require(name);
    send(hdf5::DatasetReader(context_, group_, name, hdf5::integer_elements(), 1), name);
  }
  void send_reals(const char* name, int rank) const {
    require(name);
    send(hdf5::DatasetReader(context_, group_, name, {hdf5::float64_elements()}, rank), name);
  }
  /// An array without elements if the data set is missing.
  void send_reals_if_any(const char* name, int rank) const {
    if (hdf5::holds(context_, group_, name)) return send_reals(name, rank);
    send_none();
  }
  void send_wholes_if_any(const char* name) const {
    if (hdf5::holds(context_, group_, name)) return send_wholes(name);
    send_none();
  }

 private:
  void send_none() const {
    output_.send(Index{0});
    output_.send(Index{0});
  }

  void require(const char* name) const {
    if (!hdf5::holds(context_, group_, name))
      context_.refuse(prefix_ + name, "is missing; ", context_.remedy);
  }

  void send(const hdf5::DatasetReader& data, const char* name) const {
    const bool is_matrix = data.columns() != 1;
    const Index most = is_matrix ? ci::kMostFunctions : kLongestArray;
    if (data.rows() > most || data.columns() > most)
      context_.refuse(prefix_ + name, data.rows(), " by ", data.columns(),
                      " elements; expected at most ", most, " by as many");
    output_.send(data.rows());
    output_.send(data.columns());
    data.send(output_);
  }

  const hdf5::FileContext& context_;
  const hdf5::Handle& group_;
  std::string prefix_;
  const WorkerOutput& output_;
};

/// Receives what ArraySender sends, in the same order.
class ArrayReceiver {
 public:
  /// Matrices are counted in the memory of the host.
  ArrayReceiver(std::string path, Worker& worker, const base::Backend& host)
      : path_(std::move(path)), worker_(worker), host_(host) {}

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    base::fail(base::ErrorKind::bad_input, path_, ": ", parts...);
  }

  std::vector<Index> wholes() const { return list<Index>(); }
  std::vector<double> reals() const { return list<double>(); }

  base::SmallMatrix matrix() const {
    const auto [rows, columns] = shape();
    host_.host_memory().require(rows * columns * static_cast<Index>(sizeof(double)),
                                "the orbitals over basis functions");
    base::SmallMatrix values(static_cast<int>(rows), static_cast<int>(columns));
    std::vector<double> row(static_cast<std::size_t>(columns));
    for (int p = 0; p < values.rows(); ++p) {
      worker_.receive(std::span(row));
      for (int q = 0; q < values.columns(); ++q) values(p, q) = row[static_cast<std::size_t>(q)];
    }
    return values;
  }

  /// A whole number that fits an int.
  int small(Index value, const char* where) const {
    if (value < -kLongestArray || value > kLongestArray)
      refuse(where, ": ", value, " is out of range; expected a small whole number");
    return static_cast<int>(value);
  }

 private:
  struct Shape {
    Index rows;
    Index columns;
  };

  Shape shape() const {
    const auto rows = worker_.receive<Index>();
    const auto columns = worker_.receive<Index>();
    if (rows < 0 || columns < 0 || rows > kLongestArray || columns > kLongestArray ||
        rows * columns > Index{ci::kMostFunctions} * ci::kMostFunctions)
      refuse("an array of ", rows, " by ", columns, " elements; expected an undamaged file");
    return {rows, columns};
  }

  template <class Value>
  std::vector<Value> list() const {
    const auto [rows, columns] = shape();
    std::vector<Value> values(static_cast<std::size_t>(rows * columns));
    worker_.receive(std::span(values));
    return values;
  }

  std::string path_;
  Worker& worker_;
  const base::Backend& host_;
};

}  // namespace cisolve::io
