#include "job/problem/lattice_problem.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "io/molecules/term_list.hpp"
#include "job/request/with_context.hpp"

namespace cisolve::job {
namespace {

using ci::TermKind;

ci::LatticeShape shape_of(const Request::Lattice& lattice) {
  return {.columns = static_cast<int>(lattice.columns),
          .rows = static_cast<int>(lattice.rows),
          .periodic_columns = lattice.periodic_columns,
          .periodic_rows = lattice.periodic_rows,
          .net = *lattice.shape,
          .layers = static_cast<int>(lattice.layers),
          .periodic_layers = lattice.periodic_layers};
}

/// The terms of a named model on a shape.
class ModelTerms {
 public:
  ModelTerms(const Request::Lattice& lattice, const ci::LatticeShape& shape)
      : lattice_(lattice), shape_(shape) {
    ci::require_shape(shape);
    if (lattice.model == LatticeModel::heisenberg)
      take_spins();
    else
      take_electrons();
  }

  std::vector<ci::Term> take() { return std::move(terms_); }

 private:
  void take_electrons() {
    on_bonds(1, TermKind::hop, lattice_.t);
    on_bonds(2, TermKind::hop, lattice_.t2);
    on_bonds(1, TermKind::repel, lattice_.v);
    if (lattice_.model == LatticeModel::hubbard) {
      on_sites(TermKind::repel_on_site, lattice_.u);
      return;
    }
    // The t-J model's coupling is J (S_a . S_b - n_a n_b / 4).
    for (const auto& [shell, j] : {std::pair(1, lattice_.j), std::pair(2, lattice_.j2)}) {
      on_bonds(shell, TermKind::couple, j);
      on_bonds(shell, TermKind::repel, -j / 4);
    }
  }
  void take_spins() {
    if (lattice_.jz) {
      on_bonds(1, TermKind::couple_xy, lattice_.j);
      on_bonds(1, TermKind::couple_z, *lattice_.jz);
    } else {
      on_bonds(1, TermKind::couple, lattice_.j);
    }
    on_bonds(2, TermKind::couple, lattice_.j2);
    on_sites(TermKind::field, lattice_.h);
    on_sites(TermKind::field_x, lattice_.hx);
  }
  void on_bonds(int shell, TermKind kind, double strength) {
    if (strength != 0) ci::append(terms_, ci::on_bonds(shape_, shell, kind, strength));
  }
  void on_sites(TermKind kind, double strength) {
    if (strength != 0) ci::append(terms_, ci::on_sites(shape_.sites(), kind, strength));
  }

  const Request::Lattice& lattice_;
  const ci::LatticeShape& shape_;
  std::vector<ci::Term> terms_;
};

std::vector<ci::Term> terms_of_request(const Request& request) {
  const TermLines& bonds = request.lattice.bonds;
  if (!bonds.file.empty()) return io::read_terms(bonds.file);
  std::vector<ci::Term> terms;
  for (const std::string& line : bonds.lines) try {
      terms.push_back(ci::parse_term(line));
    } catch (const base::Error& error) {
      base::fail(base::ErrorKind::configuration, request.origin, ": problem.lattice.bonds: '",
                 line.substr(0, 60), "': ", error.what());
    }
  return terms;
}

int last_site(const std::vector<ci::Term>& terms) {
  int last = 0;
  for (const ci::Term& term : terms) last = std::max({last, term.first + 1, term.second + 1});
  return last;
}

bool is_graph(const Request& request) { return !request.lattice.shape; }

}  // namespace

LatticeProblem lattice_problem(const Request& request) {
  LatticeProblem problem;
  const std::vector<ci::Term> given = terms_of_request(request);
  if (!is_graph(request)) {
    problem.shape = shape_of(request.lattice);
    problem.terms = with_context(request.origin + ": problem.lattice", [&] {
      return ModelTerms(request.lattice, *problem.shape).take();
    });
    problem.sites = problem.shape->sites();
    if (const int last = last_site(given); last > problem.sites)
      base::fail(base::ErrorKind::configuration, request.origin,
                 ": problem.lattice.bonds names site ", last, " of ", problem.sites,
                 "; expected 1 to ", problem.sites, ", or 'shape: graph'");
  } else {
    problem.sites = last_site(given);
    if (given.empty())
      base::fail(base::ErrorKind::configuration, request.origin,
                 ": problem.lattice.shape is graph ",
                 "but no bonds are given; expected them as problem.lattice.bonds");
  }
  ci::append(problem.terms, given);
  return problem;
}

void require_electron_terms(const Request& request, const LatticeProblem& lattice) {
  if (is_single_occupied(request)) return;
  for (const ci::Term& term : lattice.terms)
    if (term.kind == ci::TermKind::couple)
      base::fail(base::ErrorKind::configuration, request.origin, ": problem.lattice.bonds couples ",
                 "spins (J) in a model with doubly occupied sites; expected model: t-j");
}

std::string describe_lattice(const Request& request) {
  const Request::Lattice& lattice = request.lattice;
  if (is_graph(request))
    return base::concat(word_of(lattice.model), " model on ",
                        lattice.bonds.file.empty() ? "a graph" : lattice.bonds.file);
  const ci::LatticeType net = *lattice.shape;
  const bool has_cells = net == ci::LatticeType::honeycomb || net == ci::LatticeType::kagome;
  return base::concat(word_of(lattice.model),
                      net == ci::LatticeType::square ? "" : base::concat(" ", word_of(net)),
                      " lattice of ", lattice.columns, " x ", lattice.rows,
                      lattice.layers > 1 ? base::concat(" x ", lattice.layers) : "",
                      has_cells ? " cells" : " sites");
}

}  // namespace cisolve::job
