#include "report/json_fields.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace ebb::report {
namespace {

using Json = nlohmann::json;
const Json& AsJson(const void* value) { return *static_cast<const Json*>(value); }

constexpr std::int64_t kLargestTimeMs = 253'402'300'800'000;  // the year 10000

}  // namespace

struct JsonFields::State {
  Json root;
  std::string where;
  std::optional<Error> error;
};

JsonFields::JsonFields(std::shared_ptr<State> state, const void* object)
    : state_(std::move(state)), object_(object) {}

Result<JsonFields> JsonFields::Parse(std::string_view text, std::string where) {
  auto state = std::make_shared<State>();
  state->root = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  state->where = std::move(where);
  if (!state->root.is_object())
    return Fail({ExitCode::kConfiguration, "is not a JSON object", state->where, ""});
  const void* object = &state->root;
  return JsonFields(std::move(state), object);
}

void JsonFields::Reject(std::string_view key, const std::string& why) {
  if (state_->error) return;
  state_->error = Error{ExitCode::kConfiguration, "field \"" + std::string(key) + "\" " + why,
                        state_->where, ""};
}

Status JsonFields::status() const {
  if (state_->error) return Fail(*state_->error);
  return {};
}

bool JsonFields::Has(std::string_view key) const {
  if (!object_) return false;
  const auto it = AsJson(object_).find(key);
  return it != AsJson(object_).end() && !it->is_null();
}

const void* JsonFields::Find(std::string_view key, std::string_view type) {
  if (!object_) return nullptr;
  const auto it = AsJson(object_).find(key);
  if (it == AsJson(object_).end()) {
    Reject(key, "is missing");
    return nullptr;
  }
  const bool matches = (type == "number" && (it->is_number() || it->is_null())) ||
                       (type == "integer" && it->is_number_integer()) ||
                       (type == "text" && it->is_string()) ||
                       (type == "flag" && it->is_boolean()) || (type == "list" && it->is_array()) ||
                       (type == "object" && it->is_object());
  if (matches) return &*it;
  Reject(key, "is not a " + std::string(type));
  return nullptr;
}

double JsonFields::Number(std::string_view key) {
  const void* found = Find(key, "number");
  if (!found || AsJson(found).is_null()) return std::numeric_limits<double>::quiet_NaN();
  return AsJson(found).get<double>();
}

std::int64_t JsonFields::Integer(std::string_view key) {
  const void* found = Find(key, "integer");
  return found ? AsJson(found).get<std::int64_t>() : 0;
}

int JsonFields::Count(std::string_view key) {
  const std::int64_t value = Integer(key);
  if (value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max())
    return static_cast<int>(value);
  Reject(key, "is out of range");
  return 0;
}

std::string JsonFields::Text(std::string_view key) {
  const void* found = Find(key, "text");
  return found ? AsJson(found).get<std::string>() : std::string();
}

bool JsonFields::Flag(std::string_view key) {
  const void* found = Find(key, "flag");
  return found && AsJson(found).get<bool>();
}

Time JsonFields::Instant(std::string_view key) {
  const std::int64_t milliseconds = Integer(key);
  if (milliseconds < -kLargestTimeMs || milliseconds > kLargestTimeMs) {
    Reject(key, "is out of range");
    return {};
  }
  return Time{Duration{milliseconds}};
}

Interval JsonFields::Span(std::string_view key) {
  const void* found = Find(key, "list");
  if (!found) return {};
  const Json& pair = AsJson(found);
  if (pair.size() != 2 || !pair[0].is_number_integer() || !pair[1].is_number_integer()) {
    Reject(key, "is not [begin, end] in milliseconds");
    return {};
  }
  const auto begin = pair[0].get<std::int64_t>();
  const auto end = pair[1].get<std::int64_t>();
  if (std::min(begin, end) < -kLargestTimeMs || std::max(begin, end) > kLargestTimeMs) {
    Reject(key, "is out of range");
    return {};
  }
  return {Time{Duration{begin}}, Time{Duration{end}}};
}

std::vector<std::string> JsonFields::Texts(std::string_view key) {
  std::vector<std::string> texts;
  const void* found = Find(key, "list");
  if (!found) return texts;
  for (const Json& item : AsJson(found)) {
    if (!item.is_string()) {
      Reject(key, "is not a list of texts");
      return {};
    }
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

JsonFields JsonFields::Object(std::string_view key) {
  return JsonFields(state_, Find(key, "object"));
}

std::optional<double> JsonFields::MaybeNumber(std::string_view key) {
  if (!Has(key)) return std::nullopt;
  return Number(key);
}

std::optional<Time> JsonFields::MaybeInstant(std::string_view key) {
  if (!Has(key)) return std::nullopt;
  return Instant(key);
}

}  // namespace ebb::report
