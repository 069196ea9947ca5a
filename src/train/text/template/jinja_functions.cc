#include "train/text/template/jinja_functions.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "train/text/tokenizer/unicode.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train::jinja {
namespace {

tl::unexpected<Error> Refused(std::string what) {
  return Fail({ExitCode::kConfiguration, "the chat template: " + std::move(what), "", ""});
}

constexpr std::array<std::string_view, 25> kFilters{
    "trim",       "length", "count",  "tojson",  "upper", "lower",      "join",
    "default",    "d",      "first",  "last",    "list",  "string",     "int",
    "replace",    "items",  "safe",   "reverse", "map",   "selectattr", "rejectattr",
    "capitalize", "select", "reject", "dictsort"};
constexpr std::array<std::string_view, 20> kTests{
    "defined", "undefined", "none",     "string",   "number", "integer",    "float",
    "boolean", "mapping",   "sequence", "iterable", "true",   "false",      "equalto",
    "eq",      "ne",        "in",       "odd",      "even",   "divisibleby"};

// Strips characters of `which`, or spaces if it is undefined, from the chosen ends.
std::string StripEnds(const std::string& text, const Value& which, bool left, bool right) {
  const std::string* set = which.text();
  std::vector<char32_t> strip;
  for (std::size_t at = 0; set != nullptr && at < set->size();)
    strip.push_back(TakeCodePoint(*set, at));
  // Python's str.strip takes four separators besides White_Space.
  const auto goes = [&](char32_t c) {
    return set != nullptr ? std::find(strip.begin(), strip.end(), c) != strip.end()
                          : IsSpace(c) || (c >= 0x1c && c <= 0x1f);
  };
  std::size_t begin = text.size(), end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    if (goes(TakeCodePoint(text, at))) continue;
    begin = std::min(begin, here);
    end = at;
  }
  if (end == 0) return left || right ? "" : text;
  if (!left) begin = 0;
  if (!right) end = text.size();
  return text.substr(begin, end - begin);
}

Result<Value> Replaced(const std::string& text, const std::string& from, const std::string& to) {
  if (from.empty()) return Refused("replace has nothing to look for");
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, done)) {
    result.append(text, done, at - done);
    result += to;
    done = at + from.size();
    if (result.size() > kMaxTextBytes) return Refused("a text becomes too long");
  }
  return Value(result.append(text, done));
}

Value SplitAt(const std::string& text, const Value& separator, std::int64_t most) {
  List parts;
  std::size_t done = 0;
  if (const std::string* sign = separator.text(); sign != nullptr && !sign->empty()) {
    for (std::size_t at = text.find(*sign);
         at != text.npos && (most < 0 || static_cast<std::int64_t>(parts.size()) < most);
         at = text.find(*sign, done)) {
      parts.emplace_back(text.substr(done, at - done));
      done = at + sign->size();
    }
    parts.emplace_back(text.substr(done));
    return Value(std::move(parts));
  }
  std::string word;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    if (!IsSpace(TakeCodePoint(text, at))) {
      word.append(text, here, at - here);
    } else if (!word.empty()) {
      parts.emplace_back(std::exchange(word, ""));
    }
  }
  if (!word.empty()) parts.emplace_back(std::move(word));
  return Value(std::move(parts));
}

// ASCII only, which is enough for roles and names.
std::string Capitalized(const std::string& text) {
  std::string result = Lowercase(text);
  if (!result.empty() && result[0] >= 'a' && result[0] <= 'z')
    result[0] = static_cast<char>(result[0] - 32);
  return result;
}

std::string Uppercase(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return text;
}

Result<Value> Joined(const List& items, const std::string& separator) {
  std::string result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) result += separator;
    result += items[i].Printed();
    if (result.size() > kMaxTextBytes) return Refused("a text becomes too long");
  }
  return Value(std::move(result));
}

List Members(const Dict& dict) {
  List items;
  for (const auto& [key, value] : dict) items.emplace_back(List{Value(key), value});
  return items;
}

// Implements select, reject and their forms for an attribute: the items that pass or fail a test,
// or are true or false.
Result<Value> Selected(const std::string& name, const List& items, const CallArguments& arguments) {
  const bool wanted = name.starts_with("select");
  const std::size_t first = name.ends_with("attr") ? 1 : 0;
  const std::string attribute = arguments.Get(0, "attribute").Printed();
  const Value test = arguments.Get(first, "test");
  CallArguments rest;
  for (std::size_t i = first + 1; i < arguments.by_position.size(); ++i)
    rest.by_position.push_back(arguments.by_position[i]);
  List result;
  for (const Value& item : items) {
    const Value value = first == 1 ? item.At(attribute) : item;
    bool passes = value.IsTrue();
    if (!test.is_undefined()) {
      EBB_ASSIGN_OR_RETURN(passes, ApplyTest(test.Printed(), value, rest));
    }
    if (passes == wanted) result.push_back(item);
  }
  return Value(std::move(result));
}

// Sorts members by key, ignoring case.
Value SortedMembers(Dict dict) {
  std::stable_sort(dict.begin(), dict.end(), [](const auto& a, const auto& b) {
    return Lowercase(a.first) < Lowercase(b.first);
  });
  return Value(Members(dict));
}

Result<Value> Mapped(const List& items, const CallArguments& arguments) {
  List result;
  const Value attribute = arguments.Get(1000, "attribute");
  const std::string filter = arguments.Get(0, "filter").Printed();
  for (const Value& item : items) {
    if (!attribute.is_undefined()) {
      result.push_back(item.At(attribute.Printed()));
      continue;
    }
    if (filter == "map") return Refused("map of map is not supported");
    EBB_ASSIGN_OR_RETURN(Value mapped, ApplyFilter(filter, item, {}));
    result.push_back(std::move(mapped));
  }
  return Value(std::move(result));
}

Result<Value> FilterText(const std::string& name, const std::string& text,
                         const CallArguments& arguments) {
  if (name == "trim") return Value(StripEnds(text, arguments.Get(0, "chars"), true, true));
  if (name == "upper") return Value(Uppercase(text));
  if (name == "lower") return Value(Lowercase(text));
  if (name == "capitalize") return Value(Capitalized(text));
  return Replaced(text, arguments.Get(0, "old").Printed(), arguments.Get(1, "new").Printed());
}

Result<Value> FilterItems(const std::string& name, List items, const CallArguments& arguments) {
  if (name == "join") return Joined(items, arguments.Get(0, "d", Value("")).Printed());
  if (name == "first") return items.empty() ? Value() : items.front();
  if (name == "last") return items.empty() ? Value() : items.back();
  if (name == "map") return Mapped(items, arguments);
  if (name.starts_with("select") || name.starts_with("reject"))
    return Selected(name, items, arguments);
  if (name == "reverse") std::reverse(items.begin(), items.end());
  return Value(std::move(items));
}

}  // namespace

Value CallArguments::Get(std::size_t position, std::string_view name, Value otherwise) const {
  if (position < by_position.size()) return by_position[position];
  for (const auto& [key, value] : by_name) {
    if (key == name) return value;
  }
  return otherwise;
}

bool CallArguments::Has(std::size_t position, std::string_view name) const {
  return position < by_position.size() ||
         std::any_of(by_name.begin(), by_name.end(),
                     [&](const auto& argument) { return argument.first == name; });
}

bool IsFilter(std::string_view name) {
  return std::find(kFilters.begin(), kFilters.end(), name) != kFilters.end();
}

bool IsTest(std::string_view name) {
  return std::find(kTests.begin(), kTests.end(), name) != kTests.end();
}

Result<Value> ApplyFilter(const std::string& name, const Value& value,
                          const CallArguments& arguments) {
  if (name == "default" || name == "d") {
    const bool also_false = arguments.Get(1, "boolean", Value(false)).IsTrue();
    const bool missing = value.is_undefined() || (also_false && !value.IsTrue());
    return missing ? arguments.Get(0, "default_value", Value("")) : value;
  }
  if (name == "length" || name == "count") {
    const auto length = value.Length();
    if (!length && !value.is_undefined()) return Refused("length of something that has none");
    return Value(static_cast<std::int64_t>(length.value_or(0)));
  }
  if (name == "tojson") {
    if (value.is_undefined()) return Refused("tojson of something undefined");
    const Value indent = arguments.Get(0, "indent", Value(std::int64_t{-1}));
    // The first argument by position is ensure_ascii, which templates do not give.
    if (!arguments.by_position.empty() || (indent.is_integer() && indent.AsInteger() > 16))
      return Refused("these arguments of tojson are not supported");
    return Value(value.Json(indent.is_integer()
                                ? static_cast<int>(std::max<std::int64_t>(-1, indent.AsInteger()))
                                : -1));
  }
  if (name == "string" || name == "safe") return Value(value.Printed());
  if (name == "int") {
    if (value.text() == nullptr) return Value(static_cast<std::int64_t>(value.AsInteger()));
    const auto number = ParseInteger(Trim(*value.text()));
    return Value(static_cast<std::int64_t>(number.value_or(0)));
  }
  if (name == "items" || name == "dictsort") {
    if (value.dict() == nullptr && !value.is_undefined())
      return Refused(name + " of something that is not a dict");
    Dict members = value.dict() == nullptr ? Dict{} : *value.dict();
    return name == "items" ? Value(Members(members)) : SortedMembers(std::move(members));
  }
  for (const char* of_text : {"trim", "upper", "lower", "capitalize", "replace"}) {
    if (name == of_text) return FilterText(name, value.Printed(), arguments);
  }
  if (!IsFilter(name)) return Refused("the filter " + Quoted(name) + " is not supported");
  auto items = value.Items();
  if (!items) return Refused("the filter " + Quoted(name) + " needs a list");
  return FilterItems(name, *std::move(items), arguments);
}

Result<bool> ApplyTest(const std::string& name, const Value& value,
                       const CallArguments& arguments) {
  const Value other = arguments.Get(0, "");
  if (name == "defined") return !value.is_undefined();
  if (name == "undefined") return value.is_undefined();
  if (name == "none") return value.is_none();
  if (name == "string") return value.text() != nullptr;
  if (name == "number") return value.is_number();
  if (name == "integer") return value.is_integer();
  if (name == "float") return value.is_float();
  if (name == "boolean") return value.is_bool();
  if (name == "mapping") return value.dict() != nullptr;
  if (name == "sequence" || name == "iterable")
    return value.Length().has_value() || value.is_undefined();
  if (name == "true") return value.is_bool() && value.IsTrue();
  if (name == "false") return value.is_bool() && !value.IsTrue();
  if (name == "equalto" || name == "eq") return value.Equals(other);
  if (name == "ne") return !value.Equals(other);
  if (name == "in") return Contains(other, value);
  if (name == "odd") return value.AsInteger() % 2 != 0;
  if (name == "even") return value.AsInteger() % 2 == 0;
  if (name == "divisibleby" && other.AsInteger() > 0)
    return value.AsInteger() % other.AsInteger() == 0;
  return Refused("the test " + Quoted(name) + " is not supported");
}

Result<Value> CallMethod(const std::string& name, const Value& value,
                         const CallArguments& arguments) {
  const Value first = arguments.Get(0, "");
  if (const std::string* text = value.text()) {
    if (name == "startswith") return Value(text->starts_with(first.Printed()));
    if (name == "endswith") return Value(text->ends_with(first.Printed()));
    if (name == "strip") return Value(StripEnds(*text, first, true, true));
    if (name == "lstrip") return Value(StripEnds(*text, first, true, false));
    if (name == "rstrip") return Value(StripEnds(*text, first, false, true));
    if (name == "split")
      return SplitAt(*text, arguments.Get(0, "sep"),
                     arguments.Has(1, "maxsplit") ? arguments.Get(1, "maxsplit").AsInteger() : -1);
    if (name == "upper") return Value(Uppercase(*text));
    if (name == "lower") return Value(Lowercase(*text));
    if (name == "capitalize") return Value(Capitalized(*text));
    if (name == "replace") return Replaced(*text, first.Printed(), arguments.Get(1, "").Printed());
    if (name == "join") return Joined(first.Items().value_or(List{}), *text);
  }
  if (const Dict* dict = value.dict()) {
    if (name == "get") {
      const Value found = value.At(first.Printed());
      return found.is_undefined() ? arguments.Get(1, "", Value(None{})) : found;
    }
    if (name == "items") return Value(Members(*dict));
    if (name == "keys") return Value(*value.Items());
    if (name == "values") {
      List values;
      for (const auto& member : *dict) values.push_back(member.second);
      return Value(std::move(values));
    }
  }
  return Refused("the method " + Quoted(name) + " is not supported");
}

Result<bool> IsLess(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return a.AsFloat() < b.AsFloat();
  if (a.text() != nullptr && b.text() != nullptr) return *a.text() < *b.text();
  return Refused("only numbers and texts can be compared");
}

Result<bool> Contains(const Value& container, const Value& item) {
  if (const std::string* text = container.text())
    return item.text() != nullptr && text->find(*item.text()) != text->npos;
  if (const List* items = container.list())
    return std::any_of(items->begin(), items->end(),
                       [&](const Value& candidate) { return candidate.Equals(item); });
  if (container.dict() != nullptr)
    return item.text() != nullptr && !container.At(*item.text()).is_undefined();
  if (container.is_undefined()) return false;
  return Refused("\"in\" needs a text, a list or a dict");
}

}  // namespace ebb::train::jinja
