#pragma once
// One attempt of a job as files of its run directory: how the service and the supervisor of the
// attempt (supervisor.h) speak to each other, so that either can die and the other loses nothing.
// Each file has one writer.
//
// attempt-N.json      what to run, written by the service before it starts the supervisor
// attempt-N.lock      locked from before the supervisor starts until it is gone attempt-N.asked
// why the program was asked to end, written by the service before it asks attempt-N.energy    what
// was measured, JSON lines by the supervisor; the first says that the program is about to run
// attempt-N.end       how it ended, written by the supervisor and signed, so that the program,
// whose user may write there too, cannot say it in the supervisor's place attempt-N.power     the
// power limits that its GPUs had, by the supervisor while they are changed; removed by who puts
// them back attempt-N.faults    what went wrong with its GPUs, JSON lines by the supervisor
// attempt-N.log       what the program printed attempt-N.run       how it is measured and what
// runs, by the supervisor before it begins attempt-N.site      of an attempt on another machine:
// how its follower here (sites/home/follower.h) gets on budget.events       what the job's budget
// said, over all attempts: JSON lines by the supervisors
//
// Formats: docs/run-directory.md.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/devices/power_cap.h"
#include "core/devices/power_choice.h"
#include "core/jobs/tracking.h"
#include "core/ledger/budget.h"
#include "core/ledger/ledger.h"
#include "core/run/run.h"
#include "engine/event.h"
#include "local/files/remote_place.h"
#include "local/readings/reading_check.h"
#include "meter/gpu/power_limit.h"
#include "platform/child_process.h"
#include "platform/file_lock.h"
#include "platform/line_tail.h"

namespace ebb::local {

/// The input of the supervisor.
struct AttemptPlan {
  core::JobId job = 0;
  std::int64_t identity = 0;  ///< identity of the job, see core::Submission
  int attempt = 1;
  int pool = -1;
  std::vector<int> slots;         ///< slots of the pool
  std::vector<std::string> gpus;  ///< names of the same slots, for CUDA_VISIBLE_DEVICES; empty: CPU
  Time since{};                   ///< grid time of the start
  std::vector<std::string> command;
  std::string working_directory;
  std::vector<std::pair<std::string, std::string>> environment;
  Duration grace{std::chrono::seconds{30}};    ///< wall time between SIGTERM and SIGKILL
  std::optional<core::PowerCap> power_cap;     ///< for each of `gpus`
  core::Slowdown slower_by;                    ///< limit for a power cap that is found
  std::optional<core::PowerChoice> known_cap;  ///< search that found `power_cap`; none: it is given
  std::uint64_t log_limit_bytes = 0;           ///< limit of the kept output; 0: all is kept
  std::string name;                            ///< name of the job
  Time submitted{};                            ///< grid time
  Time since_wall{};                           ///< wall time at `since`
  Duration since_boot{};                       ///< platform::SinceBoot at `since`; zero: unknown
  core::GridClockSettings clock;               ///< `begin` is not used
  std::string store;                           ///< file in which the service keeps its signal
  core::Tracking tracking;
  core::Budget budget;          ///< over all attempts; empty: none is watched
  core::BudgetUse used_before;  ///< by earlier attempts
  /// How to measure: flags of `ebb run`, name without dashes -> text.
  std::map<std::string, std::string> metering;
  /// Public key that proves that the end of the attempt comes from its supervisor
  /// (platform/signature.h). Empty: an earlier version planned the attempt, and nothing is signed.
  std::string end_key;
  /// Nothing: the attempt runs on this machine. Otherwise its supervisor here only follows the one
  /// that runs it there, so the paths and devices in the plan are those of the site.
  std::optional<RemotePlace> place;
};

/// The reason for which a program is asked to end.
enum class EndRequest { kPause, kCancel, kTooLong, kBudget };
/// The names: "pause", "cancel", "too_long", "budget".
std::string_view Name(EndRequest request);
std::optional<EndRequest> EndRequestFromName(std::string_view name);

/// The supervisor's report of the end.
struct AttemptEnd {
  bool started = true;  ///< the program was started; otherwise `detail` says why not
  platform::ExitStatus status;
  core::Attempt attempt;  ///< wall times, outcome, utilisation; the reader adds grid times
  std::vector<std::string> warnings;  ///< about data that could not be measured or kept
  std::string detail;
  /// Neither the service nor the job's budget ended it (from_outside.h).
  bool from_outside = false;
};

struct AttemptPaths {
  std::filesystem::path directory;
  int attempt = 1;
  std::filesystem::path plan() const { return Named(".json"); }
  std::filesystem::path lock() const { return Named(".lock"); }
  std::filesystem::path asked() const { return Named(".asked"); }
  std::filesystem::path energy() const { return Named(".energy"); }
  std::filesystem::path end() const { return Named(".end"); }
  std::filesystem::path power() const { return Named(".power"); }
  std::filesystem::path faults() const { return Named(".faults"); }
  std::filesystem::path log() const { return Named(".log"); }
  std::filesystem::path site() const { return Named(".site"); }
  std::filesystem::path sent() const { return Named(".sent"); }

 private:
  std::filesystem::path Named(const char* ending) const {
    return directory / ("attempt-" + std::to_string(attempt) + ending);
  }
};

/// Writes the supervisor's identity into the file that it holds locked.
void WriteSupervisor(const platform::FileLock& lock);
/// Finds the supervisor of an attempt whose lock is held. Waits shortly for a supervisor that has
/// only just started; one that could not write its name (a full disk) is found by its command line.
Result<int> SupervisorOf(const AttemptPaths& paths);

/// Number of the last attempt that was planned; 0 if there is none.
int LastAttempt(const std::filesystem::path& directory);

Status WritePlan(const AttemptPaths& paths, const AttemptPlan& plan);
Result<AttemptPlan> ReadPlan(const std::filesystem::path& file);

/// Writes the end. `secret_key` belongs to the plan's end_key, and only the supervisor has it;
/// empty: the end is not signed.
Status WriteEnd(const AttemptPaths& paths, const AttemptEnd& end, const std::string& secret_key);
/// Reads the end; nothing while there is none. An Error: the plan has a key, and the end is not
/// signed by it.
Result<std::optional<AttemptEnd>> ReadEnd(const AttemptPaths& paths, const std::string& end_key);

/// The text of an end without a signature, and an end from its text.
std::string TextOf(const AttemptEnd& end);
Result<AttemptEnd> EndFrom(const std::string& text);

Status WritePowerLimits(const AttemptPaths& paths, const std::vector<meter::PowerLimit>& limits);
/// Reads the power limits; empty while there is no file.
Result<std::vector<meter::PowerLimit>> ReadPowerLimits(const AttemptPaths& paths);

/// A fault of a GPU while an attempt ran on it.
struct DeviceFault {
  Time wall{};
  std::string device;  ///< named as in AttemptPlan::gpus
  std::string what;    ///< for people
};
Status AppendDeviceFault(const AttemptPaths& paths, const DeviceFault& fault);
/// Reads the faults. Lines that cannot be read are left out.
std::vector<DeviceFault> ReadDeviceFaults(const AttemptPaths& paths);

/// Appends to power-cap.jsonl, which holds the limits that were found over all attempts.
Status AppendPowerChoice(const std::filesystem::path& job_directory,
                         const core::PowerChoice& choice);
/// Reads the limits. Lines that cannot be read are left out.
std::vector<core::PowerChoice> ReadPowerChoices(const std::filesystem::path& job_directory);

Status WriteAsked(const AttemptPaths& paths, EndRequest request);
std::optional<EndRequest> ReadAsked(const AttemptPaths& paths);

/// How the follower of an attempt on another machine gets on.
struct SiteState {
  bool start_was_sent = false;  ///< the site may run the attempt; written before it is asked to
  std::string trouble;          ///< why the site cannot be reached; empty: it can
  Time since{};                 ///< wall time since which that is so
  std::string doing;            ///< "sending files", ...; for people
  bool frozen = false;          ///< the program was stopped where it is
  OrderStage order = OrderStage::kNone;  ///< of an attempt whose start the site keeps
};
Status WriteSiteState(const AttemptPaths& paths, const SiteState& state);
/// The state; as it is at first while there is no file.
SiteState ReadSiteState(const AttemptPaths& paths);

Status AppendBudgetEvent(const std::filesystem::path& job_directory,
                         const core::BudgetEvent& event);
/// Reads the events. Lines that cannot be read are left out: at worst an event is reported twice.
std::vector<core::BudgetEvent> ReadBudgetEvents(const std::filesystem::path& job_directory);

/// The first line of the energy file.
struct EnergyHeader {
  int program_pid = 0;
  /// platform::ProcessIdentity; empty: the program had ended by then
  std::string program_identity;
  Time wall_begin{};      ///< begin of the measurement; all readings are on that clock
  std::string cgroup{};   ///< meter::Cgroup::Identity; empty: none
  Duration since_boot{};  ///< platform::SinceBoot at wall_begin; zero: unknown
};
std::string ToLine(const EnergyHeader& header);
/// `utilisation`: of the reading's device in percent; of processors that of the program alone.
std::string ToLine(const core::EnergyReading& reading,
                   std::optional<double> utilisation = std::nullopt);

/// Reads an energy file as it grows.
class EnergyTail {
 public:
  explicit EnergyTail(std::filesystem::path file) : tail_(std::move(file)) {}
  /// Reads the lines that were added since the last call, whole lines only; none while there is no
  /// file. Lines that cannot be read or are not plausible (reading_check.h) are left out and
  /// counted. A long file is read in parts. `since_boot` is platform::SinceBoot now, by which
  /// readings from the future are found; without it they are not found.
  std::vector<core::EnergyReading> Read(std::optional<Duration> since_boot = {});
  /// The last call left lines unread, so that the next call is useful at once.
  bool has_more() const { return has_more_; }
  /// Set once the first line exists.
  const std::optional<EnergyHeader>& header() const { return header_; }
  int damaged_lines() const { return damaged_lines_; }
  int disbelieved_lines() const { return disbelieved_lines_; }
  /// Reason for which the first rejected line was not believed.
  const std::string& why_disbelieved() const { return why_disbelieved_; }
  /// Utilisation in percent in the latest reading of a GPU, or of the processors if `device` is
  /// empty; nothing while it is not known.
  std::optional<double> utilisation_of(const std::string& device) const;
  /// Tells if the file was made shorter.
  bool was_cut() const { return tail_.was_cut(); }

 private:
  void TakeLine(std::string_view line, std::optional<Duration> since_boot,
                std::vector<core::EnergyReading>& readings);
  void Disbelieve(std::string why);

  platform::LineTail tail_;
  std::optional<EnergyHeader> header_;
  ReadingCheck check_;
  std::map<std::string, double> utilisation_;  // by device; of the processors: ""
  int damaged_lines_ = 0, disbelieved_lines_ = 0;
  std::string why_disbelieved_;
  bool has_more_ = false;
};

}  // namespace ebb::local
