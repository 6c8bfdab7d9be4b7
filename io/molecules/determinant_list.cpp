#include "io/molecules/determinant_list.hpp"

#include "io/molecules/determinant_list_body.hpp"

namespace cisolve::io {

namespace {

bool is_within(const ci::String& string, const ListSector& sector) {
  return (string - ci::String::below(sector.orbitals)).empty();
}

std::string beyond_orbitals(const ListSector& sector) {
  return base::concat(" occupies an orbital above ", sector.orbitals);
}

std::string other_problem_of(const ci::Determinant& determinant, const ListSector& sector) {
  return sector.problem ? sector.problem(determinant) : std::string();
}

}  // namespace

std::string problem_of(const ci::Determinant& determinant, const ListSector& sector) {
  if (!is_within(determinant.alpha, sector) || !is_within(determinant.beta, sector))
    return beyond_orbitals(sector);
  const int alpha = determinant.alpha.count();
  const int beta = determinant.beta.count();
  if (alpha != sector.alpha || beta != sector.beta)
    return base::concat(" has ", alpha, " alpha and ", beta, " beta electrons; expected ",
                        sector.alpha, " and ", sector.beta);
  return other_problem_of(determinant, sector);
}

std::string problem_of(const ci::String& string, const ListSector& sector) {
  if (!is_within(string, sector)) return beyond_orbitals(sector);
  const int count = string.count();
  if (count != sector.alpha)
    return base::concat(" has ", count, " electrons; expected ", sector.alpha);
  return other_problem_of({string, string}, sector);
}

ci::DeterminantIndex read_determinant_list(const std::filesystem::path& path,
                                           const ListSector& sector, const base::Backend& host) {
  if (is_hdf5(path)) return read_hdf5_determinants(path, sector, host);
  return read_text_determinants(MappedFile(path), sector, host);
}

std::vector<ci::Determinant> read_determinants(const std::filesystem::path& path,
                                               const ListSector& sector,
                                               const base::Backend& host) {
  const ci::DeterminantIndex order = read_determinant_list(path, sector, host);
  host.memory().require(order.size() * Index{sizeof(ci::Determinant)},
                        "the determinants of a list");
  return order.determinants();
}

}  // namespace cisolve::io
