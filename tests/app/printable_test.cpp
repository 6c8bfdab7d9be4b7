#include "app/cli/printable.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace cisolve::app {
namespace {

TEST(Printable, TextOfAnyLanguageStays) {
  for (const char* text :
       {"", "plain", "two\nlines\tand a tab\n", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
        "\xC2\xA0\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("\x1b[31mred\a\r"), "\\x1b[31mred\\x07\\x0d");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m");  // an ESC [ of eight bits
}

TEST(Printable, BytesThatAreNoUtf8AreWrittenOut) {
  EXPECT_EQ(printable("M\xFCller"), "M\\xfcller");
  EXPECT_EQ(printable("\xC3"), "\\xc3");
  EXPECT_EQ(printable("\xE2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xC0\x80\x80"), "\\xc0\\x80\\x80");
  EXPECT_EQ(printable("\xE0\x9F\xBF"), "\\xe0\\x9f\\xbf");  // overlong: two bytes suffice
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  EXPECT_EQ(printable("\xF0\x8F\xBF\xBF"),
            "\\xf0\\x8f\\xbf\\xbf");  // overlong: three bytes suffice
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(printable("\xF5"), "\\xf5");
  EXPECT_EQ(printable("\xE2"
                      "A\xC3\xA9"),
            "\\xe2"
            "A\xC3\xA9");
}

TEST(PrintableStream, PassesLinesOnAndTheRestWhenItIsFlushed) {
  std::ostringstream shown;
  {
    PrintableStream out(shown);
    out << "a\x1b" << 1;
    EXPECT_EQ(shown.str(), "");
    out << "\xC3" << '\xA9' << "b\nc\xC3" << '\n' << 'd';
    EXPECT_EQ(shown.str(),
              "a\\x1b1\xC3\xA9"
              "b\nc\\xc3\n");
    out << std::flush;
    EXPECT_EQ(shown.str(),
              "a\\x1b1\xC3\xA9"
              "b\nc\\xc3\nd");
    out << "e";
  }
  EXPECT_EQ(shown.str(),
            "a\\x1b1\xC3\xA9"
            "b\nc\\xc3\nde");
}

TEST(PrintableStream, FailsIfTheUnderlyingStreamFails) {
  std::ostringstream shown;
  PrintableStream out(shown);
  shown.setstate(std::ios::badbit);
  out << "lost\n" << std::flush;
  EXPECT_FALSE(out.good());
}

}  // namespace
}  // namespace cisolve::app
