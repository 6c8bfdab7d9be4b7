#include "app/json/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace cisolve::app {
namespace {

nlohmann::json read_back(const Json& json) { return nlohmann::json::parse(json.text()); }

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

}  // namespace
}  // namespace cisolve::app
