#include "app/report/kept_vectors.hpp"

#include "base/text.hpp"

namespace cisolve::app {

KeptVectors kept_vectors(std::optional<bool> wanted, Index bytes, std::optional<Index> free) {
  if (wanted) return {*wanted, bytes, {}};
  const bool is_short = free && *free / 2 < kMostKept;
  const Index most = is_short ? *free / 2 : kMostKept;
  if (bytes <= most) return {true, bytes, {}};
  const std::string allowance = is_short
                                    ? base::concat("half of the free ", base::human_bytes(*free))
                                    : base::human_bytes(kMostKept);
  return {false, bytes,
          base::concat("results.h5 holds no vectors and determinants (", base::human_bytes(bytes),
                       "): output.vectors: auto saves at most ", allowance, ", true saves all")};
}

Json output_record(const KeptVectors& vectors) {
  return Json::object({{"vectors", vectors.kept},
                       {"vectors_bytes", vectors.bytes},
                       {"note", vectors.note.empty() ? Json() : Json(vectors.note)}});
}

}  // namespace cisolve::app
