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

// The signal of a site is chosen as `ebb serve --zone` would there. Where the home names a
// provider, the site has the same one.
Result<std::unique_ptr<runtime::SignalFeed>> FeedOf(const config::SiteEntry& entry,
                                                    const app::FlagValues& given,
                                                    const app::RunOptions& home) {
  app::FlagValues flags = entry.signal;
  const bool names_source = app::NamesSource(flags);
  if (const auto named = given.find("signal"); named != given.end() && !names_source)
    flags.insert(*named);
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
