#include "config/yaml/key_reader.h"

#include <algorithm>
#include <map>

#include "base/check.h"

namespace ebb::config {
namespace {

std::string Shown(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kList) return "a list";
  if (node.kind == YamlNode::Kind::kMap) return "a section of keys";
  return Quoted(node.text);
}

void Mismatch(const std::string& name, const YamlNode& value, std::string_view wanted,
              Problems& problems) {
  problems.Add(value.line,
               name + " must be " + std::string(wanted) + ", and " + Shown(value) + " is not");
}

std::optional<bool> BoolFrom(const YamlNode& value) {
  if (value.kind != YamlNode::Kind::kScalar) return std::nullopt;
  const std::string word = Lowercase(value.text);
  if (word == "true" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "no" || word == "off") return false;
  return std::nullopt;
}

std::string RangeText(Range range) {
  constexpr double kNoLimit = 1e15;
  std::string text = "at least " + FormatExact(range.low);
  if (range.high < kNoLimit) text += " and at most " + FormatExact(range.high);
  return text;
}

// ", at least 1.0s and at most 1h 0m"; empty if every duration fits.
std::string RangeText(Duration least, Duration most) {
  std::string text;
  if (least > Duration::zero()) text += ", at least " + FormatDuration(least);
  if (most < Duration::max())
    text += (text.empty() ? ", at most " : " and at most ") + FormatDuration(most);
  return text;
}

bool Inside(Range range, double value) { return range.low <= value && value <= range.high; }

std::optional<std::int64_t> IntegerFrom(const YamlNode& value, Range range) {
  if (value.kind != YamlNode::Kind::kScalar) return std::nullopt;
  const auto number = ParseInteger(value.text);
  if (!number || !Inside(range, static_cast<double>(*number))) return std::nullopt;
  return *number;
}

std::string UnknownKey(const YamlEntry& entry, std::string_view section,
                       std::span<const KeyRule> rules, std::span<const SectionKeys> others) {
  std::string message = "unknown key " + Quoted(entry.key);
  message += section.empty() ? " at the top level" : " in " + std::string(section);
  for (const SectionKeys& other : others) {
    if (std::find(other.keys.begin(), other.keys.end(), entry.key) == other.keys.end()) continue;
    return message + " (it belongs " +
           (other.section.empty() ? "at the top level" : "in " + other.section) + ")";
  }
  for (const KeyRule& rule : rules)
    if (std::find(rule.elsewhere.begin(), rule.elsewhere.end(), entry.key) != rule.elsewhere.end())
      return message + " (here it is called \"" + rule.name + "\")";
  return message + SuggestionText(entry.key, KeysOf(std::string(section), rules).keys);
}

}  // namespace

void Problems::Add(int line, std::string what) { found_.push_back({line, std::move(what)}); }

Error Problems::ToError() const {
  EBB_CHECK(!found_.empty());
  std::vector<Problem> sorted = found_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Problem& a, const Problem& b) { return a.line < b.line; });
  const auto at = [&](const Problem& problem) {
    return problem.line > 0 ? file_ + ":" + std::to_string(problem.line) : file_;
  };
  if (sorted.size() == 1) return {ExitCode::kConfiguration, sorted[0].what, at(sorted[0]), ""};
  std::string what = std::to_string(sorted.size()) + " mistakes";
  for (const Problem& problem : sorted) what += "\n  " + at(problem) + ": " + problem.what;
  return {ExitCode::kConfiguration, what, file_, ""};
}

KeyRule Formerly(std::string name, KeyRule rule) {
  rule.formerly = std::move(name);
  return rule;
}

KeyRule ReadBool(const std::string& name, Given<bool>& out) {
  return {name, [name, &out](const YamlNode& value, Problems& problems) {
            out = {BoolFrom(value), value.line};
            if (!out) Mismatch(name, value, "true or false", problems);
          }};
}

KeyRule ReadText(const std::string& name, Given<std::string>& out) {
  return {name, [name, &out](const YamlNode& value, Problems& problems) {
            if (value.kind != YamlNode::Kind::kScalar || Trim(value.text).empty())
              return Mismatch(name, value, "a text", problems);
            out = {value.text, value.line};
          }};
}

KeyRule ReadNumber(const std::string& name, Given<double>& out, Range range) {
  return {name, [name, &out, range](const YamlNode& value, Problems& problems) {
            const auto number =
                value.kind == YamlNode::Kind::kScalar ? ParseNumber(value.text) : std::nullopt;
            if (!number || !Inside(range, *number))
              return Mismatch(name, value, "a number, " + RangeText(range), problems);
            out = {*number, value.line};
          }};
}

KeyRule ReadInteger(const std::string& name, Given<std::int64_t>& out, Range range) {
  return {name, [name, &out, range](const YamlNode& value, Problems& problems) {
            out = {IntegerFrom(value, range), value.line};
            if (!out) Mismatch(name, value, "a whole number, " + RangeText(range), problems);
          }};
}

KeyRule ReadIntegers(const std::string& name, Given<std::vector<std::int64_t>>& out, Range range) {
  return {name, [name, &out, range](const YamlNode& value, Problems& problems) {
            const std::string wanted =
                "a list of different whole numbers like [1, 2, 3], each " + RangeText(range);
            if (value.kind != YamlNode::Kind::kList || value.items.empty())
              return Mismatch(name, value, wanted, problems);
            std::vector<std::int64_t> numbers;
            for (const YamlNode& item : value.items) {
              const auto number = IntegerFrom(item, range);
              if (!number || std::count(numbers.begin(), numbers.end(), *number) > 0)
                return Mismatch(name, item, wanted, problems);
              numbers.push_back(*number);
            }
            out = {std::move(numbers), value.line};
          }};
}

KeyRule ReadDuration(const std::string& name, Given<Duration>& out, Duration least, Duration most) {
  return {name, [name, &out, least, most](const YamlNode& value, Problems& problems) {
            if (value.kind != YamlNode::Kind::kScalar)
              return Mismatch(name, value, "a duration like 90s, 15m or 6h", problems);
            const auto duration = ParseDuration(value.text);
            if (!duration || *duration < least || *duration > most)
              return Mismatch(name, value,
                              "a duration like 90s, 15m or 6h" + RangeText(least, most), problems);
            out = {*duration, value.line};
          }};
}

KeyRule ReadTime(const std::string& name, Given<Time>& out) {
  return {name, [name, &out](const YamlNode& value, Problems& problems) {
            const auto time = ParseTime(value.text);
            if (value.kind != YamlNode::Kind::kScalar || !time)
              return Mismatch(name, value, "a time like 2023-05-01T13:45Z", problems);
            out = {*time, value.line};
          }};
}

KeyRule ReadChoice(const std::string& name, Given<std::string>& out,
                   const std::vector<std::string>& choices) {
  return {name, [name, &out, choices](const YamlNode& value, Problems& problems) {
            if (value.kind == YamlNode::Kind::kScalar &&
                std::find(choices.begin(), choices.end(), value.text) != choices.end()) {
              out = {value.text, value.line};
              return;
            }
            problems.Add(value.line, name + " must be one of " + Join(choices, ", ") + ", and " +
                                         Shown(value) + " is not" +
                                         SuggestionText(value.text, choices));
          }};
}

SectionKeys KeysOf(std::string section, std::span<const KeyRule> rules) {
  SectionKeys keys{std::move(section), {}};
  for (const KeyRule& rule : rules) keys.keys.push_back(rule.name);
  return keys;
}

void ReadSection(const YamlNode& map, std::string_view section, std::span<const KeyRule> rules,
                 std::span<const SectionKeys> others, Problems& problems) {
  if (map.kind == YamlNode::Kind::kNull) return;
  if (map.kind != YamlNode::Kind::kMap) {
    problems.Add(map.line, (section.empty() ? "the file" : std::string(section)) +
                               " must be a section of keys, and " + Shown(map) + " is not");
    return;
  }
  // Entries by the present name of their key.
  std::map<std::string, const YamlEntry*> seen;
  for (const YamlEntry& entry : map.entries) {
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const KeyRule& r) {
      return r.name == entry.key || (!r.formerly.empty() && r.formerly == entry.key);
    });
    const auto [first, is_new] = seen.emplace(rule == rules.end() ? entry.key : rule->name, &entry);
    if (const YamlEntry& before = *first->second; !is_new) {
      problems.Add(entry.line, before.key == entry.key
                                   ? "key " + Quoted(entry.key) + " is given twice, also in line " +
                                         std::to_string(before.line)
                                   : before.key + " (line " + std::to_string(before.line) +
                                         ") and " + entry.key + " are the same key: leave out " +
                                         rule->formerly);
      continue;
    }
    if (rule == rules.end()) {
      problems.Add(entry.line, UnknownKey(entry, section, rules, others));
    } else if (entry.value.kind != YamlNode::Kind::kNull) {
      rule->read(entry.value, problems);
    }
  }
}

}  // namespace ebb::config
