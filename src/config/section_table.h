#pragma once
// A section of a file, described as a table of its keys: each key has a field (its name, type,
// range, default and meaning, core/options/definition.h), and says how its value is read and which
// member of `Object` it sets. Reading, checks, suggestions for misspelt keys and the generated
// pages of docs follow the table. A key that another table describes already (options of jobs, of
// runs) takes its field from there.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/member_access.h"
#include "config/yaml/key_reader.h"
#include "core/options/definition.h"

namespace ebb::config {

/// The keys whose values a file gives and that were accepted, with their lines.
class GivenKeys {
 public:
  void Add(const std::string& key, int line) { lines_[key] = line; }
  bool Has(std::string_view key) const { return lines_.contains(key); }
  /// The line of the key; 0 if the file does not give it.
  int LineOf(std::string_view key) const;

 private:
  std::map<std::string, int, std::less<>> lines_;
};

template <typename Object>
struct SectionKey {
  core::Field field{};
  /// Reads the value and sets the member; false if it added a problem instead.
  std::function<bool(const YamlNode&, Object&, Problems&)> read{};
  /// Gets the member; nullopt if it has no value. Empty if it holds no plain value: a time, a
  /// section.
  std::function<std::optional<core::OptionValue>(const Object&)> get{};
  std::string type{};  ///< the type for people if the field's shape does not say it
};

template <typename Object>
using SectionTable = std::vector<SectionKey<Object>>;

/// Reads a value by the field and hands it to `set`; false if a problem was added.
bool ReadAndSet(const core::Field& field, const YamlNode& node, Problems& problems,
                const std::function<Status(const core::OptionValue&)>& set);
/// An Error of `set` as a problem: "publication_lag: what: next".
std::string RefusalText(const std::string& key, const Error& error);

// Entries of a table -----------------------------------------------------------------------------

template <typename Object>
SectionKey<Object> KeyWith(core::Field field, MemberAccess<Object> member) {
  SectionKey<Object> key{std::move(field)};
  key.read = [field = key.field, set = std::move(member.set)](const YamlNode& node, Object& object,
                                                              Problems& problems) {
    return ReadAndSet(field, node, problems,
                      [&](const core::OptionValue& value) { return set(value, object); });
  };
  key.get = std::move(member.get);
  return key;
}

/// A key that sets one member as it is.
template <typename Object, typename Find>
SectionKey<Object> Key(core::Field field, Find find) {
  return KeyWith(std::move(field), MemberOf<Object>(find));
}

/// A key that is one of the names of an enumeration.
template <typename Object, typename Find, typename FromName>
SectionKey<Object> NamedKey(core::Field field, Find find, FromName from_name) {
  return KeyWith(std::move(field), NamedMemberOf<Object>(find, from_name));
}

/// A key in percent, whose member is a share.
template <typename Object, typename Find>
SectionKey<Object> PercentKey(core::Field field, Find find) {
  return KeyWith<Object>(std::move(field),
                         {[find](const core::OptionValue& value, Object& object) -> Status {
                            std::invoke(find, object) = std::get<double>(value) / 100;
                            return {};
                          },
                          [find](const Object& object) -> std::optional<core::OptionValue> {
                            return 100 * std::invoke(find, object);
                          }});
}

/// A key whose value is no OptionValue and has a rule of its own: a time, a section.
template <typename Object, typename T, typename Find>
SectionKey<Object> KeyByRule(core::Field field, std::string type,
                             KeyRule (*rule)(const std::string&, Given<T>&), Find find) {
  SectionKey<Object> key{std::move(field)};
  key.read = [name = key.field.key, rule, find](const YamlNode& node, Object& object,
                                                Problems& problems) {
    Given<T> given;
    rule(name, given).read(node, problems);
    if (given) std::invoke(find, object) = *given;
    return static_cast<bool>(given);
  };
  key.type = std::move(type);
  return key;
}

inline core::Field TextField(std::string key, std::string meaning, std::string default_text,
                             std::string example) {
  return {std::move(key), core::Shape::kText, std::move(meaning), std::move(default_text),
          std::move(example)};
}
/// `shortest`: in seconds.
inline core::Field DurationField(std::string key, std::string meaning, std::string default_text,
                                 std::string example, double shortest = 0) {
  return {std::move(key),
          core::Shape::kDuration,
          std::move(meaning),
          std::move(default_text),
          std::move(example),
          false,
          shortest};
}

/// A table in two parts, so that each of them fits on a screen.
template <typename Object>
SectionTable<Object> Joined(SectionTable<Object> first, SectionTable<Object> second) {
  for (SectionKey<Object>& key : second) first.push_back(std::move(key));
  return first;
}

/// A key with the type, range and choices of another field, and words of its own.
inline core::Field WithTypeOf(const core::Field& other, core::Field words) {
  words.shape = other.shape;
  words.low = other.low;
  words.high = other.high;
  words.choices = other.choices;
  return words;
}

// Reading ----------------------------------------------------------------------------------------

/// The rules of a table. All arguments must outlive them.
template <typename Object>
std::vector<KeyRule> RulesOf(const SectionTable<Object>& table, Object& object, GivenKeys& given) {
  std::vector<KeyRule> rules;
  for (const SectionKey<Object>& key : table) {
    KeyRule rule{key.field.key, [&key, &object, &given](const YamlNode& value, Problems& problems) {
                   if (key.read(value, object, problems)) given.Add(key.field.key, value.line);
                 }};
    rule.elsewhere = key.field.elsewhere;
    rule.formerly = key.field.formerly;
    rules.push_back(std::move(rule));
  }
  return rules;
}

/// Reads a section whose keys are all in one table.
template <typename Object>
GivenKeys ReadByTable(const YamlNode& node, std::string_view section,
                      const SectionTable<Object>& table, Object& object, Problems& problems) {
  GivenKeys given;
  const std::vector<KeyRule> rules = RulesOf(table, object, given);
  ReadSection(node, section, rules, {}, problems);
  return given;
}

}  // namespace ebb::config
