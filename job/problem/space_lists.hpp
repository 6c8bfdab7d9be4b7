#pragma once

#include <string>
#include <vector>

#include "ci/fock/spaces/determinant_index.hpp"
#include "io/molecules/determinant_list.hpp"
#include "job/request/request.hpp"

// Determinants and strings that span a space, from files or from memory. Both are checked alike:
// errors are ErrorKind::bad_input with the line in a file or the index in memory, from 0.
namespace cisolve::job {

using GivenDeterminants = FileOrValues<ci::PackedDeterminants>;
using GivenStrings = FileOrValues<ci::PackedStrings>;

/// The file, or "the given determinants".
std::string place_of(const GivenDeterminants& list);

ci::DeterminantIndex read_determinants(const GivenDeterminants& list, const io::ListSector& sector,
                                       const base::Backend& host);

/// The strings of one spin of a product space. `sector.alpha` is the number of electrons of that
/// spin.
std::vector<ci::String> read_strings(const GivenStrings& list, ci::Spin spin,
                                     const io::ListSector& sector, const base::Backend& host);

}  // namespace cisolve::job
