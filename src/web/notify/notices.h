#pragma once
// What is worth telling somebody who does not look: found by comparing one view of the service with
// the one before. Each thing is told once, when it comes about. Pure.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/views/view.h"

namespace ebb::web {

enum class NoticeEvent {
  kLowCarbon,       ///< the grid is clean now
  kBudget,          ///< 80 or 100 per cent of a job's budget are used
  kDeadlineAtRisk,  ///< a job is expected to start or end later than it must
  kJobFailed,
  kJobRefused,  ///< an instance of a recurring job, or another that nobody waits for
  kSignalLost,  ///< the source cannot be reached, or no value is known
  kSignalRegained,
  kStoreTrouble,  ///< the store cannot be written
  kStoreRegained,
  kDeviceLost,  ///< a GPU is set aside or gone, or no GPU can be given to a job
  kDeviceRegained,
};
/// "low_carbon", "budget", "deadline_at_risk", "job_failed", "job_refused", "signal_lost",
/// "signal_regained", "store_trouble", "store_regained", "device_lost", "device_regained".
std::string_view Name(NoticeEvent event);
std::optional<NoticeEvent> NoticeEventFromName(std::string_view name);
std::vector<std::string> NoticeEventNames();

struct Notice {
  NoticeEvent event = NoticeEvent::kJobFailed;
  Time at{};             ///< on the grid clock
  std::string text;      ///< one sentence for people
  core::JobId job = 0;   ///< 0: of no job
  std::string job_name;  ///< of that job
  std::string zone;      ///< of the signal; empty: not about one
  std::optional<Intensity> intensity;
};

struct NoticeOptions {
  std::set<NoticeEvent> events;  ///< empty: all
  /// Low carbon is at or below it; absent: the lowest quarter of the day before and the day ahead.
  std::optional<Intensity> low_carbon;
};

class NoticeFinder {
 public:
  explicit NoticeFinder(NoticeOptions options) : options_(std::move(options)) {}

  /// What the first view holds is known already: it gives no notices.
  std::vector<Notice> Look(const service::View& view);

 private:
  struct SignalState {
    bool heard = false;  // a value was known at some time
    bool lost = false;
    bool low = false;
  };
  void LookAtSignal(const service::View& view, const service::SiteSignalView& signal,
                    SignalState& state);
  void LookAtJob(const service::View& view, const service::JobCard& card);
  void LookAtDevices(const service::View& view);
  void LookAtBudget(const service::View& view, const service::JobCard& card);
  void Add(Notice notice);

  NoticeOptions options_;
  bool began_ = false;
  bool trouble_ = false;
  std::uint64_t last_event_ = 0;  // the last one that was looked at
  std::map<std::size_t, SignalState> signals_;
  std::map<std::string, std::string> lost_devices_;  // told; by name, with how
  bool no_device_ = false;
  std::set<core::JobId> failed_, at_risk_;      // told, and still in the view
  std::map<core::JobId, int> budget_per_cent_;  // told: 80 or 100
  std::vector<Notice> found_;
};

/// The 25th percentile of what is known of the last 24 hours and expected of the next; nothing
/// where less than 12 hours are known.
std::optional<Intensity> LowestQuarter(const core::SignalView& view, Time now);

/// What a receiver gets: one JSON object. `service` says whose notice it is.
std::string ToJson(const Notice& notice, const std::string& service);

}  // namespace ebb::web
