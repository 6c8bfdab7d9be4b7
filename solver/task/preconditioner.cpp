#include "solver/task/preconditioner.hpp"

namespace cisolve::solver {
namespace {

class Identity final : public Preconditioner {
 public:
  void apply(std::span<const double> /*shifts*/, Columns /*t*/) const override {}
};

class Diagonal final : public Preconditioner {
 public:
  Diagonal(const Vectors& vectors, ConstColumns diagonal)
      : vectors_(vectors), diagonal_(diagonal) {}

  void apply(std::span<const double> shifts, Columns t) const override {
    vectors_.divide_by_shifted(diagonal_, shifts, kSmallestDenominator, t);
  }

 private:
  const Vectors& vectors_;
  ConstColumns diagonal_;
};

class Model final : public Preconditioner {
 public:
  Model(const Vectors& vectors, ConstColumns diagonal, const ModelSpace& model)
      : vectors_(vectors), outside_(vectors, diagonal), model_(model) {}

  void apply(std::span<const double> shifts, Columns t) const override {
    SmallMatrix inside(static_cast<int>(model_.rows.size()), t.count());
    vectors_.gather(t, model_.rows, inside);
    outside_.apply(shifts, t);
    model_.inverse.apply(shifts, kSmallestDenominator, inside);
    vectors_.scatter(inside, model_.rows, t);
  }

 private:
  const Vectors& vectors_;
  Diagonal outside_;
  const ModelSpace& model_;
};

}  // namespace

std::unique_ptr<Preconditioner> identity_preconditioner() { return std::make_unique<Identity>(); }

std::unique_ptr<Preconditioner> diagonal_preconditioner(const Vectors& vectors,
                                                        ConstColumns diagonal) {
  return std::make_unique<Diagonal>(vectors, diagonal);
}

std::unique_ptr<Preconditioner> model_preconditioner(const Vectors& vectors, ConstColumns diagonal,
                                                     const ModelSpace& model) {
  return std::make_unique<Model>(vectors, diagonal, model);
}

}  // namespace cisolve::solver
