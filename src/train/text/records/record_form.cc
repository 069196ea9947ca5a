#include "train/text/records/record_form.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace ebb::train {
namespace {

tl::unexpected<Error> Refused(std::string what, std::string next = "") {
  return Fail({ExitCode::kConfiguration, std::move(what), "", std::move(next)});
}

std::string FieldNames(const JsonNode& record) {
  std::vector<std::string> names;
  for (const JsonMember& member : record.members) names.push_back(member.name);
  return names.empty() ? "the record has none" : "the record has " + Join(names, ", ");
}

Result<const JsonNode*> Field(const JsonNode& record, const std::string& name) {
  if (const JsonNode* field = record.Find(name)) return field;
  return Refused("there is no field " + Quoted(name), FieldNames(record));
}

using Comparison = RecordFilter::Comparison;
// Operators of two characters come first, because they begin with one of the others.
constexpr std::array<std::pair<std::string_view, Comparison>, 6> kComparisons{
    {{"<=", Comparison::kAtMost},
     {">=", Comparison::kAtLeast},
     {"==", Comparison::kEqual},
     {"<", Comparison::kLess},
     {">", Comparison::kGreater},
     {"=", Comparison::kEqual}}};

}  // namespace

Result<RecordPattern> RecordPattern::Parse(std::string_view pattern) {
  RecordPattern parsed;
  std::string text;
  bool has_field = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const bool doubled = at + 1 < pattern.size() && pattern[at + 1] == pattern[at];
    if (pattern[at] == '}' && !doubled)
      return Refused("a closing brace without an opening one in the pattern " + Quoted(pattern),
                     "write }} for a brace");
    if (pattern[at] != '{' || doubled) {
      text += pattern[at];
      if (pattern[at] == '{' || pattern[at] == '}') ++at;
      continue;
    }
    const std::size_t end = pattern.find('}', at);
    if (end == pattern.npos || end == at + 1)
      return Refused("a brace without the name of a field in the pattern " + Quoted(pattern),
                     "write {{ for a brace");
    if (!text.empty()) parsed.parts_.push_back({std::exchange(text, ""), false});
    parsed.parts_.push_back({std::string(pattern.substr(at + 1, end - at - 1)), true});
    has_field = true;
    at = end;
  }
  if (!has_field)
    return Refused("the pattern " + Quoted(pattern) + " names no field",
                   "put names of fields in braces, for example {prompt}");
  if (!text.empty()) parsed.parts_.push_back({std::move(text), false});
  return parsed;
}

Result<MarkedText> RecordPattern::Fill(const JsonNode& record) const {
  MarkedText filled;
  std::size_t answer = 0;
  for (const Part& part : parts_) {
    if (!part.is_field) {
      filled.text += part.text;
      continue;
    }
    EBB_ASSIGN_OR_RETURN(const JsonNode* field, Field(record, part.text));
    const auto text = field->AsText();
    if (!text) return Refused("the field " + Quoted(part.text) + " is not text");
    answer = filled.text.size();
    filled.text += *text;
  }
  filled.answers = {{answer, filled.text.size()}};
  return filled;
}

Result<RecordFilter> RecordFilter::Parse(std::string_view text) {
  for (const auto& [sign, comparison] : kComparisons) {
    const std::size_t at = text.find(sign);
    if (at == text.npos) continue;
    RecordFilter filter;
    filter.field = std::string(Trim(text.substr(0, at)));
    filter.comparison = comparison;
    const auto value = ParseNumber(Trim(text.substr(at + sign.size())));
    if (filter.field.empty() || !value) break;
    filter.value = *value;
    return filter;
  }
  return Refused(Quoted(text) + " is not a condition", "for example helpfulness>=3");
}

Result<bool> RecordFilter::Takes(const JsonNode& record) const {
  EBB_ASSIGN_OR_RETURN(const JsonNode* node, Field(record, field));
  auto number = node->AsNumber();
  if (const auto text = node->AsText(); !number && text) number = ParseNumber(Trim(*text));
  if (!number) return Refused("the field " + Quoted(field) + " is not a number");
  switch (comparison) {
    case Comparison::kLess:
      return *number < value;
    case Comparison::kAtMost:
      return *number <= value;
    case Comparison::kEqual:
      return *number == value;
    case Comparison::kAtLeast:
      return *number >= value;
    case Comparison::kGreater:
      return *number > value;
  }
  return false;
}

}  // namespace ebb::train
