// ebb devices: the devices of this machine that jobs can have, and the jobs that run on them.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>

#include "app/jobs/sweep_devices.h"
#include "base/text.h"
#include "base/units_text.h"
#include "cli/command_line.h"
#include "cli/fitted_text.h"
#include "cli/service_flags.h"
#include "config/device_file.h"
#include "core/devices/device_history.h"
#include "meter/gpu/nvml_library.h"
#include "meter/meters.h"
#include "platform/path_facts.h"
#include "report/json_parts.h"
#include "signals/http/web_request.h"
#include "store/device_history.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  ebb devices                  GPUs, and which job of the service runs on which
  ebb devices --format json
  ebb devices --set-aside GPU-5e1f --why "fan is broken"   no more jobs on it; what runs goes on
  ebb devices --put-back GPU-5e1f                          jobs may have it again
  ebb devices --forget GPU-5e1f                            it is gone for good

A GPU that is divided (MIG) is shown as its instances. CUDA_VISIBLE_DEVICES hides what it leaves
out, here and from ebb serve. docs/devices.md)";

struct DevicesFlags {
  ServiceFlags service;
  std::string profiles, why;
  std::vector<std::pair<std::string, std::string>> changes;  // "set-aside", ... and of which
  bool dry_run = false;
};

// Devices of this machine, what is known of them, and what the jobs in the store say of them.
struct Found {
  meter::GpuInventory inventory;
  app::Devices devices;                                  // pools as the planner sees them
  std::map<std::string, core::DeviceExperience> learnt;  // by model
  bool driver_fails = false;  // the driver is installed and does not answer
};

// The jobs that the service says it runs.
struct Runs {
  std::optional<Json> status;          ///< nothing if no service answers
  std::string why_not;                 ///< reason if no service answers
  std::map<std::string, Json> by_gpu;  ///< the entry of the running job by UUID
  std::map<std::string, Json> states;  ///< the service's state of the device by UUID
  Json machine;                        ///< recent energy of the machine by user
};

Runs AskService(const ServiceFlags& flags) {
  Runs runs;
  const auto client = app::ServiceClient::Find(flags);
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
  for (const Json& device : runs.status->value("devices", Json::array()))
    if (device.is_object()) runs.states[device.value("name", "")] = device;
  runs.machine = Json::parse(client->Get("/api/v1/machine").value_or(""), nullptr, false);
  return runs;
}

// "set aside for 2h: its driver reported error Xid 79; tried again in 13m"
std::string StateText(const Json& device) {
  const std::string state = device.value("state", "");
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  std::string text = state;
  if (const auto since = ParseTime(device.value("since", "")))
    text += " for " + FormatDuration(std::max(now - *since, Duration::zero()));
  if (device.value("by", "") == "person") text += " by a person";
  if (const std::string why = device.value("why", ""); !why.empty()) text += ": " + why;
  if (const auto retry = ParseTime(device.value("retry_at", "")))
    text += "; tried again in " + FormatDuration(std::max(*retry - now, Duration::zero()));
  return text;
}

std::string StateOf(const std::string& uuid, const Runs& runs) {
  const auto found = runs.states.find(uuid);
  if (found != runs.states.end()) return StateText(found->second);
  return runs.status ? "not the service's" : "";
}

Json ToJson(const meter::GpuDevice& device, const Runs& runs) {
  Json json{{"index", device.index}, {"uuid", device.uuid}, {"model", device.model}};
  if (device.uuid != device.card_uuid) {
    json["part_of"] = device.card_uuid;
    if (device.share) json["share"] = *device.share;
  }
  if (const auto found = runs.by_gpu.find(device.uuid); found != runs.by_gpu.end())
    json["job"] = found->second.value("job", Json());
  if (const auto found = runs.states.find(device.uuid); found != runs.states.end())
    for (const char* key : {"state", "since", "by", "why", "retry_at"})
      if (found->second.contains(key)) json[key] = found->second[key];
  if (!device.fault.empty()) json["fault"] = device.fault;
  return json;
}

std::string RunsOn(const meter::GpuDevice& device, const Runs& runs) {
  const auto found = runs.by_gpu.find(device.uuid);
  if (found == runs.by_gpu.end()) return runs.status ? "nothing" : "";
  return "job " + found->second.value("job", Json()).dump() + ", " +
         PowerText({found->second.value("power_w", 0.0)});
}

// The device runs in the store that the service would use; none if there is no store yet.
std::vector<core::DeviceRun> History(const ServiceFlags& flags) {
  const auto path = app::StorePathOf(flags.store);
  if (!path || !platform::Exists(*path)) return {};
  auto database = store::Database::Open(*path, store::Database::Mode::kRead);
  if (!database) return {};
  return store::DeviceRuns(*database).value_or(std::vector<core::DeviceRun>());
}

Result<Found> Look(const DevicesFlags& flags) {
  Found found;
  meter::GpuSearch search;
  search.cuda_visible_devices = meter::OptionsFromEnvironment().cuda_visible_devices;
  auto inventory = meter::FindGpus(search);
  if (inventory) {
    found.inventory = *std::move(inventory);
  } else {
    found.inventory.notes.push_back("NVIDIA GPUs: " + inventory.error().Message());
    found.driver_fails = meter::NvmlLibrary::IsInstalled(search.nvml_library);
  }
  std::vector<core::DeviceProfile> profiles;
  if (!flags.profiles.empty()) {
    EBB_ASSIGN_OR_RETURN(profiles, config::LoadDeviceProfiles(flags.profiles));
  }
  found.devices = app::DevicesOf(found.inventory, profiles, {"here", "", {}});
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
                          profile.model.empty() ? "speed and power unknown" : profile.source});
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

// Devices that the service knows of and that the driver does not show.
std::vector<Json> NotFound(const Found& found, const Runs& runs) {
  std::vector<Json> devices;
  for (const auto& [uuid, device] : runs.states) {
    const auto is_it = [&name = uuid](const meter::GpuDevice& other) { return other.uuid == name; };
    const auto& there = found.inventory.devices;
    if (std::none_of(there.begin(), there.end(), is_it)) devices.push_back(device);
  }
  return devices;
}

// "the machine in 7 days: 12.3 kWh, of which jobs 71 %, idle 20 %, unattributed 9 %"; empty if
// nothing was read.
std::string MachineText(const Runs& runs) {
  const double machine = runs.machine.is_object() ? runs.machine.value("machine_kwh", 0.0) : 0;
  if (machine <= 0) return "";
  std::vector<std::string> parts;
  for (const char* part : {"jobs", "idle", "unattributed"}) {
    const double kwh = runs.machine.value(std::string(part) + "_kwh", 0.0);
    parts.push_back(part + (" " + FormatFixed(100 * kwh / machine, 0)) + " %");
  }
  return "the machine in 7 days: " + EnergyText(Energy::Joules(machine * 3.6e6)) + ", of which " +
         Join(parts, ", ");
}

void Print(const Found& found, const Runs& runs) {
  report::TextTable table;
  table.headers = {"GPU", "UUID", "model", "runs", "state"};
  table.ends_in_text = true;
  table.texts = {1, 2, 3};
  for (const meter::GpuDevice& device : found.inventory.devices)
    table.rows.push_back({std::to_string(device.index), device.uuid, device.model,
                          RunsOn(device, runs),
                          device.fault.empty() ? StateOf(device.uuid, runs) : device.fault});
  for (const Json& device : NotFound(found, runs))
    table.rows.push_back({"", device.value("name", ""), device.value("model", ""),
                          device.contains("job") ? "job " + device["job"].dump() : "nothing",
                          StateText(device)});
  if (!table.rows.empty())
    std::printf("%s\n%s", FittedText(table).c_str(), FittedText(ModelTable(found)).c_str());
  for (const std::string& note : found.inventory.notes) std::printf("%s\n", note.c_str());
  if (found.driver_fails)
    std::puts(
        "GPUs are not known: ebb serve starts nothing until the driver answers; with --slots "
        "it runs jobs on the CPU");
  else if (table.rows.empty())
    std::puts("no GPU: ebb serve runs jobs on the CPU, --slots at a time");
  else
    std::puts("speed and power are relative to the first model; jobs: that have measured it");
  if (const std::string trouble = runs.status ? runs.status->value("device_trouble", "") : "";
      !trouble.empty())
    std::printf("the service gives no GPU to a job: %s\n", trouble.c_str());
  if (const std::string machine = MachineText(runs); !machine.empty()) std::puts(machine.c_str());
  if (!runs.status) std::printf("no service answers: %s\n", runs.why_not.c_str());
}

// The device of the service with the name that a person gave.
Result<Json> Named(const Runs& runs, const std::string& name) {
  std::vector<Json> found;
  for (const auto& [uuid, device] : runs.states)
    if (uuid == name || (!name.empty() && uuid.starts_with(name)) ||
        device.value("index", Json()).dump() == name)
      found.push_back(device);
  if (found.size() == 1) return found.front();
  return Fail(
      {ExitCode::kUsage,
       "\"" + name + "\" names " + (found.empty() ? "no GPU" : "several GPUs") + " of the service",
       "", "ebb devices lists them"});
}

Result<int> ChangeDevices(const DevicesFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  if (flags.dry_run) {
    const Runs runs = AskService(flags.service);
    if (!runs.status) return Fail({ExitCode::kUnavailable, runs.why_not, "", ""});
    for (const auto& [change, name] : flags.changes) {
      EBB_ASSIGN_OR_RETURN(const Json device, Named(runs, name));
      std::printf(
          "would %s %s, which is %s%s\n", change.c_str(), device.value("name", "").c_str(),
          StateText(device).c_str(),
          device.contains("job") ? ("; job " + device["job"].dump() + " goes on").c_str() : "");
    }
    return 0;
  }
  for (const auto& [change, name] : flags.changes) {
    std::string path = "/api/v1/devices/" + change + "?name=" + signals::UrlEscape(name);
    if (!flags.why.empty()) path += "&why=" + signals::UrlEscape(flags.why);
    EBB_ASSIGN_OR_RETURN(const std::string answer, client.Post(path, ""));
    if (flags.service.json) std::fputs(answer.c_str(), stdout);
  }
  return 0;
}

Result<int> ShowDevices(const DevicesFlags& flags) {
  if (!flags.changes.empty()) return ChangeDevices(flags);

  EBB_ASSIGN_OR_RETURN(const Found found, Look(flags));
  const Runs runs = AskService(flags.service);
  if (!flags.service.json) {
    Print(found, runs);
    return 0;
  }
  Json json{{"devices", Json::array()}};
  for (const meter::GpuDevice& device : found.inventory.devices)
    json["devices"].push_back(ToJson(device, runs));
  for (const Json& device : NotFound(found, runs)) {
    Json gone{{"uuid", device.value("name", "")}};
    for (const char* key : {"model", "job", "state", "since", "by", "why", "retry_at"})
      if (device.contains(key)) gone[key] = device[key];
    json["devices"].push_back(std::move(gone));
  }
  json["models"] = ModelsToJson(found);
  json["notes"] = found.inventory.notes;
  json["service"] = runs.status.has_value();
  if (runs.status && runs.status->contains("device_trouble"))
    json["device_trouble"] = (*runs.status)["device_trouble"];
  if (runs.machine.is_object()) json["machine"] = runs.machine;
  std::fputs(report::Document(json).c_str(), stdout);
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
  const auto add = [&](const char* change, const char* help) {
    command.Flag({change, "GPU", help, "Changes"}, [flags, change](const std::string& name) {
      flags->changes.emplace_back(change, name);
    });
  };
  add("set-aside", "give it no more jobs; what runs there goes on");
  add("put-back", "give it jobs again");
  add("forget", "do not expect a lost one back");
  command.Flag({"why", "TEXT", "with --set-aside: the reason that others see", "Changes"},
               [flags](const std::string& text) { flags->why = text; });
  command.Switch({"dry-run", "", "show what would change, and change nothing", "Changes"},
                 [flags] { flags->dry_run = true; });
  command.Flag({"device-profiles", "FILE", "YAML: power and speed of device models", "Devices"},
               [flags](const std::string& text) { flags->profiles = text; });
  command.Action([flags] { return ShowDevices(*flags); });
}

}  // namespace ebb::cli
