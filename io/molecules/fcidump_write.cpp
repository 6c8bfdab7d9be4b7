#include "io/molecules/fcidump_write.hpp"

#include <cmath>
#include <string>

#include "base/number.hpp"
#include "base/text.hpp"
#include "io/files/output_file.hpp"

namespace cisolve::io {
namespace {

constexpr double kLeastIntegral = 1e-15;                    // Hartree
constexpr std::size_t kPieceOfFile = std::size_t{1} << 16;  // bytes

/// Collects lines of the body and appends them in pieces.
class FcidumpBody {
 public:
  explicit FcidumpBody(OutputFile& file) : file_(file) {}

  void add(double value, int i, int j, int k, int l) {
    if (std::abs(value) <= kLeastIntegral && i > 0) return;
    text_ += base::concat(' ', base::shortest(value), ' ', i, ' ', j, ' ', k, ' ', l, '\n');
    if (text_.size() > kPieceOfFile) flush();
  }
  void flush() {
    file_.append(text_);
    text_.clear();
  }

 private:
  OutputFile& file_;
  std::string text_;
};

}  // namespace

void write_fcidump(const std::filesystem::path& path, const ci::Integrals& integrals,
                   const FcidumpHeading& header, bool overwrite) {
  constexpr auto a = ci::Spin::alpha;
  const int n = integrals.orbitals();
  OutputFile file(path, overwrite);
  std::string symmetries;
  for (const int irrep : header.orbital_symmetries)
    symmetries += base::concat(symmetries.empty() ? "  ORBSYM=" : ",", irrep);
  if (!symmetries.empty()) symmetries += base::concat(",\n  PNTGRP=", header.point_group, ",\n");
  file.append(base::concat("&FCI NORB=", n, ",NELEC=", header.alpha + header.beta, ",MS2=",
                           header.alpha - header.beta, ",\n", symmetries, "  ISYM=1,\n&END\n"));
  FcidumpBody body(file);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = 0; k <= i; ++k)
        for (int l = 0; l <= (k == i ? j : k); ++l)
          body.add(integrals.two(a, i, j, a, k, l), i + 1, j + 1, k + 1, l + 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) body.add(integrals.one(a, i, j), i + 1, j + 1, 0, 0);
  body.add(integrals.core_energy(), 0, 0, 0, 0);
  body.flush();
  file.commit();
}

}  // namespace cisolve::io
