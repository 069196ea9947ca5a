// ebb devices: the devices of this machine that jobs can have, and what runs on them.

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/service_client.h"
#include "meter/gpu_inventory.h"
#include "meter/meters.h"
#include "report/text_table.h"

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

void Print(const meter::GpuInventory& inventory, const Runs& runs) {
  report::TextTable table;
  table.headers = {"GPU", "UUID", "model", "runs"};
  table.ends_in_text = true;
  for (const meter::GpuDevice& device : inventory.devices)
    table.rows.push_back(
        {std::to_string(device.index), device.uuid, device.model, RunsOn(device, runs)});
  if (!table.rows.empty()) std::fputs(report::AlignedTable(table).c_str(), stdout);
  for (const std::string& note : inventory.notes) std::printf("%s\n", note.c_str());
  if (table.rows.empty()) std::puts("no GPU: ebb serve runs jobs on the CPU, --slots at a time");
  if (!runs.status) std::printf("no service answers: %s\n", runs.why_not.c_str());
}

Result<int> Devices(const DevicesFlags& flags) {
  meter::GpuSearch search;
  search.cuda_visible_devices = meter::OptionsFromEnvironment().cuda_visible_devices;
  const auto found = meter::FindGpus(search);
  meter::GpuInventory inventory;
  if (found)
    inventory = *found;
  else
    inventory.notes.push_back("GPUs of NVIDIA: " + found.error().Message());
  const Runs runs = AskService(flags.service);
  if (!flags.service.json) {
    Print(inventory, runs);
    return 0;
  }
  Json json{{"devices", Json::array()}, {"notes", inventory.notes}};
  for (const meter::GpuDevice& device : inventory.devices)
    json["devices"].push_back(ToJson(device, runs));
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
  command.Action([flags] { return Devices(*flags); });
}

}  // namespace ebb::cli
