#pragma once
// One attempt of a job as files of its run directory: how the service and the supervisor of the
// attempt (supervisor.h) speak to each other, so that either can die and the other knows all. Each
// file has one writer.
//
//   attempt-N.json      what to run, written by the service before it starts the supervisor
//   attempt-N.lock      locked from before the supervisor starts until it is gone
//   attempt-N.asked     why the program was asked to end, written by the service before it asks
//   attempt-N.energy    what was measured, JSON lines by the supervisor; the first says that the
//                       program is about to run
//   attempt-N.end       how it ended, written by the supervisor and signed, so that the program,
//   whose
//                       user may write there too, cannot say it in the supervisor's place
//   attempt-N.power     the power limits that its GPUs had, by the supervisor while they are
//   changed;
//                       removed by who puts them back
//   attempt-N.faults    what went wrong with its GPUs, JSON lines by the supervisor
//   attempt-N.log       what the program printed
//   attempt-N.run       how it is measured and what runs, by the supervisor before it begins
//   budget.events       what the job's budget said, over all attempts: JSON lines by the
//   supervisors
//
// Formats: docs/run-directory.md.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/budget.h"
#include "core/ledger.h"
#include "core/power_cap.h"
#include "core/run.h"
#include "core/tracking.h"
#include "engine/event.h"
#include "local/reading_check.h"
#include "meter/gpu/power_limit.h"
#include "platform/child_process.h"
#include "platform/file_lock.h"
#include "platform/line_tail.h"

namespace ebb::local {

/// What the supervisor is given.
struct AttemptPlan {
  core::JobId job = 0;
  std::int64_t identity = 0;  ///< of the job, as core::Submission has it
  int attempt = 1;
  int pool = -1;
  std::vector<int> slots;         ///< of the pool
  std::vector<std::string> gpus;  ///< the same, as CUDA_VISIBLE_DEVICES names them; empty: CPU
  Time since{};                   ///< grid time of the start
  std::vector<std::string> command;
  std::string working_directory;
  std::vector<std::pair<std::string, std::string>> environment;
  Duration grace{std::chrono::seconds{30}};  ///< wall time between SIGTERM and SIGKILL
  std::optional<core::PowerCap> power_cap;   ///< of each of `gpus`
  std::uint64_t log_limit_bytes = 0;         ///< of what it prints, so much is kept; 0: all
  std::string name;                          ///< of the job
  Time submitted{};                          ///< grid time
  Time since_wall{};                         ///< wall time at `since`
  Duration since_boot{};                     ///< platform::SinceBoot at `since`; zero: not known
  core::GridClockSettings clock;             ///< `begin` is not used
  std::string store;  ///< the file where the service keeps what it knows of the grid
  core::Tracking tracking;
  core::Budget budget;          ///< over all attempts; none is watched where it is empty
  core::BudgetUse used_before;  ///< by earlier attempts
  /// How to measure, as the flags of `ebb run`: without dashes -> text.
  std::map<std::string, std::string> metering;
  /// By which the end of the attempt is known to come from its supervisor (platform/signature.h).
  /// Empty: an earlier version planned it, and nothing is signed.
  std::string end_key;
};

/// Why a program is asked to end.
enum class EndRequest { kPause, kCancel, kTooLong, kBudget };

/// What the supervisor says in the end.
struct AttemptEnd {
  bool started = true;  ///< the program was; otherwise `detail` says why not
  platform::ExitStatus status;
  core::Attempt attempt;  ///< wall times, outcome, utilisation; the grid times are the reader's
  std::vector<std::string> warnings;  ///< what could not be measured or kept
  std::string detail;
  /// Ended by somebody else than the service and the job's budget (from_outside.h).
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

 private:
  std::filesystem::path Named(const char* ending) const {
    return directory / ("attempt-" + std::to_string(attempt) + ending);
  }
};

/// The supervisor says who it is in the file that it holds locked.
void WriteSupervisor(const platform::FileLock& lock);
/// Of an attempt whose lock is held. A supervisor that was only just started is waited for,
/// shortly; one that could not write its name (a full disk) is found by its command line.
Result<int> SupervisorOf(const AttemptPaths& paths);

/// The last attempt that was planned; 0: none.
int LastAttempt(const std::filesystem::path& directory);

Status WritePlan(const AttemptPaths& paths, const AttemptPlan& plan);
Result<AttemptPlan> ReadPlan(const std::filesystem::path& file);

/// `secret_key`: that of the plan's end_key, which the supervisor alone has; empty: not signed.
Status WriteEnd(const AttemptPaths& paths, const AttemptEnd& end, const std::string& secret_key);
/// Nothing while there is none. An Error where it is not signed by the key of the plan, if that has
/// one.
Result<std::optional<AttemptEnd>> ReadEnd(const AttemptPaths& paths, const std::string& end_key);

Status WritePowerLimits(const AttemptPaths& paths, const std::vector<meter::PowerLimit>& limits);
/// Empty while there is no file.
Result<std::vector<meter::PowerLimit>> ReadPowerLimits(const AttemptPaths& paths);

/// Something that went wrong with a GPU while an attempt ran on it.
struct DeviceFault {
  Time wall{};
  std::string device;  ///< as AttemptPlan::gpus
  std::string what;    ///< for people
};
Status AppendDeviceFault(const AttemptPaths& paths, const DeviceFault& fault);
/// Lines that make no sense are left out.
std::vector<DeviceFault> ReadDeviceFaults(const AttemptPaths& paths);

Status WriteAsked(const AttemptPaths& paths, EndRequest request);
std::optional<EndRequest> ReadAsked(const AttemptPaths& paths);

Status AppendBudgetEvent(const std::filesystem::path& job_directory,
                         const core::BudgetEvent& event);
/// Lines that make no sense are left out: at worst something is said twice.
std::vector<core::BudgetEvent> ReadBudgetEvents(const std::filesystem::path& job_directory);

/// The first line of the energy file.
struct EnergyHeader {
  int program_pid = 0;
  /// platform::ProcessIdentity; empty: it had ended by then.
  std::string program_identity;
  Time wall_begin{};      ///< of what was measured; all readings are on that clock
  std::string cgroup{};   ///< meter::Cgroup::Identity; empty: none
  Duration since_boot{};  ///< platform::SinceBoot at wall_begin; zero: not known
};
std::string ToLine(const EnergyHeader& header);
std::string ToLine(const core::EnergyReading& reading);

/// Reads an energy file as it grows.
class EnergyTail {
 public:
  explicit EnergyTail(std::filesystem::path file) : tail_(std::move(file)) {}
  /// What was written since the last call, whole lines only; none while there is no file. A line
  /// that makes no sense is left out and counted; so is one that is not believed (reading_check.h).
  /// Of a long file a part at a time. `since_boot`: platform::SinceBoot now, by which readings of a
  /// time that is still to come are found; nothing: they are not.
  std::vector<core::EnergyReading> Read(std::optional<Duration> since_boot = {});
  /// The last call left some: the next is worth making now.
  bool has_more() const { return has_more_; }
  /// Known once the first line is there.
  const std::optional<EnergyHeader>& header() const { return header_; }
  int damaged_lines() const { return damaged_lines_; }
  int disbelieved_lines() const { return disbelieved_lines_; }
  /// Why the first of them was not believed.
  const std::string& why_disbelieved() const { return why_disbelieved_; }
  /// Whether somebody made the file shorter.
  bool was_cut() const { return tail_.was_cut(); }

 private:
  void TakeLine(std::string_view line, std::optional<Duration> since_boot,
                std::vector<core::EnergyReading>& readings);
  void Disbelieve(std::string why);

  platform::LineTail tail_;
  std::optional<EnergyHeader> header_;
  ReadingCheck check_;
  int damaged_lines_ = 0, disbelieved_lines_ = 0;
  std::string why_disbelieved_;
  bool has_more_ = false;
};

}  // namespace ebb::local
