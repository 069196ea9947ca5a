#include "cli/serve_sites.h"

#include <array>

#include "app/options/user_settings.h"
#include "base/text.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/random_bytes.h"
#include "signals/make_feed.h"
#include "sites/home/site_connection.h"

namespace ebb::cli {
namespace {

constexpr const char* kServiceFile = "service-id";

// The name under which other machines keep the jobs of this service. It lies beside the jobs'
// folders, so a store from a backup keeps it.
Result<std::string> ServiceName(const std::filesystem::path& jobs) {
  const std::filesystem::path file = jobs / kServiceFile;
  if (platform::Exists(file)) {
    EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(file));
    return std::string(Trim(text));
  }
  std::array<unsigned char, 8> bytes{};
  EBB_RETURN_IF_ERROR(platform::FillWithRandom(bytes));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name;
  for (const unsigned char byte : bytes) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(jobs, platform::Readers::kOwner));
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(file, name + "\n"));
  return name;
}

// Flags of `ebb serve` that say how any source is read. They hold at every site.
constexpr std::array<const char*, 6> kOfAnySource{
    "forecast", "publication-lag", "refresh", "last-known-limit", "forecast-limit", "signal-cache"};
// Flags that belong to the provider which `--signal` names. No other provider gets its token.
constexpr std::array<const char*, 5> kOfProvider{"signal", "signal-kind", "signal-boundary",
                                                 "api-token-file", "api-token-env"};

template <std::size_t N>
void PassOn(const std::array<const char*, N>& names, const app::FlagValues& given,
            app::FlagValues& flags) {
  for (const char* name : names)
    if (const auto found = given.find(name); found != given.end()) flags.insert(*found);
}

// The signal of a site is chosen as `ebb serve --zone` would there, and forecast in the same way.
// Where the home names a provider, the site has the same one.
Result<std::unique_ptr<runtime::SignalFeed>> FeedOf(const config::SiteEntry& entry,
                                                    const app::FlagValues& given,
                                                    const app::RunOptions& home) {
  app::FlagValues flags = entry.signal;
  if (given.contains("signal") && !app::NamesSource(flags)) PassOn(kOfProvider, given, flags);
  PassOn(kOfAnySource, given, flags);
  // The archived weather that `--weather` names is that of the home's zone.
  if (const auto mode = flags.find("forecast"); mode != flags.end() && mode->second == "weather")
    flags.erase(mode);
  app::RunOptions options;
  options.scheduler.clock = home.scheduler.clock;
  EBB_RETURN_IF_ERROR(app::ApplyFlags(flags, options));
  EBB_RETURN_IF_ERROR(app::ValidateSignal(options));
  return signals::MakeFeed(options.scheduler.signal);
}

}  // namespace

Result<sites::SiteTerms> TermsOf(const config::SiteEntry& entry) {
  constexpr std::uint64_t kMega = 1'000'000;
  sites::SiteTerms terms;
  terms.name = entry.site.name;
  EBB_ASSIGN_OR_RETURN(terms.reach, sites::SshCommand(entry.ssh, entry.host, entry.ebb));
  terms.slots = entry.slots;
  terms.gpus = entry.gpus;
  terms.copies_folder = entry.copies_folder;
  terms.leave_out = entry.leave_out;
  terms.most_bytes = entry.most_mb * kMega;
  terms.metering = entry.metering;
  return terms;
}

Result<UsedSites> OpenSites(const std::string& file, const app::FlagValues& given,
                            const app::RunOptions& home) {
  UsedSites used;
  EBB_ASSIGN_OR_RETURN(used.entries, config::LoadSites(file));
  for (const config::SiteEntry& entry : used.entries) {
    EBB_ASSIGN_OR_RETURN(auto feed, FeedOf(entry, given, home));
    used.feeds.push_back(std::move(feed));
  }
  return used;
}

Status UseSites(UsedSites& used, const std::string& version, service::ServiceOptions& service) {
  if (!service.executor.tracking.empty())
    return Fail({ExitCode::kUsage, "trackers for all jobs get nothing from other machines",
                 "--sites",
                 "name trackers for single jobs (ebb submit --mlflow ...), which run here"});
  std::vector<sites::SiteTerms> all;
  for (std::size_t i = 0; i < used.entries.size(); ++i) {
    EBB_ASSIGN_OR_RETURN(sites::SiteTerms terms, TermsOf(used.entries[i]));
    all.push_back(std::move(terms));
    service.sites.push_back(used.entries[i].site);
    service.site_feeds.push_back(used.feeds[i].get());
  }
  sites::SiteWatch::Options options;
  EBB_ASSIGN_OR_RETURN(options.service, ServiceName(service.jobs_directory));
  options.version = version;
  options.jobs = service.jobs_directory;
  options.proof = service.jobs_directory / kServiceFile;
  used.watch = std::make_unique<sites::SiteWatch>(std::move(all), options);
  service.executor.other_sites = used.watch.get();
  return {};
}

}  // namespace ebb::cli
