#pragma once

#include <string>

#include "ci/fock/spaces/determinant_index.hpp"
#include "io/files/mapped_file.hpp"
#include "io/molecules/determinant_list.hpp"

namespace cisolve::io {

/// Readers for a file whose kind is known.
ci::DeterminantIndex read_text_determinants(const MappedFile& file, const ListSector& sector,
                                            const base::Backend& host);
ci::DeterminantIndex read_hdf5_determinants(const std::filesystem::path& path,
                                            const ListSector& sector, const base::Backend& host);

}  // namespace cisolve::io
