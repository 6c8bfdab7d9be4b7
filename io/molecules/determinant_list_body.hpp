#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
template <class T>
std::optional<std::pair<Index, Index>> first_repeat(const std::vector<T>& elements) {
  std::vector<Index> order(elements.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) {
    return elements[a] != elements[b] ? elements[a] < elements[b] : a < b;
  });
  std::optional<std::pair<Index, Index>> found;
  for (std::size_t k = 1; k < order.size(); ++k)
    if (elements[order[k - 1]] == elements[order[k]] && (!found || order[k] < found->first))
      found = {order[k], order[k - 1]};
  return found;
}

}  // namespace cisolve::io
