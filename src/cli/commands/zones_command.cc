// ebb zones [TEXT]: the zones with known data, their sources and the quality of these.
#include <cstdio>

#include "app/options/when.h"
#include "base/text.h"
#include "base/units_text.h"
#include "cli/command_line.h"
#include "cli/fitted_text.h"
#include "platform/file.h"
#include "report/json_parts.h"
#include "signals/feeds/profile_worth.h"
#include "signals/zone_list.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;
using signals::ListedZone;

constexpr const char* kExamples = R"(
Examples:
  ebb zones                 the nearest, by the time zone of this machine
  ebb zones --all
  ebb zones york            zones, places, countries, cities and cloud regions that hold the text
  ebb zones aws/eu-central-2
  ebb zones --format json

What a zone gets without a key: live values, typical days (modelled), or the yearly mean of its
country. docs/signals.md)";

constexpr std::size_t kNearest = 20;

// The data of a zone without a token: "live", "typical days", "yearly mean".
std::string WithoutKey(const ListedZone& zone) {
  if (signals::IsLive(zone.source)) return "live (" + std::string(Name(zone.source)) + ")";
  return zone.source == signals::SignalSource::kProfile ? "typical days" : "yearly mean";
}

std::string WorthOf(const ListedZone& zone) {
  if (signals::IsLive(zone.source)) return "";
  if (zone.source != signals::SignalSource::kProfile) return "nothing is known about its hours";
  return signals::WorthText(zone.zone);
}

std::string Text(const std::vector<ListedZone>& zones, std::size_t count) {
  report::TextTable table{
      {"zone", "place", "without a key", "g/kWh", "its hours"}, {}, true, {1, 2}};
  for (std::size_t i = 0; i < count; ++i) {
    const ListedZone& zone = zones[i];
    table.rows.push_back({zone.zone, zone.place, WithoutKey(zone),
                          zone.mean_g_per_kwh ? FormatFixed(*zone.mean_g_per_kwh, 0) : "",
                          WorthOf(zone)});
  }
  std::string text = FittedText(std::move(table));
  if (count < zones.size())
    text +=
        "\n" + std::to_string(zones.size() - count) + " more: ebb zones --all, or ebb zones TEXT\n";
  return text +
         "\nWith a key of Electricity Maps, free at https://portal.electricitymaps.com, these and "
         "further zones are live; ebb init offers others, too\n";
}

Json WorthJson(const std::string& zone) {
  const signals::ProfileWorth* worth = signals::WorthOfProfile(zone);
  if (!worth) return {};
  return {{"worth_nothing", worth->worth_nothing()},
          {"cleanest_6h_below_mean_percent", worth->cleanest_below_percent},
          {"mae_typical_g_per_kwh", worth->mae_typical_g_per_kwh},
          {"mae_mean_g_per_kwh", worth->mae_mean_g_per_kwh},
          {"estimated_percent", worth->estimated_percent}};
}

Json ZoneJson(const ListedZone& zone) {
  Json sources = Json::array();
  for (const signals::SourceLink& link : zone.chain)
    sources.push_back({{"source", Name(link.source)},
                       {"live", signals::IsLive(link.source)},
                       {"used", link.usable},
                       {"why", link.why}});
  return {{"zone", zone.zone},
          {"place", zone.place},
          {"source", Name(zone.source)},
          {"live", signals::IsLive(zone.source)},
          {"sources", std::move(sources)},
          {"mean_g_per_kwh", report::Maybe(zone.mean_g_per_kwh)},
          {"typical_hours", signals::HasProfile(zone.zone) ? WorthJson(zone.zone) : Json()},
          {"has_typical_hours", signals::HasProfile(zone.zone)},
          {"cloud_regions", zone.cloud_regions}};
}

std::string JsonText(const std::vector<ListedZone>& zones) {
  Json json{{"schema", "ebb.zones/1"}, {"zones", Json::array()}};
  for (const ListedZone& zone : zones) json["zones"].push_back(ZoneJson(zone));
  return report::Document(json);
}

struct ZonesRequest {
  std::string text, format = "text";
  bool all = false;
};

Result<int> List(const ZonesRequest& request) {
  const std::string table =
      platform::ReadFile("/usr/share/zoneinfo/zone.tab", 1 << 20).value_or("");
  std::vector<ListedZone> zones = signals::ListZones(table);
  if (const auto clock = app::ZoneOfEnvironment())
    signals::SortByNearness(zones, clock->name(), table);
  const bool searched = !request.text.empty();
  if (searched) zones = signals::FindZones(std::move(zones), request.text);
  if (zones.empty())
    return Fail({ExitCode::kConfiguration,
                 "no zone, place or cloud region holds " + Quoted(request.text), "",
                 "ebb zones --all lists every zone"});
  const std::size_t count =
      searched || request.all ? zones.size() : std::min(kNearest, zones.size());
  std::fputs((request.format == "json" ? JsonText(zones) : Text(zones, count)).c_str(), stdout);
  return 0;
}

}  // namespace

void AddZonesCommand(Parser& parser) {
  Command& command =
      parser.Add("zones", "grid zones, their sources, and what these are worth", kExamples);
  auto request = std::make_shared<ZonesRequest>();
  command.OptionalPositional(
      "TEXT", "zones, places, countries, cities or cloud regions that hold it", &request->text);
  command.Switch({"all", "", "all zones, not only the nearest"},
                 [request] { request->all = true; });
  command.Flag({"format", "text|json", "output format; json holds every zone"},
               [request](const std::string& text) { request->format = text; });
  command.Action([request] { return List(*request); });
}

}  // namespace ebb::cli
