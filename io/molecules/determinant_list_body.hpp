#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ci/spaces/list_order.hpp"
#include "io/files/mapped_file.hpp"
#include "io/molecules/determinant_list.hpp"

namespace cisolve::io {

/// Of a file that is known to be of this kind.
std::vector<ci::Determinant> read_text_determinants(const MappedFile& file,
                                                    const ListSector& sector,
                                                    const base::Backend& host);
std::vector<ci::Determinant> read_hdf5_determinants(const std::filesystem::path& path,
                                                    const ListSector& sector,
                                                    const base::Backend& host);

/// What is wrong with the electrons of determinant `number`, counted from 1; empty where nothing
/// is.
std::string electron_problem(const ci::Determinant& determinant, const ListSector& sector,
                             Index number);

/// The first element that equals an earlier one, and that one; counted from 0.
inline std::optional<std::pair<Index, Index>> first_repeat(
    const std::vector<ci::Determinant>& elements, const base::Backend& host) {
  return ci::ListOrder(elements, host).first_repeat();
}
inline std::optional<std::pair<Index, Index>> first_repeat(const std::vector<ci::String>& elements,
                                                           const base::Backend& host) {
  std::vector<ci::Determinant> list;
  for (const ci::String& string : elements) list.push_back({string, {}});
  return first_repeat(list, host);
}

}  // namespace cisolve::io
