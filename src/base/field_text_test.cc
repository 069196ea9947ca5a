#include "base/field_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ebb {
namespace {

constexpr auto kComplete = FieldStyle::kComplete;

enum class Colour { kRed, kGreen };
std::string_view Name(Colour colour) { return colour == Colour::kRed ? "red" : "green"; }
bool FromName(const FieldReader&, std::string_view name, Colour& value) {
  value = name == "red" ? Colour::kRed : Colour::kGreen;
  return name == "red" || name == "green";
}

struct Part {
  double size = 0;
  friend bool operator==(const Part&, const Part&) = default;
};

template <typename Archive, Like<Part> Value>
void Visit(Archive& archive, Value& value) {
  archive("size", value.size);
  if (value.size < 0) archive.Fail("is negative: \"size\"");
}

struct Thing {
  int count = 0;
  double weight = 0;
  std::string name;
  Colour colour = Colour::kRed;
  Time at{};
  Interval time{};
  Energy energy;
  std::optional<Intensity> intensity, known;
  std::optional<Part> part;
  std::vector<Part> parts;
  std::vector<std::string> links;
  bool shared = false;
  friend bool operator==(const Thing&, const Thing&) = default;
};

template <typename Archive, Like<Thing> Value>
void Visit(Archive& archive, Value& value) {
  auto& [count, weight, name, colour, at, time, energy, intensity, known, part, parts, links,
         shared] = value;
  archive.Is("schema", "thing/1");
  archive("count", count);
  archive("weight", weight);
  archive.Note("double_weight", 2 * weight);
  archive("name", name);
  archive("colour", colour);
  archive("at_ms", at);
  archive("time_ms", time);
  archive("energy_uj", energy);
  archive("g_per_kwh", intensity);
  archive.Must("known", known);
  archive.Maybe("part", part);
  archive("parts", parts);
  archive.InStores("links", links);
  archive.Maybe("shared", shared);
}

Thing AThing() {
  Thing thing;
  thing.count = 3;
  thing.weight = 2;
  thing.name = "a \"b\" gr\xc3\xbcn\n";
  thing.colour = Colour::kGreen;
  thing.at = Time{Duration{1'682'899'200'000}};
  thing.time = {Time{Duration{-5}}, Time{Duration{7}}};
  thing.energy = Energy::Microjoules(-3);
  thing.intensity = Intensity{0.1};
  thing.part = Part{1e-7};
  thing.parts = {{1.5}, {3}};
  thing.shared = true;
  return thing;
}

// The complete text of a Thing, with `from` replaced by `to`.
std::string Changed(const std::string& from, const std::string& to) {
  std::string text = ToFieldText(AThing(), kComplete);
  const auto place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from << " in " << text;
  return text.replace(place, from.size(), to);
}

std::string ErrorOf(const std::string& text) {
  const auto read = FromFieldText<Thing>(text, "things.jsonl:3", kComplete);
  return read ? "" : read.error().Message();
}

TEST(FieldText, ACompleteTextHasEveryField) {
  EXPECT_EQ(ToFieldText(Thing(), kComplete),
            R"({"schema":"thing/1","count":0,"weight":0.0,"double_weight":0.0,"name":"",)"
            R"("colour":"red","at_ms":0,"time_ms":[0,0],"energy_uj":0,"g_per_kwh":null,)"
            R"("known":null,"parts":[]})");
  EXPECT_EQ(ToFieldText(AThing(), kComplete),
            R"({"schema":"thing/1","count":3,"weight":2.0,"double_weight":4.0,)"
            R"("name":"a \"b\" grün\n","colour":"green","at_ms":1682899200000,"time_ms":[-5,7],)"
            R"("energy_uj":-3,"g_per_kwh":0.1,"known":null,"part":{"size":1e-07},)"
            R"("parts":[{"size":1.5},{"size":3.0}],"shared":true})");
}

TEST(FieldText, ACompactTextHasWhatIsNotZero) {
  EXPECT_EQ(ToFieldText(Thing()),
            R"({"schema":"thing/1","colour":"red","time_ms":[0,0],"known":null})");
  Thing thing = AThing();
  thing.known = Intensity{2};
  thing.links = {"a", "b"};
  const std::string text = ToFieldText(thing);
  EXPECT_EQ(text.find("double_weight"), std::string::npos);
  EXPECT_EQ(*FromFieldText<Thing>(text, "test"), thing);
}

TEST(FieldText, ACompleteTextReadsBackTheSame) {
  Thing thing = AThing();
  EXPECT_EQ(*FromFieldText<Thing>(ToFieldText(thing, kComplete), "test", kComplete), thing);
  EXPECT_EQ(*FromFieldText<Thing>(Indented(ToFieldText(thing, kComplete)), "test", kComplete),
            thing);
  EXPECT_EQ(*FromFieldText<Thing>(ToFieldText(Thing(), kComplete), "test", kComplete), Thing());
  thing.links = {"a"};
  EXPECT_TRUE(FromFieldText<Thing>(ToFieldText(thing, kComplete), "test", kComplete)->links.empty())
      << "stores alone have it";
}

TEST(FieldText, NumbersThatAreNotFiniteAreNullInACompleteText) {
  Thing thing;
  thing.weight = INFINITY;
  const std::string text = ToFieldText(thing, kComplete);
  EXPECT_NE(text.find(R"("weight":null)"), std::string::npos) << text;
  EXPECT_TRUE(std::isnan(FromFieldText<Thing>(text, "test", kComplete)->weight));
  EXPECT_EQ(ToFieldText(-0.0, kComplete), "-0.0");
}

TEST(FieldText, WhatIsOptionalMayBeAbsentOrNull) {
  const auto read = [](const std::string& text) {
    return FromFieldText<Thing>(text, "test", kComplete);
  };
  EXPECT_FALSE(read(Changed(R"("g_per_kwh":0.1,)", ""))->intensity);
  EXPECT_FALSE(read(Changed(R"("g_per_kwh":0.1,)", R"("g_per_kwh":null,)"))->intensity);
  EXPECT_FALSE(read(Changed(R"("shared":true)", R"("shared":null)"))->shared);
  EXPECT_FALSE(read(Changed(R"("part":{"size":1e-07})", R"("part":null)"))->part);
}

TEST(FieldText, DamageIsAnErrorThatNamesTheField) {
  EXPECT_EQ(ErrorOf(Changed(R"("count":3,)", "")), "things.jsonl:3: has no \"count\"");
  EXPECT_EQ(ErrorOf(Changed(R"("known":null,)", "")), "things.jsonl:3: has no \"known\"")
      << "optional, and yet it must be there";
  EXPECT_EQ(ErrorOf(Changed(R"("count":3)", R"("count":null)")),
            "things.jsonl:3: is not a whole number in range: \"count\"");
  EXPECT_EQ(ErrorOf(Changed("1682899200000", "253402300800001")),
            "things.jsonl:3: is not a whole number in range: \"at_ms\"");
  EXPECT_EQ(ErrorOf(Changed("2.0", "\"nan\"")), "things.jsonl:3: is not a number: \"weight\"");
  EXPECT_EQ(ErrorOf(Changed("\"green\"", "\"blue\"")),
            "things.jsonl:3: has the unknown name blue: \"colour\"");
  EXPECT_EQ(ErrorOf(Changed("[-5,7]", "[-5]")), "things.jsonl:3: is not a pair: \"time_ms\"");
  EXPECT_EQ(ErrorOf(Changed("1.5", "-1.5")), "things.jsonl:3: is negative: \"size\"");
  EXPECT_EQ(ErrorOf(Changed("thing/1", "thing/2")),
            "things.jsonl:3: \"schema\" is \"thing/2\", not \"thing/1\"");
  EXPECT_EQ(ErrorOf("[1]"), "things.jsonl:3: is not an object");
  EXPECT_EQ(ErrorOf(R"({"schema":)"), "things.jsonl:3: is not JSON");
}

}  // namespace
}  // namespace ebb
