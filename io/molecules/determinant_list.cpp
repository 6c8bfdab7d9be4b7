#include "io/molecules/determinant_list.hpp"

#include "io/molecules/determinant_list_body.hpp"

namespace cisolve::io {

std::string problem_of(const ci::Determinant& determinant, const ListSector& sector, Index number) {
  const int alpha = determinant.alpha.count();
  const int beta = determinant.beta.count();
  if (alpha != sector.alpha || beta != sector.beta)
    return base::concat("determinant ", number, " has ", alpha, " alpha and ", beta,
                        " beta electrons; expected ", sector.alpha, " and ", sector.beta);
  const std::string other = sector.problem ? sector.problem(determinant) : std::string();
  return other.empty() ? other : base::concat("determinant ", number, other);
}

ci::ListOrder read_determinant_list(const std::filesystem::path& path, const ListSector& sector,
                                    const base::Backend& host) {
  if (is_hdf5(path)) return read_hdf5_determinants(path, sector, host);
  return read_text_determinants(MappedFile(path), sector, host);
}

std::vector<ci::Determinant> read_determinants(const std::filesystem::path& path,
                                               const ListSector& sector,
                                               const base::Backend& host) {
  const ci::ListOrder order = read_determinant_list(path, sector, host);
  host.memory().require(order.size() * Index{sizeof(ci::Determinant)},
                        "the determinants of a list");
  return order.determinants();
}

}  // namespace cisolve::io
