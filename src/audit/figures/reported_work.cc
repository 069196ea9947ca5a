#include "audit/figures/reported_work.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "audit/evidence/run_files.h"
#include "base/text.h"

namespace ebb::audit {
namespace {

using Json = nlohmann::json;

// The field that counts each of kUnits.
constexpr std::array kFields{"tokens_seen", "samples_seen", "step"};

bool IsReport(const Json& event) {
  const auto has = [&](const char* key, bool (Json::*is)() const) {
    const auto found = event.find(key);
    return found != event.end() && ((*found).*is)();
  };
  if (!event.is_object() || !has("time_ms", &Json::is_number_integer) ||
      !has("event", &Json::is_string))
    return false;
  return std::ranges::all_of(kFields, [&](const char* field) {
    const auto found = event.find(field);
    return found == event.end() || found->is_null() || found->is_number_integer();
  });
}

std::optional<std::int64_t> CountIn(const Json& event, const char* field) {
  const auto found = event.find(field);
  if (found == event.end() || found->is_null()) return std::nullopt;
  return found->get<std::int64_t>();
}

// The lines that tell how far the training is, in order.
std::vector<Json> Reports(std::string_view progress) {
  std::vector<Json> reports;
  for (const std::string_view line : Split(progress, '\n')) {
    Json event = Json::parse(line, nullptr, false);
    if (event.is_discarded()) event = Json::parse(WithoutNonFinite(line), nullptr, false);
    if (!IsReport(event)) continue;
    const std::string name = event["event"];
    const bool counts = std::ranges::any_of(
        kFields, [&](const char* field) { return CountIn(event, field).has_value(); });
    if (counts || name == "begin" || name == "resume") reports.push_back(std::move(event));
  }
  return reports;
}

}  // namespace

UnitCounts WorkFrom(std::string_view progress) {
  UnitCounts counts;
  const std::vector<Json> reports = Reports(progress);
  if (reports.empty()) return counts;
  const bool continues_another_run = reports.front()["event"] == "resume";
  for (std::size_t unit = 0; unit < kFields.size(); ++unit) {
    std::optional<std::int64_t> from = 0, last;
    if (continues_another_run) from = CountIn(reports.front(), kFields[unit]);
    for (const Json& event : reports)
      if (const auto count = CountIn(event, kFields[unit]))
        last = std::max(last.value_or(0), *count);
    if (from && last && *last > *from) counts[unit] = *last - *from;
  }
  return counts;
}

}  // namespace ebb::audit
