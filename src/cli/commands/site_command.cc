// ebb site: other machines on which jobs of a service run. `session` and `follow` are the two ends
// of a connection, for Ebb itself (sites/remote/site_session.h, sites/home/follower.h).

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/serve_sites.h"
#include "meter/gpu/gpu_inventory.h"
#include "meter/meters.h"
#include "platform/system_clock.h"
#include "sites/home/follower.h"
#include "sites/home/site_connection.h"
#include "sites/remote/site_session.h"
#include "store/accounts/stored_feed.h"
#include "store/device_history.h"

namespace ebb::cli {
namespace {

// The service hands the attempt's lock over as this descriptor.
constexpr int kLockDescriptor = 3;
constexpr int kInput = 0, kOutput = 1;

std::vector<sites::Gpu> GpusHere() {
  meter::GpuSearch search;
  search.cuda_visible_devices = meter::OptionsFromEnvironment().cuda_visible_devices;
  const auto found = meter::FindAllGpus(search);
  std::vector<sites::Gpu> gpus;
  if (!found) return gpus;
  for (const meter::GpuDevice& gpu : found->devices)
    gpus.push_back({gpu.uuid, gpu.model, false, gpu.fault});
  return gpus;
}

Result<int> Serve(const std::string& version) {
  sites::SiteSessionOptions options;
  EBB_ASSIGN_OR_RETURN(options.jobs.state, sites::SiteStateFolder([](const char* name) {
                         return static_cast<const char*>(std::getenv(name));
                       }));
  options.version = version;
  options.gpus = GpusHere;
  platform::ByteChannel channel(kInput, kOutput);
  EBB_RETURN_IF_ERROR(sites::ServeSite(channel, options));
  return 0;
}

// The zone of the site of the attempt. nullopt: the store cannot be read, or does not say.
std::optional<std::string> ZoneOf(const local::AttemptPlan& plan) {
  using store::Database;
  auto database = Database::Open(plan.store, Database::Mode::kReadUnchecked);
  if (!database) return std::nullopt;
  const auto sites = store::SitesOfPools(*database);
  const auto pool = static_cast<std::size_t>(plan.pool);
  if (!sites || plan.pool < 0 || pool >= sites->size()) return std::nullopt;
  return (*sites)[pool].zone;
}

Result<int> Follow(const std::filesystem::path& file, const std::string& version) {
  const auto lock = platform::FileLock::Inherited(kLockDescriptor);
  EBB_ASSIGN_OR_RETURN(const local::AttemptPlan plan, local::ReadPlan(file));
  if (!plan.place)
    return Fail({ExitCode::kUsage, "is the plan of an attempt on this machine", file.string(), ""});
  std::optional<store::StoredFeed> feed;
  if (auto zone = ZoneOf(plan)) feed.emplace(plan.store, plan.since, *std::move(zone));
  sites::FollowerOptions options;
  options.version = version;
  options.feed = feed ? &*feed : nullptr;
  const auto pue = plan.metering.find("pue");
  if (pue != plan.metering.end()) options.pue.ratio = ParseNumber(pue->second).value_or(1);
  EBB_RETURN_IF_ERROR(sites::Follow({file.parent_path(), plan.attempt}, plan, options, lock));
  return 0;
}

std::string DevicesText(const config::SiteEntry& entry, const sites::HelloAnswer& answer) {
  if (entry.slots > 0)
    return std::to_string(entry.slots) + " slots on " + std::to_string(answer.processors) +
           " processors";
  std::vector<std::string> models;
  for (const sites::Gpu& gpu : answer.gpus)
    models.push_back(gpu.model + (gpu.fault.empty() ? "" : " (" + gpu.fault + ")"));
  return models.empty() ? "no GPU (give slots to run on its CPU)" : Join(models, ", ");
}

// Prints a line for each machine. The exit code is that of the first machine that cannot be used.
Result<int> Check(const std::string& file, const std::string& version) {
  EBB_ASSIGN_OR_RETURN(const auto entries, config::LoadSites(file));
  int code = 0;
  for (const config::SiteEntry& entry : entries) {
    EBB_ASSIGN_OR_RETURN(const sites::SiteTerms terms, TermsOf(entry));
    const auto connection = sites::SiteConnection::Open(terms.reach, version);
    if (!connection && code == 0) code = static_cast<int>(connection.error().code);
    std::printf("%s  %s\n", entry.site.name.c_str(),
                connection ? ("can be reached: Ebb " + connection->site().ebb + ", " +
                              DevicesText(entry, connection->site()))
                                 .c_str()
                           : ("cannot be reached: " + connection.error().Message()).c_str());
  }
  return code;
}

constexpr const char* kExamples = R"(
Example:
  ebb site check sites.yaml       can the machines be reached, and is Ebb there?
  ebb serve --sites sites.yaml    jobs run here, or where power is cleaner (docs/sites.md))";

}  // namespace

void AddSiteCommand(Parser& parser, const std::string& version) {
  parser.Add("site", "other machines on which jobs run, by ssh", kExamples);
  Command& check = parser.Add("site check", "can the machines of a file be reached?", kExamples);
  auto file = std::make_shared<std::string>();
  check.Positional("FILE", "the file of ebb serve --sites", file.get());
  check.Action([file, version] { return Check(*file, version); });
  Command& session = parser.Add("site session", "serve one connection of another machine", "");
  session.Hide();
  session.Action([version] { return Serve(version); });
  Command& follow = parser.Add("site follow", "follow an attempt on another machine", "");
  follow.Hide();
  auto plan = std::make_shared<std::string>();
  follow.Positional("FILE", "the attempt's plan", plan.get());
  follow.Action([plan, version] { return Follow(*plan, version); });
}

}  // namespace ebb::cli
