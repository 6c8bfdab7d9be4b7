#pragma once

#include <span>

#include "job/plan/product_method.hpp"

// The table of product methods. A new method is a source of this folder, a row of the table and a
// word of ElementPath (job/request/choices.hpp).
namespace cisolve::job {

// Beside kPrecomputed, whose elements are stored as they are:
/// Every element is stored as a code for one of few values.
extern const ProductMethod kCoded;
/// The elements of some rows are stored, those of the others computed in each product.
extern const ProductMethod kMixed;
/// Every element is computed in each product; of determinants by blocks of strings, by lists or row
/// by row, whichever their space allows.
extern const ProductMethod kOnTheFly;
/// String matrices take the place of elements.
extern const ProductMethod kFactorised;

/// All rows. Where nothing tells which of two plans is done sooner, that of the earlier row comes
/// first.
std::span<const ProductMethod* const> product_methods();
/// The row of that name, which is not automatic.
const ProductMethod& method_of(ElementPath elements);

/// The form of elements that are all stored in this way.
ProductForm stored_form(sparse::FormatOptions storage);

}  // namespace cisolve::job
