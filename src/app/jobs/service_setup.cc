#include "app/jobs/service_setup.h"

#include <filesystem>

#include "app/jobs/sweep_devices.h"
#include "app/options/flag_values.h"
#include "platform/path_facts.h"

namespace ebb::app {
namespace {

constexpr Duration kShortestCheck{1000};

// The metering flags of this command line, for supervisors.
std::map<std::string, std::string> MeteringFlags(const FlagValues& given) {
  std::map<std::string, std::string> flags;
  for (const FlagHelp& flag : FlagsOf(FlagGroup::kMetering)) {
    const auto found = given.find(flag.name);
    if (found != given.end()) flags.insert(*found);
  }
  // The path must be absolute because supervisors run in other directories.
  if (const auto file = flags.find("device-profiles"); file != flags.end())
    file->second = platform::AbsolutePath(file->second).string();
  return flags;
}

}  // namespace

Status SetDevices(const DeviceFlags& flags, int slots_without, const RunOptions& options,
                  service::ServiceOptions& service) {
  if (!flags.slots.empty() && !flags.gpus.empty())
    return Fail({ExitCode::kUsage, "--slots and --gpus are both given", "", "leave one out"});
  std::vector<std::string> names;
  if (!flags.gpus.empty()) {
    EBB_ASSIGN_OR_RETURN(names, GpusOf("--gpus", flags.gpus));
  }
  Duration check_every = service.devices.look_every;
  core::DevicePool cpu;
  cpu.model = "cpu";
  EBB_ASSIGN_OR_RETURN(cpu.count, SlotCount(flags.slots, slots_without));
  if (!flags.check_every.empty()) {
    EBB_ASSIGN_OR_RETURN(check_every, DurationOf("--gpu-check", flags.check_every));
    if (check_every < kShortestCheck)
      return Fail({ExitCode::kUsage, "--gpu-check: \"" + flags.check_every + "\" is too short", "",
                   "give 1s or more"});
  }
  if (flags.slots.empty())
    service.devices = DeviceOptionsFor(flags.gpus, std::move(names), options.metering.own_profiles);
  else
    service.executor.cluster.pools = {cpu};
  service.devices.look_every = check_every;
  service.devices.slots_otherwise = slots_without;
  return {};
}

void SetMetering(const FlagValues& given, const RunOptions& options,
                 service::ServiceOptions& service) {
  service.executor.metering = MeteringFlags(given);
  service.machine_meters = [metering = options.metering] {
    meter::MeterOptions machine = MeterOptionsFor(metering);
    machine.scope = core::MeterScope::kMachine;
    machine.use_gpu = false;
    return meter::MakeMeters(machine);
  };
}

Address::Address(std::string address, int port, const web::StartupHandler& door) : door_(door) {
  options_.address = std::move(address);
  options_.port = port;
}

Result<std::string> Address::Listen() {
  if (!server_) {
    EBB_ASSIGN_OR_RETURN(web::HttpServer server,
                         web::HttpServer::Start(options_, [this](const web::HttpRequest& asked) {
                           return door_.Handle(asked);
                         }));
    server_ = std::make_unique<web::HttpServer>(std::move(server));
  }
  return "http://" + options_.address + ":" + std::to_string(server_->port());
}

void Address::AlsoListen(int socket) {
  options_.also_listening = socket;
  if (server_) options_.port = server_->port();
  server_.reset();
}

}  // namespace ebb::app
