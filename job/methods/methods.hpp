#pragma once

#include <span>

#include "job/plan/product_method.hpp"

// The table of product methods. A new method is a source of this folder, a row of the table and a
// word of ElementPath (job/request/choices.hpp).
namespace cisolve::job {

// kPrecomputed, by which every element is stored as it is, is declared with the columns: it is the
// method of a form that names none.
/// Every element is stored as a code for one of few values.
extern const ProductMethod kCoded;
/// The elements of some rows are stored, those of the others computed in each product.
extern const ProductMethod kMixed;
/// Every element is computed in each product; of determinants by blocks of strings, by lists or row
/// by row, whichever their space allows.
extern const ProductMethod kOnTheFly;
/// String matrices take the place of elements.
extern const ProductMethod kFactorised;

/// All methods. Plans of which nothing tells the sooner one keep the order of this table.
std::span<const ProductMethod* const> product_methods();
/// The row of that name. Throws ErrorKind::internal for a name without a row, as automatic is.
const ProductMethod& method_of(ElementPath elements);

/// The form of elements that are all stored in this way: coded if the values of the storage are,
/// else precomputed.
ProductForm stored_form(sparse::FormatOptions storage);

}  // namespace cisolve::job
