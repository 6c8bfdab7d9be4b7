#include "ci/lattice/sectors/lattice_symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/error.hpp"

namespace cisolve::ci {
namespace {

using base::ErrorKind;
using base::fail;

/// A point operation in lattice coordinates; column j is the image of lattice vector j.
using PointOperation = std::array<std::array<int, 3>, 3>;

constexpr PointOperation kInversion = {{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
constexpr PointOperation kColumns = {{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr PointOperation kRows = {{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}};
constexpr PointOperation kLayers = {{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}};
constexpr PointOperation kExchange = {{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}};
constexpr PointOperation kQuarter = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
constexpr PointOperation kSixth = {{{0, -1, 0}, {1, 1, 0}, {0, 0, 1}}};

bool is_oblique(LatticeType net) { return net != LatticeType::square && net != LatticeType::cubic; }

Place image_of(const PointOperation& operation, const Place& place) {
  Place image{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) image[i] += operation[i][j] * place[j];
  return image;
}

/// The permutation of sites; empty if a site has no image or two share one.
std::vector<int> images(const LatticeShape& shape, const PointOperation& operation,
                        const Place& shift) {
  std::vector<int> to;
  for (int site = 0; site < shape.sites(); ++site) {
    const Place image = image_of(operation, place_of(shape, site));
    const int found =
        site_at(shape, {image[0] + shift[0], image[1] + shift[1], image[2] + shift[2]});
    if (found < 0 || std::ranges::find(to, found) != to.end()) return {};
    to.push_back(found);
  }
  return to;
}

/// The permutation of places by an operation about some centre that leaves the model invariant;
/// empty if there is none.
std::vector<int> find_point_operation(const SiteModel& model, const LatticeShape& shape,
                                      const PointOperation& operation) {
  const Place from = image_of(operation, place_of(shape, 0));
  for (int site = 0; site < shape.sites(); ++site) {
    const Place to = place_of(shape, site);
    const std::vector<int> all =
        model.moved(images(shape, operation, {to[0] - from[0], to[1] - from[1], to[2] - from[2]}));
    if (!all.empty() && model.keeps(all)) return all;
  }
  return {};
}

/// k per lattice vector in radians; 0 in open directions.
std::array<double, 3> angles_of(const LatticeShape& shape, const std::vector<Index>& momentum) {
  std::array<double, 3> angles{};
  std::size_t next = 0;
  for (int d = 0; d < 3; ++d)
    if (shape.periodic()[d])
      angles[d] = 2 * std::numbers::pi * static_cast<double>(momentum[next++]) /
                  static_cast<double>(shape.extents()[d]);
  return angles;
}

bool is_whole_turn(double angle) {
  constexpr double kNothing = 1e-9;
  return std::abs(std::remainder(angle, 2 * std::numbers::pi)) < kNothing;
}

/// Collects the generators of the requested symmetries, with their matrices.
class Generators {
 public:
  Generators(const SiteModel& model, const LatticeShape* shape, const WantedSymmetry& wanted)
      : model_(model), shape_(shape) {
    if (!wanted.momentum.empty()) take_momentum(wanted.momentum);
    take(wanted.inversion, kInversion, "inversion", true);
    take(wanted.columns, kColumns, "columns", !is_flat_oblique());
    take(wanted.rows, kRows, "rows", !is_flat_oblique());
    take(wanted.layers, kLayers, "layers", true);
    take(wanted.exchange, kExchange, "exchange", true);
    take(wanted.rotation, is_flat_oblique() ? kSixth : kQuarter, "rotation", true);
    if (wanted.spin) load_swapped(*wanted.spin);
  }

  SymmetrySector sector() const { return make_sector(model_, dimension_, all_); }

 private:
  bool is_flat_oblique() const { return shape_ != nullptr && is_oblique(shape_->net); }

  void require_shape_for(const char* name) const {
    if (shape_ == nullptr)
      fail(ErrorKind::configuration, "space.symmetry.", name,
           " is requested for sites without positions; expected ",
           "a lattice with a shape, or only space.symmetry.spin");
  }

  void take_momentum(const std::vector<Index>& momentum) {
    require_shape_for("momentum");
    const auto& periodic = shape_->periodic();
    const auto directions = std::count(periodic.begin(), periodic.end(), true);
    if (std::ssize(momentum) != directions)
      fail(ErrorKind::configuration, "space.symmetry.momentum: ", momentum.size(), " given",
           directions == 0 ? " for a lattice that is not periodic; expected 'momentum: any', or "
                             "periodic_columns: true and the like"
                           : base::concat("; expected one number for each of ", directions,
                                          " periodic directions"));
    angles_ = angles_of(*shape_, momentum);
    for (const double angle : angles_)
      if (!is_whole_turn(2 * angle)) dimension_ = 2;
    for (int d = 0; d < 3; ++d)
      if (periodic[d]) take_translation(d);
  }

  void take_translation(int direction) {
    constexpr PointOperation kNone = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    Place step{};
    step[direction] = 1;
    const std::vector<int> to = model_.moved(images(*shape_, kNone, step));
    if (to.empty() || !model_.keeps(to))
      fail(ErrorKind::configuration, "space.symmetry.momentum: the bonds are not the same in all ",
           "cells; expected a periodic lattice without bonds or fields of its own");
    const double angle = angles_[direction];
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const SectorMatrix matrix =
        dimension_ == 1 ? SectorMatrix{{std::round(c), 0, 0, 0}} : SectorMatrix{{c, -s, s, c}};
    all_.push_back({{to, false}, matrix});
  }

  /// The image of k under the operation.
  std::array<double, 3> turned_angles(const PointOperation& operation) const {
    std::array<double, 3> image{};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) image[i] += operation[j][i] * angles_[j];
    return image;
  }

  /// The representation matrix of an operation that maps k to k or -k.
  SectorMatrix matrix_of(const PointOperation& operation, LatticeParity parity,
                         const char* name) const {
    const double sign = parity == LatticeParity::even ? 1 : -1;
    const std::array<double, 3> image = turned_angles(operation);
    bool keeps = true;
    bool reverses = true;
    for (int d = 0; d < 3; ++d) {
      keeps &= is_whole_turn(image[d] - angles_[d]);
      reverses &= is_whole_turn(image[d] + angles_[d]);
    }
    if (!keeps && !reverses)
      fail(ErrorKind::configuration, "space.symmetry.", name,
           " maps this momentum to another one; ",
           "expected a momentum that it preserves or reverses, or '", name, ": any'");
    if (dimension_ == 1) return {{sign, 0, 0, 0}};
    return keeps ? SectorMatrix{{sign, 0, 0, sign}} : SectorMatrix{{sign, 0, 0, -sign}};
  }

  void take(const std::optional<LatticeParity>& parity, const PointOperation& operation,
            const char* name, bool is_possible) {
    if (!parity) return;
    require_shape_for(name);
    std::vector<int> to;
    if (is_possible) to = find_point_operation(model_, *shape_, operation);
    if (to.empty())
      fail(ErrorKind::configuration, "space.symmetry.", name,
           ": the bonds do not have this symmetry; ", "expected '", name, ": any'");
    // Computed first: GCC 12 frees the sites twice if this throws within the braces.
    const SectorMatrix matrix = matrix_of(operation, *parity, name);
    all_.push_back({{std::move(to), false}, matrix});
  }

  void load_swapped(LatticeParity parity) {
    if (!model_.keeps_flip())
      fail(ErrorKind::configuration,
           "space.symmetry.spin: a field distinguishes up from down; expected ",
           "'spin: any', or no field along z");
    const double sign = parity == LatticeParity::even ? 1 : -1;
    SymmetryOperation flip{model_.exchanged(), false};
    if (!model_.holds_electrons) {
      flip = {std::vector<int>(model_.sites), true};
      std::iota(flip.to.begin(), flip.to.end(), 0);
    }
    all_.push_back({flip, {{sign, 0, 0, dimension_ == 2 ? sign : 0}}});
  }

  const SiteModel& model_;
  const LatticeShape* shape_;
  int dimension_ = 1;
  std::array<double, 3> angles_{};
  std::vector<SectorOperation> all_;
};

}  // namespace

bool WantedSymmetry::is_any() const {
  return momentum.empty() && !inversion && !columns && !rows && !layers && !exchange && !rotation &&
         !spin;
}

SymmetrySector lattice_sector(const SiteModel& model, const LatticeShape* shape,
                              const WantedSymmetry& wanted) {
  return Generators(model, shape, wanted).sector();
}

}  // namespace cisolve::ci
