#include "app/json/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace cisolve::app {
namespace {

nlohmann::json read_back(const Json& json) { return nlohmann::json::parse(json.document()); }

TEST(JsonText, IsReadBackByAnotherReader) {
  const Json json = Json::object({{"truth", true},
                                  {"whole", std::numeric_limits<base::Index>::max()},
                                  {"real", 0.1},
                                  {"tiny", 5e-324},
                                  {"text", "plain"},
                                  {"nothing", Json()},
                                  {"empty", Json::object({})},
                                  {"list", Json::array({1, 2.5, "three", Json::array({})})}});
  const nlohmann::json read = read_back(json);
  EXPECT_EQ(read["truth"], true);
  EXPECT_EQ(read["whole"], std::numeric_limits<base::Index>::max());
  EXPECT_EQ(read["real"], 0.1);
  EXPECT_EQ(read["tiny"], 5e-324);
  EXPECT_EQ(read["text"], "plain");
  EXPECT_TRUE(read["nothing"].is_null());
  EXPECT_TRUE(read["empty"].empty());
  EXPECT_EQ(read["list"], nlohmann::json::parse(R"([1, 2.5, "three", []])"));
}

TEST(JsonText, EscapesEveryCharacterThatNeedsIt) {
  std::string text;
  for (char c = 1; c < 127; ++c) text += c;
  text += '\0';
  text += "\xC3\xA9";
  EXPECT_EQ(read_back(Json(text)), text);
  EXPECT_EQ(read_back(Json::object({{text, 1}})).begin().key(), text);
}

TEST(JsonText, HasNullForWhatIsNotFinite) {
  EXPECT_TRUE(read_back(Json(std::numeric_limits<double>::infinity())).is_null());
  EXPECT_TRUE(read_back(Json(std::numeric_limits<double>::quiet_NaN())).is_null());
}

TEST(JsonText, KeepsOrderAndHasTwoSpacesALevel) {
  const Json json = Json::object({{"z", 1}, {"a", Json::array({1.5, Json::object({})})}});
  EXPECT_EQ(json.document(), R"({
  "z": 1,
  "a": [
    1.5,
    {}
  ]
}
)");
  EXPECT_EQ(parse_json(json.document(), "r.json").document(), json.document());
}

TEST(JsonText, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(read_back(Json("caf\xE9.mtx")), "caf\uFFFD.mtx");
}

TEST(Json, ReadsWhatWasWritten) {
  const Json value = parse_json(
      R"({"a": [1, -2.5e-3, true, null], "b": {"c": "x\"\\\n\u00e9"}, "n": {}})", "r.json");
  EXPECT_EQ(value["a"].items().size(), 4u);
  EXPECT_EQ(value["a"][1].number(), -2.5e-3);
  EXPECT_EQ(value["a"].items()[2].truth(), true);
  EXPECT_TRUE(value["a"][3].is_null());
  EXPECT_EQ(value["b"]["c"].text(), "x\"\\\n\u00e9");
  EXPECT_TRUE(value["n"].is_object());
  EXPECT_EQ(value.members().back().first, "n");
}

TEST(Json, ReturnsNothingForAbsentMembersOrOtherTypes) {
  const Json value = parse_json(R"({"a": [1]})", "r.json");
  EXPECT_TRUE(value["absent"]["deeper"].is_null());
  EXPECT_TRUE(value["a"][1].is_null());
  EXPECT_TRUE(value[0].is_null());
  EXPECT_TRUE(value["a"]["name"].is_null());
  EXPECT_EQ(value["a"].number(), std::nullopt);
  EXPECT_EQ(value["a"].text(), "");
  EXPECT_TRUE(value.items().empty());
  EXPECT_TRUE(value["a"].members().empty());
}

TEST(Json, TheFirstOfTwoMembersOfOneNameCounts) {
  EXPECT_EQ(parse_json(R"({"a": 1, "b": 2, "a": 3})", "r.json")["a"].number(), 1);
}

std::string refusal_of(const std::string& text) {
  try {
    parse_json(text, "r.json");
  } catch (const base::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Json, AnythingElseIsRefusedWithItsLine) {
  const std::string remedy = "; expected a whole record, as the program writes it";
  for (const std::string bad :
       {"", "{", "[1,", "[1 2]", "{\"a\" 1}", "{a: 1}", "nul", "1e999", "\"\\q\"", "\"\\u12\"",
        "{} {}", "\"open", "\"a\tb\"", "\"\xE9\"", "-"})
    EXPECT_EQ(refusal_of(bad).substr(0, 27), "r.json:1: this is no JSON: ") << bad;
  EXPECT_EQ(refusal_of("[\n1,\n}"),
            "r.json:3: this is no JSON: unexpected '}'; expected '[', '{', or a literal");
  EXPECT_EQ(refusal_of("[\n1,\n").substr(0, 9), "r.json:3:");
  EXPECT_EQ(refusal_of("[\n1,\n1e999\n]").substr(0, 9), "r.json:3:");
  EXPECT_EQ(refusal_of(std::string("[1\n]\n\0x", 7)),
            "r.json:3: this is no JSON: it holds a NUL" + remedy);
  EXPECT_EQ(refusal_of("\"" + std::string(1000, 'a')),  // too long to be quoted
            "r.json:1: this is no JSON: invalid string: missing closing quote" + remedy);
}

TEST(Json, NestingIsLimitedByTheCallStack) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + "\"[\\\"[\"" + std::string(levels, ']');
  };
  EXPECT_EQ(refusal_of(nested(64)), "none");
  EXPECT_EQ(refusal_of("\n" + nested(65)),
            "r.json:2: this is no JSON: expected fewer levels of brackets");
  EXPECT_NE(refusal_of(std::string(100000, '[')), "none");
}

}  // namespace
}  // namespace cisolve::app
