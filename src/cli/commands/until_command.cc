// ebb until: waits for clean power and ends, so that the shell, make, cron or Python (python/ebb)
// starts what follows.

#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/options/user_settings.h"
#include "app/run/clean_wait.h"
#include "cli/add_run_flags.h"
#include "cli/command_line.h"
#include "cli/display.h"
#include "plan/make_policy.h"
#include "platform/system_clock.h"
#include "signals/make_feed.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb until --duration 2h --start-by 12h && make train
  ebb until --threshold 200 --start-by "tomorrow 6am" && python train.py
  ebb until --duration 2h --at-deadline stop || echo "no clean hours today"
  ebb until --duration 2h --dry-run              now, or later: exit code 0 or 75
  ebb until --duration 2h --format json          the reason and its numbers

Nothing is started, measured or stored: `ebb run` does all three. Without --policy and --threshold,
the policy is lowest-window. Exit codes: 0 start now, 75 not now (--dry-run: it would wait;
--at-deadline stop, --on-outage stop: it gave up), 130 Ctrl-C while waiting, 128+n another signal;
2, 3 and 4 as for every command. Only 0 means go, so && is enough.)";

constexpr const char* kPolicy = "policy";
constexpr const char* kThreshold = "threshold";

// Shows how the gate waits, and remembers how it began.
class WaitObserver final : public runtime::GateObserver {
 public:
  explicit WaitObserver(StatusLine& line) : wait_(line) {}

  Status OnDecision(const core::GateDecision& decision,
                    const runtime::GateObservation& observation) override {
    if (!first_) first_ = decision;
    wait_.Show(decision, observation.view);
    return {};
  }
  void OnTick(Time grid_now) override { wait_.Tick(grid_now); }
  Status OnSkippedWait(const core::SkippedWait&) override { return {}; }
  /// The first decision; call it after one was made.
  const core::GateDecision& first() const { return *first_; }

 private:
  WaitDisplay wait_;
  std::optional<core::GateDecision> first_;
};

nlohmann::ordered_json Figure(const std::optional<Intensity>& intensity) {
  return intensity ? nlohmann::ordered_json(intensity->g_per_kwh) : nlohmann::ordered_json();
}

nlohmann::ordered_json Moment(const std::optional<Time>& time) {
  return time ? nlohmann::ordered_json(FormatTime(*time)) : nlohmann::ordered_json();
}

std::string Json(const app::CleanWait& wait, const core::SignalIdentity& signal,
                 const core::GateDecision& first, std::string_view policy) {
  const core::GateDecision& decision = wait.result.decision;
  nlohmann::ordered_json json;
  json["schema"] = "ebb.until/1";
  json["action"] = Name(decision.action);
  json["rule"] = Name(decision.reason.rule);
  json["reason"] = Sentence(decision);
  json[kPolicy] = policy;
  json["zone"] = signal.zone;
  json["source"] = signal.source;
  json["submitted"] = FormatTime(wait.request.submitted);
  json["decided"] = FormatTime(decision.at);
  json["waited_s"] = Seconds(wait.ended - wait.request.submitted);
  json["latest_start"] = FormatTime(wait.request.latest_start);
  json["duration_s"] = Seconds(wait.request.remaining);
  json["intensity_at_submission_g_per_kwh"] = Figure(first.reason.current);
  json["mean_at_submission_g_per_kwh"] = Figure(first.mean_if_now);
  json["intensity_g_per_kwh"] = Figure(decision.reason.current);
  json["intensity_status"] = decision.reason.current
                                 ? nlohmann::ordered_json(Name(decision.current_status))
                                 : nlohmann::ordered_json();
  json["mean_if_now_g_per_kwh"] = Figure(decision.mean_if_now);
  json["threshold_g_per_kwh"] = Figure(decision.reason.threshold);
  json["expected_start"] = Moment(decision.reason.start);
  json["expected_mean_g_per_kwh"] = Figure(decision.reason.expected);
  return json.dump(2) + "\n";
}

// The options of the wait. Without a policy of the command line or the settings, a command that
// only waits waits for the cleanest window.
Result<app::RunOptions> OptionsOf(const app::FlagValues& given) {
  app::RunOptions options;
  EBB_ASSIGN_OR_RETURN(app::FlagValues flags, app::WithSettings(given, app::SettingsFor::kSignal));
  if (!flags.contains(kPolicy) && !flags.contains(kThreshold))
    flags[kPolicy] = Name(plan::GatePolicyKind::kWindow);
  EBB_RETURN_IF_ERROR(app::ApplyFlags(flags, options));
  return options;
}

int CodeOf(core::GateAction action) {
  return action == core::GateAction::kStart ? 0 : static_cast<int>(ExitCode::kTryLater);
}

Result<int> WaitUntil(const app::RunOptions& options, bool dry_run) {
  platform::ProcessSignals signals;
  platform::SystemClock wall(signals);
  const auto& scheduler = options.scheduler;
  EBB_ASSIGN_OR_RETURN(const auto side,
                       app::OpenGateSide(options, wall, scheduler.clock.start.value_or(wall.Now()),
                                         [&wall] { return wall.StopAsked(); }));
  if (wall.stop_signal()) return 128 + *wall.stop_signal();
  StatusLine line(ModeFor(options.quiet));
  line.Say(signals::Describe(side->feed->identity()));
  if (!scheduler.signal.zone_origin.empty()) line.Say("zone of " + scheduler.signal.zone_origin);
  for (const std::string& note : side->feed->TakeNotes()) line.Say("note: " + note);
  WaitObserver observer(line);
  EBB_ASSIGN_OR_RETURN(const app::CleanWait wait,
                       app::WaitForClean(scheduler, dry_run, *side, observer));
  line.Finish();
  if (wait.result.interrupted) {
    line.Say("stopped while waiting");
    return 128 + wall.stop_signal().value_or(SIGINT);
  }
  if (options.json)
    std::fputs(Json(wait, side->feed->identity(), observer.first(), Name(scheduler.policy)).c_str(),
               stdout);
  return CodeOf(wait.result.decision.action);
}

// --policy with this command's own default in its help.
void AddPolicyFlag(Command& command, app::FlagValues& values, const app::FlagHelp& table) {
  command.Flag({kPolicy, table.value_name,
                "lowest-window: start where the mean over the run time is lowest (default); "
                "threshold: start at or below --threshold; carbon-time: where the saving per hour "
                "of delay is highest; dtpr: a threshold from past values alone; run-now: at once",
                "When to start", table.choices},
               [&values](const std::string& text) { values[kPolicy] = text; });
}

void AddGateFlags(Command& command, app::FlagValues& values) {
  std::set<std::string> others;
  for (const app::FlagHelp& flag : app::FlagsOf(app::FlagGroup::kGate)) {
    if (flag.name == kPolicy)
      AddPolicyFlag(command, values, flag);
    else
      others.insert(flag.name);
  }
  AddFlags(command, app::FlagGroup::kGate, values, others);
}

}  // namespace

void AddUntilCommand(Parser& parser) {
  Command& command =
      parser.Add("until", "wait for clean power, then end: for && in a shell", kExamples);
  auto values = std::make_shared<app::FlagValues>();
  AddGateFlags(command, *values);
  for (const app::FlagGroup group :
       {app::FlagGroup::kSignal, app::FlagGroup::kPrice, app::FlagGroup::kClock})
    AddFlags(command, group, *values);
  AddFlags(command, app::FlagGroup::kOutput, *values, {"format", "quiet"});
  auto dry_run = std::make_shared<bool>(false);
  command.Switch(
      {"dry-run", "", "decide once and do not wait: exit code 0 to start now, 75 to wait"},
      [dry_run] { *dry_run = true; });
  command.Action([values, dry_run]() -> Result<int> {
    EBB_ASSIGN_OR_RETURN(const app::RunOptions options, OptionsOf(*values));
    return WaitUntil(options, *dry_run);
  });
}

}  // namespace ebb::cli
