#pragma once
// Finds events that people should be told about, by comparing a view of the service with the
// previous one. Each event is reported once, when it begins. Pure.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "service/views/view.h"

namespace ebb::web {

enum class NoticeEvent {
  kLowCarbon,       ///< the grid is clean now
  kBudget,          ///< a job has used 80 or 100 per cent of its budget
  kDeadlineAtRisk,  ///< a job is expected to start or end too late
  kJobFailed,
  kJobRefused,  ///< a job that nobody waits for was refused, such as an instance of a recurring job
  kSignalLost,  ///< the source cannot be reached, or no value is known
  kSignalRegained,
  kStoreTrouble,  ///< the store cannot be written
  kStoreRegained,
  kDeviceLost,  ///< a GPU is set aside or gone, or no GPU can be given to a job
  kDeviceRegained,
};
/// The name of an event: "low_carbon", "budget", "deadline_at_risk", "job_failed", "job_refused",
/// "signal_lost", "signal_regained", "store_trouble", "store_regained", "device_lost",
/// "device_regained".
std::string_view Name(NoticeEvent event);
std::optional<NoticeEvent> NoticeEventFromName(std::string_view name);
std::vector<std::string> NoticeEventNames();

struct Notice {
  NoticeEvent event = NoticeEvent::kJobFailed;
  Time at{};             ///< on the grid clock
  std::string text;      ///< one sentence for people
  core::JobId job = 0;   ///< 0 if not about a job
  std::string job_name;  ///< name of that job
  std::string zone;      ///< zone of the signal; empty if not about a zone
  std::optional<Intensity> intensity;
};

struct NoticeOptions {
  std::set<NoticeEvent> events;  ///< events to report; empty for all
  /// Carbon is low at or below this value. If absent, the limit is the lowest quarter of the day
  /// before and the day ahead.
  std::optional<Intensity> low_carbon;
};

class NoticeFinder {
 public:
  explicit NoticeFinder(NoticeOptions options) : options_(std::move(options)) {}

  /// The notices for what has changed since the last view. The first view gives none.
  std::vector<Notice> Look(const service::View& view);

 private:
  struct SignalState {
    bool heard = false;  // true once a value was known
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
  std::uint64_t last_event_ = 0;  // last event that was looked at
  std::map<std::size_t, SignalState> signals_;
  std::map<std::string, std::string> lost_devices_;  // reported devices by name, with the kind of
                                                     // loss
  bool no_device_ = false;
  std::set<core::JobId> failed_, at_risk_;      // reported jobs that are still in the view
  std::map<core::JobId, int> budget_per_cent_;  // reported level: 80 or 100
  std::vector<Notice> found_;
};

/// The 25th percentile of the known values of the last 24 hours and the expected values of the
/// next; nullopt if fewer than 12 hours are known.
std::optional<Intensity> LowestQuarter(const core::SignalView& view, Time now);

/// The text for a receiver: one JSON object. `service`: the address of the service that reports it.
std::string ToJson(const Notice& notice, const std::string& service);

}  // namespace ebb::web
