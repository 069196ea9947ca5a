#pragma once
// Checks that every table of keys (section_table.h) must pass, and the text of the pages of docs
// that tests write from the tables.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "config/section_table.h"
#include "testing/option_docs.h"

namespace ebb::config {

/// Reads `text` as the value of a key; false if it is refused.
template <typename Object>
bool Reads(const SectionKey<Object>& key, const std::string& text, Object& object) {
  const auto root = ParseYaml("key: " + text, "test");
  EXPECT_TRUE(root && root->entries.size() == 1) << key.field.key << ": " << text;
  if (!root || root->entries.empty()) return false;
  Problems problems("test");
  const bool read = key.read(root->entries[0].value, object, problems);
  EXPECT_EQ(read, problems.empty()) << key.field.key << ": " << text;
  return read;
}

/// Each key has words, and no two keys have a name in common.
template <typename Object>
void ExpectOwnNames(const std::string& section, const SectionTable<Object>& table) {
  std::set<std::string> names;
  for (const SectionKey<Object>& key : table) {
    for (const std::string& name : {key.field.key, key.field.formerly})
      EXPECT_TRUE(name.empty() || names.insert(name).second) << section << ": " << name;
    EXPECT_FALSE(key.field.meaning.empty()) << section << ": " << key.field.key;
  }
}

/// The example of each key is read, and sets its member and no other. Returns the number of members
/// that were compared.
template <typename Object>
int ExpectExamplesAreRead(const std::string& section, const SectionTable<Object>& table) {
  int compared = 0;
  for (const SectionKey<Object>& key : table) {
    const std::string name = section + ": " + key.field.key;
    Object object{};
    EXPECT_TRUE(Reads(key, key.field.example, object)) << name;
    if (!key.get) continue;
    EXPECT_NE(key.get(object), key.get(Object{})) << name;
    for (const SectionKey<Object>& other : table) {
      if (!other.get || &other == &key) continue;
      EXPECT_EQ(other.get(object), other.get(Object{})) << name << ", " << other.field.key;
    }
    ++compared;
  }
  return compared;
}

/// Values outside of a key's range or choices are refused. Returns their number.
template <typename Object>
int ExpectRangesHold(const std::string& section, const SectionTable<Object>& table) {
  using core::Shape;
  int refused = 0;
  for (const SectionKey<Object>& key : table) {
    const core::Field& field = key.field;
    std::vector<std::string> outside;
    if (field.shape == Shape::kNumber || field.shape == Shape::kWhole)
      outside = {core::LimitText(field.low - 1), core::LimitText(field.high + 1), "many"};
    if (field.shape == Shape::kDuration) {
      // Durations are whole milliseconds.
      const std::string below = field.low >= 0.002 ? FormatExact(field.low / 2) + "s" : "0s";
      outside = {field.low > 0 ? below : "-1s", "long"};
    }
    if (field.shape == Shape::kChoice) outside = {"none-of-them"};
    for (const std::string& text : outside) {
      Object object{};
      EXPECT_FALSE(Reads(key, text, object)) << section << ": " << field.key << ": " << text;
      ++refused;
    }
  }
  return refused;
}

/// A default that is a value is what the member has. Returns the number of such defaults.
template <typename Object>
int ExpectDefaultsAreTrue(const std::string& section, const SectionTable<Object>& table) {
  using core::Shape;
  int compared = 0;
  for (const SectionKey<Object>& key : table) {
    const Shape shape = key.field.shape;
    if (shape == Shape::kText || shape == Shape::kTexts || !key.get) continue;
    const auto said = core::ParseOption(key.field, key.field.default_text);
    const auto value = key.get(Object{});
    if (!said || !value) continue;
    EXPECT_EQ(*value, *said) << section << ": " << key.field.key;
    ++compared;
  }
  return compared;
}

// Pages of docs ----------------------------------------------------------------------------------

inline constexpr const char* kKeyColumns = "| key | meaning | type and range | default | example |";
inline constexpr const char* kKeyRule = "|---|---|---|---|---|";

template <typename Object>
std::string KeyRow(const SectionKey<Object>& key) {
  const core::Field& field = key.field;
  std::string name = Code(field.key);
  if (!field.formerly.empty()) name += " (" + Code(field.formerly) + ")";
  return "| " + name + " | " + field.meaning + " | " +
         (key.type.empty() ? TypeText(field) : key.type) + " | " +
         (field.required ? "required" : field.default_text) + " | " + Code(field.example) + " |";
}

/// A heading, a sentence or two, and the keys of a table.
template <typename Object>
std::string KeySection(const std::string& title, const std::string& words,
                       const SectionTable<Object>& table) {
  std::string text =
      "\n## " + title + "\n\n" + words + "\n\n" + kKeyColumns + "\n" + kKeyRule + "\n";
  for (const SectionKey<Object>& key : table) text += KeyRow(key) + "\n";
  return text;
}

}  // namespace ebb::config
