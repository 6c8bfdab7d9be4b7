#pragma once

#include <charconv>
#include <functional>
#include <string>

#include "io/molecules/fcidump.hpp"
#include "tests/io/support.hpp"

namespace cisolve::test {

using ci::Integrals;
using ci::Spin;

/// The shortest decimal form that reads back as the same double.
inline std::string exact(double value) {
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

inline std::string dump_line(double value, int i, int j, int k, int l) {
  return base::concat(exact(value), " ", i, " ", j, " ", k, " ", l, "\n");
}

/// Lines of one-electron integrals; `index` numbers the orbitals.
inline std::string one_electron_lines(const Integrals& v, Spin spin,
                                      const std::function<int(Spin, int)>& index) {
  std::string lines;
  for (int p = 0; p < v.orbitals(); ++p)
    for (int q = 0; q <= p; ++q)
      lines += dump_line(v.one(spin, p, q), index(spin, p), index(spin, q), 0, 0);
  return lines;
}

inline std::string two_electron_lines(const Integrals& v, Spin left, Spin right,
                                      const std::function<int(Spin, int)>& index) {
  std::string lines;
  for (int p = 0; p < v.orbitals(); ++p)
    for (int q = 0; q <= p; ++q)
      for (int r = 0; r < v.orbitals(); ++r)
        for (int s = 0; s <= r; ++s)
          if (left != right || ci::pair_index(p, q) >= ci::pair_index(r, s))
            lines += dump_line(v.two(left, p, q, right, r, s), index(left, p), index(left, q),
                               index(right, r), index(right, s));
  return lines;
}

inline void expect_same_integrals(const Integrals& found, const Integrals& expected,
                                  double tolerance = 0) {
  ASSERT_EQ(found.orbitals(), expected.orbitals());
  ASSERT_EQ(found.spin_dependent(), expected.spin_dependent());
  EXPECT_EQ(found.core_energy(), expected.core_energy());
  const int n = found.orbitals();
  for (const Spin s : {Spin::alpha, Spin::beta})
    for (int p = 0; p < n; ++p)
      for (int q = 0; q <= p; ++q) {
        EXPECT_NEAR(found.one(s, p, q), expected.one(s, p, q), tolerance);
        for (const Spin t : {Spin::alpha, Spin::beta})
          for (int r = 0; r < n; ++r)
            for (int u = 0; u <= r; ++u)
              EXPECT_NEAR(found.two(s, p, q, t, r, u), expected.two(s, p, q, t, r, u), tolerance);
      }
}

/// A small restricted problem: two electrons in two orbitals of different symmetry.
inline constexpr std::string_view kHeader = "&FCI NORB=2,NELEC=2,MS2=0,\n ORBSYM=1,5,\n ISYM=1,\n";
inline constexpr std::string_view kBody =
    "0.7 1 1 1 1\n0.6 2 2 1 1\n0.2 2 1 2 1\n0.65 2 2 2 2\n-1.25 1 1 0 0\n-0.5 2 2 0 0\n"
    "0.75 0 0 0 0\n";

class FcidumpTest : public FileTest {
 protected:
  io::MolecularProblem read(const std::string& text, const io::FcidumpOptions& options = {},
                            const base::Backend& host = kHost) const {
    return io::read_fcidump(text_file("x.fcidump", text), options, host);
  }
  io::MolecularProblem plain() const {
    return read(std::string(kHeader) + "/\n" + std::string(kBody));
  }
  void expect_refused(const std::string& text, std::string_view words,
                      const io::FcidumpOptions& options = {}) const {
    const auto file = text_file("bad.fcidump", text);
    SCOPED_TRACE(text.substr(0, 400));
    expect_failure([&] { io::read_fcidump(file, options, kHost); }, base::ErrorKind::bad_input,
                   file.native() + ":" + std::string(words));
  }
};

}  // namespace cisolve::test
