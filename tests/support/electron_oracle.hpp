#pragma once

#include <Eigen/Eigenvalues>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/operator.hpp"

namespace cisolve::test {

/// Electrons on bonds as strings of creation and annihilation operators over occupation numbers:
/// mode 2 * site + spin is that bit of a word. No integrals, no strings of one spin, no lattices.
class NaiveElectrons final : public base::LinearOperator {
 public:
  struct Model {
    int sites = 0;
    std::vector<std::pair<int, int>> bonds = {};
    double t = 1;
    double u = 0;
    double j = 0;  // S_a . S_b - n_a n_b / 4
    bool allows_double_occupancy = true;
    std::vector<std::pair<int, int>> second_bonds = {};  // with t2 and j2 in place of t and j
    double t2 = 0;
    double j2 = 0;
  };

  NaiveElectrons(Model model, int up, int down) : model_(std::move(model)) {
    for (Word word = 0; word >> (2 * model_.sites) == 0; ++word)
      if (belongs(word, up, down)) {
        row_of_[word] = std::ssize(words_);
        words_.push_back(word);
      }
    for (const Word word : words_) elements_.push_back(elements_from(word));
  }

  base::Index rows() const override { return std::ssize(words_); }
  void apply(base::ConstBlock x, base::Block y) const override {
    for (int column = 0; column < x.columns; ++column)
      for (base::Index row = 0; row < rows(); ++row) {
        double sum = 0;
        for (const auto& [other, value] : elements_[row]) sum += value * x(other, column);
        y(row, column) = sum;
      }
  }
  Eigen::VectorXd spectrum() const {
    Eigen::MatrixXd h = Eigen::MatrixXd::Zero(rows(), rows());
    for (base::Index row = 0; row < rows(); ++row)
      for (const auto& [other, value] : elements_[row]) h(row, other) += value;
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(h, Eigen::EigenvaluesOnly).eigenvalues();
  }

 private:
  using Word = std::uint64_t;
  static constexpr Word kUp = 0x5555555555555555;
  enum : int { kUpSpin = 0, kDownSpin = 1 };
  struct Step {
    int mode;
    bool creates;
  };

  bool belongs(Word word, int up, int down) const {
    const Word both = word & kUp & word >> 1;
    return std::popcount(word & kUp) == up && std::popcount(word & ~kUp) == down &&
           (model_.allows_double_occupancy || both == 0);
  }
  static int number(Word word, int site) { return std::popcount(word >> (2 * site) & 3); }
  static double z(Word word, int site) {
    const auto bits = word >> (2 * site) & 3;
    return bits == 1 ? 0.5 : bits == 2 ? -0.5 : 0.0;
  }

  /// Applies the operators of a string, the last one first.
  void add(Word word, const std::vector<Step>& string, double value,
           std::vector<std::pair<base::Index, double>>& row) const {
    for (auto step = string.rbegin(); step != string.rend(); ++step) {
      const Word bit = Word{1} << step->mode;
      if (((word & bit) == 0) != step->creates) return;
      if (std::popcount(word & (bit - 1)) % 2 != 0) value = -value;
      word ^= bit;
    }
    if (const auto place = row_of_.find(word); place != row_of_.end())
      row.push_back({place->second, value});
  }

  std::vector<std::pair<base::Index, double>> elements_from(Word word) const {
    std::vector<std::pair<base::Index, double>> row;
    double diagonal = 0;
    for (int site = 0; site < model_.sites; ++site)
      if (number(word, site) == 2) diagonal += model_.u;
    const auto add_bond = [&](const std::pair<int, int>& bond, double t, double j) {
      diagonal += j * (z(word, bond.first) * z(word, bond.second) -
                       0.25 * number(word, bond.first) * number(word, bond.second));
      for (const auto& [a, b] : {bond, std::pair(bond.second, bond.first)}) {
        const int up_a = 2 * a + kUpSpin;
        const int down_a = 2 * a + kDownSpin;
        const int up_b = 2 * b + kUpSpin;
        const int down_b = 2 * b + kDownSpin;
        add(word, {{up_a, true}, {up_b, false}}, -t, row);
        add(word, {{down_a, true}, {down_b, false}}, -t, row);
        add(word, {{up_a, true}, {down_a, false}, {down_b, true}, {up_b, false}}, j / 2, row);
      }
    };
    for (const auto& bond : model_.bonds) add_bond(bond, model_.t, model_.j);
    for (const auto& bond : model_.second_bonds) add_bond(bond, model_.t2, model_.j2);
    row.push_back({row_of_.at(word), diagonal});
    return row;
  }

  Model model_;
  std::vector<Word> words_;
  std::unordered_map<Word, base::Index> row_of_;
  std::vector<std::vector<std::pair<base::Index, double>>> elements_;
};

}  // namespace cisolve::test
