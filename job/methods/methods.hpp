#pragma once

#include <span>

#include "job/plan/product_method.hpp"

// The table of product methods. A new method is a source of this folder, a row of the table and a
// word of ElementPath (job/request/choices.hpp).
namespace cisolve::job {

// kPrecomputed (every element stored as it is) is declared in job/plan/product_method.hpp: it is
// the default of ProductForm.
/// Every element is stored as a code for one of few values.
extern const ProductMethod kCoded;
/// The elements of some rows are stored, those of the others computed in each product.
extern const ProductMethod kMixed;
/// Every element is computed in each product: for determinants by blocks of strings, by lists or
/// row by row, depending on their space.
extern const ProductMethod kOnTheFly;
/// Elements are replaced by string matrices.
extern const ProductMethod kFactorised;

/// All methods. Plans whose times cannot be compared keep the order of this table.
std::span<const ProductMethod* const> product_methods();
/// The method named `elements`. Throws ErrorKind::internal for a name without a row, such as
/// automatic.
const ProductMethod& method_of(ElementPath elements);

/// The form that stores all elements: coded if the values of `storage` are coded, else precomputed.
ProductForm stored_form(sparse::FormatOptions storage);

}  // namespace cisolve::job
