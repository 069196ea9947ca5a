// ebb devices: the devices of this machine that jobs can have, and what runs on them.

#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/service_client.h"
#include "cli/sweep_devices.h"
#include "config/device_file.h"
#include "core/device_history.h"
#include "meter/meters.h"
#include "report/text_table.h"
#include "store/device_history.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  ebb devices                  GPUs, and which job of the service runs on which
  ebb devices --format json

A GPU that is divided (MIG) is shown as its instances. CUDA_VISIBLE_DEVICES hides what it leaves
out, here and from ebb serve. docs/devices.md)";

struct DevicesFlags {
  ServiceFlags service;
  std::string profiles;
};

// What is here, what is known of it, and what the jobs of the store say of it.
struct Found {
  meter::GpuInventory inventory;
  Devices devices;                                       // pools as the planner sees them
  std::map<std::string, core::DeviceExperience> learnt;  // by model
};

// What the service says it runs.
struct Runs {
  std::optional<Json> status;          ///< nothing: no service answers
  std::string why_not;                 ///< then
  std::map<std::string, Json> by_gpu;  ///< UUID -> the entry of what runs there
};

Runs AskService(const ServiceFlags& flags) {
  Runs runs;
  const auto client = ServiceClient::Find(flags);
  const Result<std::string> answer =
      client ? client->Get("/api/v1/status") : Result<std::string>(Fail(client.error()));
  if (!answer) {
    runs.why_not = answer.error().what;
    return runs;
  }
  runs.status = Json::parse(*answer, nullptr, false);
  if (!runs.status->is_object()) runs.status = Json::object();
  for (const Json& program : runs.status->value("running", Json::array())) {
    for (const Json& gpu : program.value("gpus", Json::array()))
      if (gpu.is_string()) runs.by_gpu[gpu] = program;
  }
  return runs;
}

Json ToJson(const meter::GpuDevice& device, const Runs& runs) {
  Json json{{"index", device.index}, {"uuid", device.uuid}, {"model", device.model}};
  if (device.uuid != device.card_uuid) {
    json["part_of"] = device.card_uuid;
    if (device.share) json["share"] = *device.share;
  }
  if (const auto found = runs.by_gpu.find(device.uuid); found != runs.by_gpu.end())
    json["job"] = found->second.value("job", Json());
  return json;
}

std::string RunsOn(const meter::GpuDevice& device, const Runs& runs) {
  const auto found = runs.by_gpu.find(device.uuid);
  if (found == runs.by_gpu.end()) return runs.status ? "nothing" : "";
  return "job " + found->second.value("job", Json()).dump() + ", " +
         FormatFixed(found->second.value("power_w", 0.0), 0) + " W";
}

// Of the store that the service would use; none where there is no store yet.
std::vector<core::DeviceRun> History(const ServiceFlags& flags) {
  const auto path = StorePathOf(flags.store);
  if (!path || !std::filesystem::exists(*path)) return {};
  auto database = store::Database::Open(*path, store::Database::Mode::kRead);
  if (!database) return {};
  return store::DeviceRuns(*database).value_or(std::vector<core::DeviceRun>());
}

Result<Found> Look(const DevicesFlags& flags) {
  Found found;
  meter::GpuSearch search;
  search.cuda_visible_devices = meter::OptionsFromEnvironment().cuda_visible_devices;
  auto inventory = meter::FindGpus(search);
  if (inventory)
    found.inventory = *std::move(inventory);
  else
    found.inventory.notes.push_back("GPUs of NVIDIA: " + inventory.error().Message());
  DeviceWish wish;
  if (!flags.profiles.empty()) {
    EBB_ASSIGN_OR_RETURN(wish.profiles, config::LoadDeviceProfiles(flags.profiles));
  }
  EBB_ASSIGN_OR_RETURN(found.devices, MakeDevices(wish, 1, {"here", "", {}}));
  found.learnt = core::Learn(History(flags.service), found.devices.cluster);
  core::Refine(found.devices.cluster, found.learnt);
  return found;
}

std::string Watts(const std::optional<Power>& power) {
  return power ? FormatSignificant(power->watts, 3) : "";
}

report::TextTable ModelTable(const Found& found) {
  report::TextTable table;
  table.headers = {"model", "max W", "idle W", "TFLOPS", "speed", "power", "jobs", "from"};
  table.ends_in_text = true;
  for (std::size_t i = 0; i < found.devices.profiles.size(); ++i) {
    const core::DevicePool& pool = found.devices.cluster.pools[i];
    const core::DeviceProfile& profile = found.devices.profiles[i];
    const auto learnt = found.learnt.find(pool.model);
    const int jobs = learnt == found.learnt.end() ? 0 : learnt->second.jobs;
    table.rows.push_back({pool.model, Watts(profile.max), Watts(profile.idle),
                          profile.tflops ? FormatSignificant(*profile.tflops, 3) : "",
                          FormatFixed(pool.speed, 2), FormatFixed(pool.power_factor, 2),
                          std::to_string(jobs),
                          profile.model.empty() ? "nothing is known of it" : profile.source});
  }
  return table;
}

Json ModelsToJson(const Found& found) {
  Json models = Json::array();
  for (std::size_t i = 0; i < found.devices.profiles.size(); ++i) {
    const core::DevicePool& pool = found.devices.cluster.pools[i];
    const core::DeviceProfile& profile = found.devices.profiles[i];
    Json json{{"model", pool.model}, {"count", pool.count}, {"profile", profile.model}};
    if (profile.max) json["max_w"] = profile.max->watts;
    if (profile.idle) json["idle_w"] = profile.idle->watts;
    if (profile.tflops) json["tflops"] = *profile.tflops;
    if (!profile.source.empty()) json["source"] = profile.source;
    json["speed"] = pool.speed;
    json["power_factor"] = pool.power_factor;
    if (const auto learnt = found.learnt.find(pool.model); learnt != found.learnt.end())
      json["measured"] = {{"jobs", learnt->second.jobs},
                          {"run_time_ratio", learnt->second.run_time},
                          {"powers", learnt->second.measured_powers},
                          {"power_ratio", learnt->second.power}};
    models.push_back(std::move(json));
  }
  return models;
}

void Print(const Found& found, const Runs& runs) {
  report::TextTable table;
  table.headers = {"GPU", "UUID", "model", "runs"};
  table.ends_in_text = true;
  for (const meter::GpuDevice& device : found.inventory.devices)
    table.rows.push_back(
        {std::to_string(device.index), device.uuid, device.model, RunsOn(device, runs)});
  if (!table.rows.empty())
    std::printf("%s\n%s", report::AlignedTable(table).c_str(),
                report::AlignedTable(ModelTable(found)).c_str());
  for (const std::string& note : found.inventory.notes) std::printf("%s\n", note.c_str());
  if (table.rows.empty())
    std::puts("no GPU: ebb serve runs jobs on the CPU, --slots at a time");
  else
    std::puts("speed and power are relative to the first model; jobs: that have measured it");
  if (!runs.status) std::printf("no service answers: %s\n", runs.why_not.c_str());
}

Result<int> ShowDevices(const DevicesFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const Found found, Look(flags));
  const Runs runs = AskService(flags.service);
  if (!flags.service.json) {
    Print(found, runs);
    return 0;
  }
  Json json{{"devices", Json::array()}};
  for (const meter::GpuDevice& device : found.inventory.devices)
    json["devices"].push_back(ToJson(device, runs));
  json["models"] = ModelsToJson(found);
  json["notes"] = found.inventory.notes;
  json["service"] = runs.status.has_value();
  std::printf("%s\n", json.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  return 0;
}

}  // namespace

void AddDevicesCommand(Parser& parser) {
  Command& command =
      parser.Add("devices", "the devices that jobs can have, and what runs on them", kExamples);
  auto flags = std::make_shared<DevicesFlags>();
  AddPlaceOfService(command, flags->service);
  command.Flag({"format", "text|json", "json: for scripts", "Output"},
               [flags](const std::string& text) { flags->service.json = text == "json"; });
  command.Flag({"device-profiles", "FILE", "YAML: power and speed of device models", "Devices"},
               [flags](const std::string& text) { flags->profiles = text; });
  command.Action([flags] { return ShowDevices(*flags); });
}

}  // namespace ebb::cli
