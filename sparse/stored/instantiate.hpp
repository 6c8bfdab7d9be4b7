#pragma once

#include "sparse/stored/products.hpp"

// Views for which every backend instantiates its products. A new format adds one.
#define CISOLVE_FOR_EACH_VIEW(instantiate)                                                  \
  instantiate(CsrView) instantiate(SlicedView) instantiate(HybridView) instantiate(CsbView) \
      instantiate(TiledView) instantiate(CodedSlicedView) instantiate(DiagonalView)

#define CISOLVE_INSTANTIATE_PRODUCTS(View)                                                  \
  template void multiply<View>(const base::Backend&, double, const View&, base::ConstBlock, \
                               double, base::Block);                                        \
  template void diagonal<View>(const base::Backend&, const View&, base::Block);
