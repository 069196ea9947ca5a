#include "web/answers/machine_energy.h"

#include <map>
#include <nlohmann/json.hpp>

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

void Put(Json& json, const core::MachineShares& sum) {
  json["machine_kwh"] = sum.machine().kwh();
  json["jobs_kwh"] = sum.jobs.kwh();
  json["idle_kwh"] = sum.idle.kwh();
  json["unattributed_kwh"] = sum.unattributed.kwh();
}

}  // namespace

std::string MachineEnergyToJson(std::span<const store::MachineHour> hours, Interval wall) {
  core::MachineShares all;
  std::map<std::string, store::MachineHour> by_device;
  std::map<Time, core::MachineShares> by_day;
  for (const store::MachineHour& hour : hours) {
    all.Join(hour.shares);
    by_day[std::chrono::floor<std::chrono::days>(hour.shares.wall.begin)].Join(hour.shares);
    const auto [found, is_new] = by_device.try_emplace(hour.shares.device, hour);
    if (is_new) continue;
    found->second.shares.Join(hour.shares);
    found->second.read_for += hour.read_for;
  }
  Json json{{"since", FormatTime(wall.begin)}, {"until", FormatTime(wall.end)}};
  Put(json, all);
  json["devices"] = Json::array();
  for (const auto& [name, device] : by_device) {
    Json row{{"device", name},
             {"component", core::Name(device.shares.component)},
             {"source", core::Name(device.shares.source)},
             {"read_for_s", Seconds(device.read_for)}};
    Put(row, device.shares);
    json["devices"].push_back(std::move(row));
  }
  json["days"] = Json::array();
  for (const auto& [day, sum] : by_day) {
    Json row{{"day", FormatTime(day).substr(0, 10)}};
    Put(row, sum);
    json["days"].push_back(std::move(row));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ebb::web
