#include "signals/feeds/signal_cache.h"

#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/json_node.h"
#include "base/text.h"

namespace ebb::signals {
namespace {

constexpr const char* kSchema = "ebb.signal-cache/1";

nlohmann::ordered_json Rows(const std::vector<core::Sample>& samples) {
  auto rows = nlohmann::ordered_json::array();
  for (const core::Sample& sample : samples)
    rows.push_back({FormatTime(sample.interval.begin), FormatTime(sample.interval.end),
                    sample.intensity.g_per_kwh, core::Name(sample.status)});
  return rows;
}

Error Damaged(const char* what, const std::string& where) {
  return {ExitCode::kUnavailable, std::string("the cached signal is not usable: ") + what, where,
          "it is ignored and written anew"};
}

std::optional<core::Sample> ReadRow(const JsonNode& row) {
  if (!row.is_list() || row.items.size() != 4) return std::nullopt;
  const auto begin = row.items[0].AsTime(), end = row.items[1].AsTime();
  const auto value = row.items[2].AsNumber();
  const auto status = core::SampleStatusFromName(row.items[3].text);
  if (!begin || !end || !value || !status) return std::nullopt;
  return core::Sample{{*begin, *end}, Intensity{*value}, *status};
}

// Reads rows and checks them as a series: in order, without overlap, no impossible value.
Result<std::vector<core::Sample>> ReadRows(const JsonNode& root, const char* name,
                                           const std::string& where) {
  const JsonNode* rows = root.Find(name);
  if (!rows || !rows->is_list()) return Fail(Damaged("rows are missing", where));
  std::vector<core::Sample> samples;
  for (const JsonNode& row : rows->items) {
    const auto sample = ReadRow(row);
    if (!sample) return Fail(Damaged("a row cannot be read", where));
    samples.push_back(*sample);
  }
  if (!core::IntensitySeries::Create({}, samples))
    return Fail(Damaged("its rows make no series", where));
  return samples;
}

std::string FileNamePart(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string part;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) || character == '-')
      part += character;
    else
      part += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return part;
}

}  // namespace

std::string ToText(const CachedSignal& cached) {
  nlohmann::ordered_json json;
  json["schema"] = kSchema;
  json["provider"] = cached.provider;
  json["zone"] = cached.identity.zone;
  json["kind"] = core::Name(cached.identity.kind);
  json["boundary"] = core::Name(cached.identity.boundary);
  json["source"] = cached.identity.source;
  json["answered_at"] = FormatTime(cached.answered_at);
  json["known"] = Rows(cached.known);
  if (cached.issued) json["issued"] = FormatTime(*cached.issued);
  json["forecast"] = Rows(cached.forecast);
  if (const auto& refused = cached.refused)
    json["forecast_refused"] = {{"at", FormatTime(refused->at)},
                                {"what", refused->what},
                                {"where", refused->where},
                                {"next", refused->next}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<CachedSignal> CachedSignalFromText(std::string_view text, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(text, where));
  if (root.TextOf("schema") != kSchema) return Fail(Damaged("another version wrote it", where));
  CachedSignal cached;
  cached.provider = root.TextOf("provider");
  const auto kind = core::SignalKindFromName(root.TextOf("kind"));
  const auto answered_at = root.TimeOf("answered_at");
  if (!kind || !answered_at) return Fail(Damaged("kind or answered_at is missing", where));
  const auto boundary = core::BoundaryFromName(root.TextOf("boundary"));
  cached.identity = {root.TextOf("zone"), *kind, boundary.value_or(core::Boundary::kUnknown),
                     root.TextOf("source")};
  cached.answered_at = *answered_at;
  cached.issued = root.TimeOf("issued");
  EBB_ASSIGN_OR_RETURN(cached.known, ReadRows(root, "known", where));
  EBB_ASSIGN_OR_RETURN(cached.forecast, ReadRows(root, "forecast", where));
  if (const JsonNode* refused = root.Find("forecast_refused")) {
    const auto at = refused->TimeOf("at");
    if (!at) return Fail(Damaged("forecast_refused has no time", where));
    cached.refused = {*at, refused->TextOf("what"), refused->TextOf("where"),
                      refused->TextOf("next")};
  }
  return cached;
}

std::filesystem::path CachePath(const std::filesystem::path& directory, const std::string& provider,
                                const core::SignalIdentity& identity) {
  return directory / (FileNamePart(provider) + "_" + FileNamePart(identity.zone) + "_" +
                      std::string(core::Name(identity.kind)) + "_" +
                      std::string(core::Name(identity.boundary)) + ".json");
}

std::string DefaultCacheDirectory() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return std::string(cache) + "/ebb/signals";
  const char* home = std::getenv("HOME");
  return home && *home ? std::string(home) + "/.cache/ebb/signals" : "";
}

std::string CacheDirectoryOf(const SignalOptions& options) {
  return options.cache_directory == "auto" ? DefaultCacheDirectory() : options.cache_directory;
}

}  // namespace ebb::signals
