#include "io/molecules/trexio.hpp"

#include <cmath>
#include <cstdint>

#include "io/files/mapped_file.hpp"
#include "io/files/worker.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/dataset_reader.hpp"
#include "io/molecules/integral_store.hpp"

namespace cisolve::io {
namespace {

using ci::Spin;
using hdf5::DatasetReader;
using hdf5::FileContext;

/// Sent by the worker before the arrays.
struct TrexioHeader {
  Index orbitals;  // orbitals of both spins, if these are distinguished
  Index alpha;
  Index beta;
  Index spins;  // elements of mo_spin
  Index integrals;
  double core_energy;
  bool has_core;
};

// ---- in the worker ----

Index read_count(const FileContext& context, hid_t file, const char* group, const char* name,
                 Index most) {
  const auto parent = hdf5::open_group(context, file, group);
  const Index value = hdf5::read_integer(context, parent, name, group);
  if (value < 0 || value > most)
    context.refuse(group, name, " is ", value, "; expected 0 to ", most);
  return value;
}

/// The file may say twice how many electrons there are.
void require_electrons(const FileContext& context, hid_t file, Index expected) {
  const auto electron = hdf5::open_group(context, file, "electron");
  if (context.check(H5Aexists(electron, "electron_num"), "H5Aexists", "electron") == 0) return;
  if (const Index number = hdf5::read_integer(context, electron, "electron_num", "electron");
      number != expected)
    context.refuse("electron", "electron_num is ", number, ", but electron_up_num and ",
                   "electron_dn_num are ", expected, " together; ", context.remedy);
}

TrexioHeader read_header(const FileContext& context, hid_t file) {
  constexpr Index most = Index{2} * ci::kMostOrbitals;
  TrexioHeader header{};
  header.orbitals = read_count(context, file, "mo", "mo_num", most);
  header.alpha = read_count(context, file, "electron", "electron_up_num", most);
  header.beta = read_count(context, file, "electron", "electron_dn_num", most);
  require_electrons(context, file, header.alpha + header.beta);
  if (!hdf5::holds(context, file, "nucleus")) return header;
  const auto nucleus = hdf5::open_group(context, file, "nucleus");
  header.has_core = context.check(H5Aexists(nucleus, "nucleus_repulsion"), "H5Aexists", "nucleus");
  if (header.has_core)
    header.core_energy = hdf5::read_real(context, nucleus, "nucleus_repulsion", "nucleus");
  return header;
}

/// Complex orbitals may have real integrals, but without the eightfold symmetry.
void refuse_complex(const FileContext& context, hid_t mo, hid_t one, hid_t two) {
  for (const auto& [group, name] : {std::pair(mo, "mo_coefficient_im"),
                                    {one, "mo_1e_int_core_hamiltonian_im"},
                                    {two, "mo_2e_int_eri_im_values"}})
    if (hdf5::holds(context, group, name))
      context.refuse(name, "complex orbitals or integrals are not supported; expected real ",
                     "orbitals");
}

void send_integrals(const std::string& path, const WorkerOutput& output) {
  const hdf5::ErrorOutputOff silence;
  const FileContext context{path, base::ErrorKind::bad_input,
                            "expected an undamaged TREXIO file with HDF5 back end, electrons, core "
                            "Hamiltonian and two-electron integrals"};
  const auto file = hdf5::open_file(context);
  TrexioHeader header = read_header(context, file);
  const auto mo = hdf5::open_group(context, file, "mo");
  const auto one = hdf5::open_group(context, file, "mo_1e_int");
  const auto two = hdf5::open_group(context, file, "mo_2e_int");
  refuse_complex(context, mo, one, two);
  const DatasetReader core(context, one, "mo_1e_int_core_hamiltonian", {hdf5::float64_elements()},
                           2);
  const DatasetReader indices(context, two, "mo_2e_int_eri_indices", hdf5::index_elements(), 1);
  const DatasetReader values(context, two, "mo_2e_int_eri_values", hdf5::float64_elements());
  if (core.rows() != header.orbitals || core.columns() != header.orbitals)
    context.refuse("mo_1e_int_core_hamiltonian", core.rows(), " by ", core.columns(),
                   " elements; expected mo_num = ", header.orbitals, " by as many");
  if (indices.size() / 4 != values.size() || indices.size() % 4 != 0)
    context.refuse("mo_2e_int_eri_indices", indices.size(), " indices for ", values.size(),
                   " values; expected four for each");
  header.integrals = values.size();
  const bool spins = hdf5::holds(context, mo, "mo_spin");
  if (spins) header.spins = header.orbitals;
  output.send(header);
  if (spins) {
    const DatasetReader spin(context, mo, "mo_spin", hdf5::integer_elements(), 1);
    if (spin.size() != header.orbitals)
      context.refuse("mo_spin", spin.size(), " elements; expected mo_num = ", header.orbitals);
    spin.send(output);
  }
  core.send(output);
  indices.send(output);
  values.send(output);
}

// ---- in the program ----

class TrexioReader {
 public:
  TrexioReader(const std::filesystem::path& path, const TrexioOptions& options,
               const base::Backend& host)
      : path_(path.native()),
        options_(options),
        host_(host),
        worker_(path_, kWorkerMemory,
                [this](const WorkerOutput& output) { send_integrals(path_, output); }),
        header_(worker_.receive<TrexioHeader>()) {}

  MolecularProblem read() {
    check_nuclear_repulsion();
    place_orbitals();
    IntegralStore store(spatial_, spin_dependent_, host_);
    fill_one_electron(store);
    fill_two_electron(store);
    if (header_.has_core) store.put_core(header_.core_energy);
    if (const std::string flaw = store.flaw(); !flaw.empty()) refuse("mo_2e_int_eri: ", flaw);
    return {store.take(),
            static_cast<int>(header_.alpha),
            static_cast<int>(header_.beta),
            std::nullopt,
            spin_dependent_ ? "TREXIO, spin-dependent" : "TREXIO",
            {}};
  }

 private:
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    base::fail(base::ErrorKind::bad_input, path_, ": ", parts...);
  }

  void check_nuclear_repulsion() const {
    if (header_.has_core == options_.has_repulsion) return;
    if (!header_.has_core)
      refuse(
          "the group nucleus has no nucleus_repulsion, as in a damaged file; expected the constant "
          "energy, or problem.nucleus_repulsion: none for a "
          "model without it");
    base::fail(
        base::ErrorKind::configuration, path_,
        ": the file has a nucleus_repulsion, but problem.nucleus_repulsion is none; expected a "
        "file without it, or 'nucleus_repulsion: required'");
  }

  void place_orbitals() {
    std::vector<Index> spins(header_.spins);
    worker_.receive(std::span(spins));
    std::array<int, 2> count{0, 0};
    for (Index p = 0; p < header_.orbitals; ++p) {
      const Index spin = spins.empty() ? 0 : spins[p];
      if (spin != 0 && spin != 1)
        refuse("mo_spin: orbital ", p + 1, " has the spin ", spin, "; expected 0 or 1");
      orbitals_.push_back({static_cast<Spin>(spin), count[spin]++});
    }
    spin_dependent_ = count[1] > 0;
    if (spin_dependent_ && count[0] != count[1])
      refuse("mo_spin: ", count[0], " alpha and ", count[1],
             " beta orbitals; expected equal numbers of ", "either");
    spatial_ = count[0];
    if (spatial_ < 1 || spatial_ > ci::kMostOrbitals)
      refuse("mo: mo_num means ", spatial_, " orbitals; expected 1 to ", ci::kMostOrbitals);
    for (const Index electrons : {header_.alpha, header_.beta})
      if (electrons > spatial_)
        refuse("electron: ", electrons, " electrons of one spin in ", spatial_, " orbitals");
  }

  /// Stores an element; integrals between two spins must vanish.
  void put(IntegralStore& store, const NamedIntegral& element, double value, const char* name,
           Index at) const {
    if (!std::isfinite(value)) refuse(name, ": element ", at, " is not a finite number");
    if (element.p.spin != element.q.spin || element.r.spin != element.s.spin) {
      if (std::abs(value) > kSpinForbidden)
        refuse(name, ": element ", at, " couples an alpha and a beta orbital; expected 0");
    } else if (!store.put(element, value)) {
      refuse(name, ": element ", at, " is ", value,
             ", but its equivalent by exchange of indices has ",
             "another value; expected equal values");
    }
  }

  void fill_one_electron(IntegralStore& store) {
    const char* name = "mo_1e_int_core_hamiltonian";
    const auto n = static_cast<std::size_t>(header_.orbitals);
    std::vector<double> row(n);
    for (std::size_t p = 0; p < n; ++p) {
      worker_.receive(std::span(row));
      for (std::size_t q = 0; q < n; ++q)
        put(store, {orbitals_[p], orbitals_[q], {}, {}, false}, row[q], name,
            static_cast<Index>(p * n + q));
    }
  }

  void fill_two_electron(IntegralStore& store) {
    const char* name = "mo_2e_int_eri";
    base::Array<std::int32_t> indices(host_, 4 * header_.integrals, "indices of integrals");
    worker_.receive(indices.span());
    for (Index k = 0; k < indices.size(); ++k)
      if (indices[k] < 0 || indices[k] >= header_.orbitals)
        refuse("mo_2e_int_eri_indices: element ", k, " is ", indices[k], "; expected 0 to ",
               header_.orbitals - 1);
    for (Index first = 0; first < header_.integrals; first += std::ssize(slab_)) {
      const Index count = std::min<Index>(std::ssize(slab_), header_.integrals - first);
      worker_.receive(std::span(slab_).first(count));
      for (Index k = 0; k < count; ++k) {
        const std::int32_t* at = &indices[4 * (first + k)];  // <ij|kl> = (ik|jl)
        put(store, {orbitals_[at[0]], orbitals_[at[2]], orbitals_[at[1]], orbitals_[at[3]], true},
            slab_[k], name, first + k);
      }
    }
  }

  std::string path_;
  TrexioOptions options_;
  base::Backend host_;
  Worker worker_;
  TrexioHeader header_;
  std::vector<SpinOrbital> orbitals_;
  int spatial_ = 0;
  bool spin_dependent_ = false;
  std::array<double, 4096> slab_{};
};

}  // namespace

MolecularProblem read_trexio(const std::filesystem::path& path, const TrexioOptions& options,
                             const base::Backend& host) {
  require_regular_file(path);
  return TrexioReader(path, options, host).read();
}

}  // namespace cisolve::io
