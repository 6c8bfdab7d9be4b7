#pragma once

#include <array>
#include <optional>
#include <vector>

#include "io/results/results.hpp"

// Determinants as bit fields of 64-bit words, bit 0 of the first word for orbital 1.
namespace cisolve::io {

using StringWords = std::array<Index, ci::String::kWords>;

inline Index words_for(int orbitals) { return (orbitals + 63) / 64; }

inline StringWords words_of(const ci::String& string) {
  StringWords words{};
  for (std::size_t w = 0; w < words.size(); ++w) words[w] = static_cast<Index>(string.words()[w]);
  return words;
}

/// Calls visit(ci::WholeDeterminant) for each in canonical order.
template <class Visit>
void for_each_determinant(const StoredSpace& stored, Visit&& visit) {
  const ci::Space& space = stored.space;
  const auto alphas = space.strings(ci::Spin::alpha);
  const auto betas = space.strings(ci::Spin::beta);
  for (Index a = 0; a < std::ssize(alphas); ++a)
    for (const ci::StringNumber b : space.betas_of(a))
      visit(ci::whole_determinant(stored.window, {alphas[a], betas[b]}));
}

/// The vectors with the signs of determinants over all orbitals; nothing where these are the same.
inline std::optional<base::MultiVector> vectors_over_all(const StoredSpace& stored,
                                                         const base::MultiVector& vectors) {
  std::vector<Index> negative;
  Index row = 0;
  for_each_determinant(stored, [&](const ci::WholeDeterminant& whole) {
    if (whole.sign < 0) negative.push_back(row);
    ++row;
  });
  if (negative.empty()) return std::nullopt;
  base::MultiVector signed_vectors = vectors.to(vectors.backend());
  for (int j = 0; j < vectors.columns(); ++j)
    for (const Index at : negative) signed_vectors(at, j) = -signed_vectors(at, j);
  return signed_vectors;
}

}  // namespace cisolve::io
