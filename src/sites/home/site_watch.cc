#include "sites/home/site_watch.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>

#include "base/text.h"
#include "platform/path_facts.h"
#include "platform/system_clock.h"
#include "platform/waker.h"
#include "sites/files/folder.h"
#include "sites/home/site_connection.h"
#include "sites/home/site_pruning.h"
#include "sites/remote/site_job.h"

namespace ebb::sites {
namespace {

// Readings of a clock that is wrong would be counted in other hours.
constexpr Duration kSameClock{std::chrono::seconds{5}};

std::string ClockText(const HelloAnswer& answer) {
  const Duration ahead = answer.wall - platform::WallNow();
  if (std::chrono::abs(ahead) <= kSameClock) return "";
  return "; its clock is " +
         FormatDuration(std::chrono::round<std::chrono::seconds>(std::chrono::abs(ahead))) +
         (ahead > Duration::zero() ? " ahead" : " behind") +
         " of the clock here: set both by NTP, or energy is counted in other hours";
}

local::SiteLook LookOf(const SiteTerms& terms, const HelloAnswer& answer) {
  local::SiteLook look;
  look.slots = terms.slots;
  if (terms.slots > 0) return look;
  for (const Gpu& gpu : answer.gpus) {
    const bool is_wanted =
        terms.gpus.empty() || std::ranges::find(terms.gpus, gpu.uuid) != terms.gpus.end();
    if (!is_wanted) continue;
    meter::GpuDevice device;
    device.uuid = device.card_uuid = gpu.uuid;
    device.model = device.card_model = gpu.model;
    device.fault = gpu.is_busy ? "another service has it" : gpu.fault;
    look.gpus.push_back(std::move(device));
  }
  return look;
}

// Asks over a connection that is kept from one look to the next.
Result<HelloAnswer> AskWhatIsThere(const SiteTerms& terms, const SiteWatch::Options& options,
                                   std::optional<SiteConnection>& connection) {
  const Hello hello{kProtocolVersion, options.version, options.service};
  if (connection && !connection->is_broken()) {
    auto answer = connection->Ask<HelloAnswer>(hello);
    if (answer) return answer;
  }
  connection.reset();
  EBB_ASSIGN_OR_RETURN(SiteConnection opened,
                       SiteConnection::Open(terms.reach, options.version, options.service));
  connection.emplace(std::move(opened));
  return connection->site();
}

// With the jobs' folders on a disk that is away, all would look as if they had been removed.
bool PrunesNow(const SiteWatch::Options& options, const std::optional<Duration>& pruned_at) {
  const bool is_due = !pruned_at || platform::SinceBoot() - *pruned_at >= options.prune_every;
  return is_due && !options.jobs.empty() && platform::Exists(options.proof);
}

}  // namespace

struct SiteWatch::Watched {
  SiteTerms terms;
  Options options;
  platform::Waker waker;
  std::mutex mutex;
  // The rest is guarded by the mutex.
  std::function<void()> wake;
  std::optional<local::SiteLook> look;  // the newest; nothing: none yet
  std::string folder;                   // state folder there; empty: not known yet
  bool is_news = false;
  bool begun = false, ends = false;
  std::string text;

  void Take(local::SiteLook now, const std::string& found_folder, const std::string& note) {
    const std::lock_guard guard(mutex);
    if (ends) return;
    const bool was_there = look && look->trouble.empty();
    if (now.trouble.empty() && !was_there)
      text = "site " + terms.name + " can be reached" + note;
    else if (!now.trouble.empty() && (was_there || !look))
      text = "site " + terms.name + " cannot be reached: " + now.trouble +
             "; what runs there goes on, and nothing new starts there";
    if (!found_folder.empty()) folder = found_folder;
    look = std::move(now);
    is_news = true;
    if (wake) wake();
  }
  bool Ends() {
    const std::lock_guard guard(mutex);
    return ends;
  }
};

SiteWatch::SiteWatch(std::vector<SiteTerms> sites, const Options& options) {
  for (SiteTerms& terms : sites) {
    sites_.push_back(std::make_shared<Watched>());
    sites_.back()->terms = std::move(terms);
    sites_.back()->options = options;
  }
}

SiteWatch::~SiteWatch() {
  for (const auto& site : sites_) {
    const std::lock_guard guard(site->mutex);
    site->ends = true;
    site->waker.Wake();
  }
}

void SiteWatch::Begin(std::function<void()> wake) {
  for (const auto& site : sites_) {
    const std::lock_guard guard(site->mutex);
    site->wake = wake;
    if (wake && !std::exchange(site->begun, true)) std::thread([site] { Run(site); }).detach();
  }
}

void SiteWatch::Run(const std::shared_ptr<Watched>& site) {
  std::optional<SiteConnection> connection;
  std::optional<Duration> pruned_at;
  while (!site->Ends()) {
    const auto answer = AskWhatIsThere(site->terms, site->options, connection);
    if (answer && PrunesNow(site->options, pruned_at)) {
      std::ignore = PruneSite(*connection, site->options.service, site->options.jobs);
      pruned_at = platform::SinceBoot();
    }
    if (answer)
      site->Take(LookOf(site->terms, *answer), answer->folder, ClockText(*answer));
    else
      site->Take({answer.error().Message(), site->terms.slots, {}}, "", "");
    site->waker.Wait(answer ? site->options.every : site->options.every_in_trouble, -1);
  }
}

std::vector<SiteWatch::News> SiteWatch::TakeNews() {
  std::vector<News> news;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    Watched& site = *sites_[i];
    const std::lock_guard guard(site.mutex);
    if (std::exchange(site.is_news, false))
      news.push_back({i, *site.look, std::exchange(site.text, "")});
  }
  return news;
}

// The terms of a site never change.
std::uint64_t SiteWatch::BytesToBring(const std::string& working_directory) const {
  std::uint64_t most = 0;
  if (working_directory.empty()) return most;
  for (const auto& site : sites_) {
    const SiteTerms& terms = site->terms;
    if (!terms.copies_folder) continue;
    const Folder folder(working_directory, "");
    most = std::max(most, folder.Size(LeavesOut(terms.leave_out), {.bytes = terms.most_bytes}));
  }
  return most;
}

Result<local::SiteAccess> SiteWatch::AccessTo(std::size_t site,
                                              const core::Submission& submission) {
  Watched& watched = *sites_[site];
  const std::lock_guard guard(watched.mutex);
  const SiteTerms& terms = watched.terms;
  if (watched.folder.empty())
    return Fail({ExitCode::kTryLater, "was not reached yet", "site " + terms.name, ""});
  const std::string& service = watched.options.service;
  const JobKey key{service, submission.job.id, submission.identity};
  local::SiteAccess access;
  access.place = {terms.name, terms.reach, service, "", terms.leave_out, terms.most_bytes};
  access.run_folder = RunFolderOn(watched.folder, key);
  access.metering = terms.metering;
  if (!terms.copies_folder || submission.working_directory.empty()) return access;
  access.place.folder = submission.working_directory;
  access.work_folder = WorkFolderOn(watched.folder, key);
  return access;
}

}  // namespace ebb::sites
