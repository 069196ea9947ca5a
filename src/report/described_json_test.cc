#include "report/described_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ebb::report {
namespace {

using nlohmann::ordered_json;

enum class Colour { kRed, kGreen };
std::string_view Name(Colour colour) { return colour == Colour::kRed ? "red" : "green"; }

struct Inner {
  int number = 0;
  void Describe(DescribedJson& json) const {
    json.Is("Inner", "A part.")("number", "of it", number);
  }
};

struct Outer {
  std::string name;
  std::optional<Time> maybe;
  std::vector<Inner> list;
  std::vector<std::pair<std::string, int>> named;
  std::variant<Inner, std::string> either;
  std::optional<Inner> inner;
  bool is_short = false;
  void Describe(DescribedJson& json) const {
    json.Is("Outer", "A whole.");
    if (is_short) return PutShort(json);
    json("name", "its name", IfAny(name));
    json("flag", "whether", true);
    json("emissions_g", "of it", Emissions{0.1 + 0.2});
    json("time_s", "taken", Duration{std::chrono::seconds{90}});
    json("maybe", "when", maybe);
    json("list", "parts", list);
    json("named", "by name", named);
    json("colour", "of it", UpTo<Colour::kGreen>{Colour::kGreen});
    json("either", "one of two", either);
    json("inner", "null: none", OrNull{inner});
    json.AlsoAs([&] { PutShort(json); });
  }
  void PutShort(DescribedJson& json) const { json("flag", "", false)("list", "", list); }
};

TEST(DescribedJson, IsWrittenInTheOrderOfItsKeysWithoutWhatItLacks) {
  Outer outer;
  outer.named = {{"b", 1}, {"a\"", 2}};
  outer.either = "x\xff";
  EXPECT_EQ(ToJson(outer), R"({"flag":true,"emissions_g":0.30000000000000004,"time_s":90.0,"list":)"
                           R"([],"named":{"b":1,"a\"":2},"colour":"green","either":"x)"
                           "\xEF\xBF\xBD\",\"inner\":null}");
  outer.list = {{1}, {2}};
  outer.is_short = true;
  EXPECT_EQ(ToJson(outer), R"({"flag":false,"list":[{"number":1},{"number":2}]})");
}

TEST(DescribedJson, ItsSchemaSaysWhatEachKeyHolds) {
  Schemas all;
  EXPECT_EQ(SchemaOf<std::vector<Outer>>(all),
            R"({"type":"array","items":{"$ref":"#/components/schemas/Outer"}})");
  EXPECT_EQ(all["Inner"], R"({"type":"object","description":"A part.","properties":{"number":)"
                          R"({"type":"integer","description":"of it"}},"required":["number"]})");
  const auto outer = ordered_json::parse(all["Outer"]);
  EXPECT_EQ(outer["required"].dump(), R"(["flag","list"])") << "what both forms have";
  const auto& keys = outer["properties"];
  EXPECT_EQ(keys.size(), 10u);
  EXPECT_EQ(keys["maybe"].dump(), R"({"type":"string","format":"date-time","description":"when"})");
  EXPECT_EQ(keys["list"]["items"]["$ref"], PlaceOfSchema("Inner"));
  EXPECT_EQ(keys["named"]["additionalProperties"]["type"], "integer");
  EXPECT_EQ(keys["colour"]["enum"], ordered_json({"red", "green"}));
  EXPECT_EQ(keys["either"]["oneOf"].dump(),
            R"([{"$ref":"#/components/schemas/Inner"},{"type":"string"}])");
  EXPECT_EQ(keys["inner"]["nullable"], true);
  EXPECT_TRUE(keys["inner"]["properties"].contains("number"));
}

}  // namespace
}  // namespace ebb::report
