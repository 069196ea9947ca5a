// ebb slurm quota: the GPUs of a QOS, or a licence, follow clean hours.
#include <cstdio>
#include <filesystem>
#include <map>

#include "app/options/flag_values.h"
#include "app/options/user_settings.h"
#include "app/slurm/quota_choice.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/say.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/process_signals.h"
#include "platform/system_clock.h"
#include "signals/make_feed.h"
#include "slurm/site/slurm_quota.h"
#include "sweep/shell_quote.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb slurm quota --qos green --gpus 64 --reduced 8 --threshold 250
  ebb slurm quota --qos green --gpus 64 --gpu-hours-per-day 600
  ebb slurm quota --licence green --gpus 64 --threshold 250 --once      for cron
  ebb slurm quota --qos green --gpus 64 --threshold 250 --dry-run       prints sacctmgr's command

For sites that let no tool touch jobs: sacctmgr sets how many GPUs the jobs of a QOS may have together
(GrpTRES=gres/gpu), or the count of a licence. Jobs that run go on. At its end Ebb restores the value
that it found, or that of --restore.)";

struct Flags {
  slurm::QuotaTarget target;
  app::QuotaRule rule;
  std::string zone, state;
  std::optional<int> restore;
  Duration every{std::chrono::minutes{5}};
  bool once = false, dry_run = false;
};

Result<int> CountOf(const std::string& flag, const std::string& text) {
  const auto number = ParseInteger(text);
  constexpr long long kMost = 1'000'000;
  if (!number || *number < 0 || *number > kMost)
    return Fail({ExitCode::kUsage, "\"" + text + "\" is not a number of GPUs", "--" + flag,
                 "give a whole number, for example 64"});
  return static_cast<int>(*number);
}

// The quota of a QOS or a licence, which follows the grid until the command is asked to stop.
class Quota {
 public:
  Quota(Flags flags, std::unique_ptr<runtime::SignalFeed> feed)
      : flags_(std::move(flags)), feed_(std::move(feed)), run_(slurm::RunOnThisMachine()) {}

  Result<int> Run() {
    EBB_ASSIGN_OR_RETURN(const std::optional<int> found, slurm::ReadQuota(run_, flags_.target));
    SayNote(flags_.target.name() + " has " + TextOf(found));
    EBB_RETURN_IF_ERROR(ReadState());
    platform::ProcessSignals stop;
    set_ = found;
    EBB_RETURN_IF_ERROR(Follow());
    if (flags_.once || flags_.dry_run) return 0;
    while (!stop.WaitForStop(flags_.every))
      // Accounting may be away for a while, and the state's disk full.
      if (const Status done = Follow(); !done) SayNote(done.error().Message());
    const std::optional<int> end = flags_.restore ? flags_.restore : found;
    EBB_RETURN_IF_ERROR(slurm::SetQuota(run_, flags_.target, end));
    SayNote(flags_.target.name() + " has " + TextOf(end) + " again");
    return 0;
  }

 private:
  static std::string TextOf(std::optional<int> gpus) {
    if (!gpus) return "no limit of GPUs";
    return std::to_string(*gpus) + (*gpus == 1 ? " GPU" : " GPUs");
  }

  Status Follow() {
    const Time now = platform::WallNow();
    auto view = feed_->Observe(now, std::chrono::hours{25});
    for (const std::string& note : feed_->TakeNotes()) SayNote(note);
    if (!view) SayNote(view.error().Message());
    core::SignalView known = view ? *std::move(view) : core::SignalView{};
    known.now = now;
    Book(now);
    const app::QuotaChoice choice = app::ChooseQuota(known, flags_.rule, day_);
    if (flags_.dry_run) {
      std::printf("%s   # %s\n",
                  sweep::ShellCommand(slurm::QuotaCommand(flags_.target, choice.gpus)).c_str(),
                  choice.why.c_str());
      return {};
    }
    if (set_ != choice.gpus) {
      EBB_RETURN_IF_ERROR(slurm::SetQuota(run_, flags_.target, choice.gpus));
      SayNote(flags_.target.name() + " gets " + TextOf(choice.gpus) + ": " + choice.why);
      set_ = choice.gpus;
    }
    is_full_ = choice.gpus == flags_.rule.full;
    looked_ = now;
    return WriteState();
  }

  // Adds the time since the last look to the day, if the quota was full.
  void Book(Time now) {
    if (is_full_ && looked_ <= now && now - looked_ < std::chrono::hours{2})
      day_.at_full += now - looked_;
  }

  Status ReadState() {
    if (flags_.state.empty() || !platform::Exists(flags_.state)) return {};
    EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(flags_.state));
    const auto words = Split(Trim(text), ' ');
    const auto number = [&](std::size_t i) {
      return i < words.size() ? ParseInteger(words[i]).value_or(0) : 0;
    };
    day_ = {Time{Duration{number(0)}}, Duration{number(1)}};
    looked_ = Time{Duration{number(2)}};
    is_full_ = number(3) != 0;
    return {};
  }
  Status WriteState() const {
    if (flags_.state.empty()) return {};
    const auto milliseconds = [](Time time) {
      return std::to_string(time.time_since_epoch().count());
    };
    return platform::WriteFileAtomically(
        flags_.state, milliseconds(day_.day) + ' ' + std::to_string(day_.at_full.count()) + ' ' +
                          milliseconds(looked_) + (is_full_ ? " 1\n" : " 0\n"));
  }

  Flags flags_;
  std::unique_ptr<runtime::SignalFeed> feed_;
  slurm::RunCommand run_;
  std::optional<int> set_;
  app::QuotaDay day_;
  Time looked_{};
  bool is_full_ = false;
};

Status Check(const Flags& flags) {
  const bool by_hours = flags.rule.gpu_hours > 0;
  if (flags.target.qos.empty() == flags.target.licence.empty())
    return Fail({ExitCode::kUsage, "one of --qos and --licence is needed", "", ""});
  if (flags.rule.full <= flags.rule.reduced)
    return Fail({ExitCode::kUsage, "--gpus must be more than --reduced", "", ""});
  if (by_hours == flags.rule.threshold.has_value())
    return Fail({ExitCode::kUsage, "one of --threshold and --gpu-hours-per-day is needed", "", ""});
  if (flags.once && by_hours && flags.state.empty())
    return Fail({ExitCode::kUsage, "--once with --gpu-hours-per-day needs a memory", "",
                 "give --state FILE"});
  return {};
}

}  // namespace

void AddSlurmQuotaCommand(Parser& parser) {
  Command& command =
      parser.Add("slurm quota", "let the GPUs of a QOS or a licence follow clean hours", kExamples);
  struct Given {
    std::map<std::string, std::string> values;
    bool once = false, dry_run = false;
  };
  auto given = std::make_shared<Given>();
  const auto add = [&](const char* name, const char* value_name, const char* help) {
    command.Flag({name, value_name, help},
                 [given, name](const std::string& text) { given->values[name] = text; });
  };
  add("qos", "NAME", "the QOS whose GrpTRES=gres/gpu is set");
  add("licence", "NAME", "instead: the licence of accounting whose count is set");
  add("gpus", "N", "GPUs in clean hours");
  add("reduced", "N", "GPUs in the other hours (default 0)");
  add("threshold", "G_PER_KWH", "hours up to it are clean");
  add("gpu-hours-per-day", "HOURS",
      "instead: as many of the cleanest hours of the day (UTC) as give these GPU hours");
  add("every", "DURATION", "how often to look (default 5m)");
  add("state", "FILE", "remembers what the day has had, for --once and restarts");
  add("restore", "N", "GPUs at the end (default: the value that it found)");
  add("zone", "ZONE", "grid zone (default: that of your settings)");
  command.Switch({"once", "", "set it once and end, for cron; nothing is restored"},
                 [given] { given->once = true; });
  command.Switch({"dry-run", "", "print the command of sacctmgr and change nothing"},
                 [given] { given->dry_run = true; });
  command.Action([given]() -> Result<int> {
    Flags flags;
    flags.once = given->once;
    flags.dry_run = given->dry_run;
    for (const auto& [name, text] : given->values) {
      if (name == "qos") flags.target.qos = text;
      if (name == "licence") flags.target.licence = text;
      if (name == "zone") flags.zone = text;
      if (name == "state") flags.state = text;
      if (name == "gpus") {
        EBB_ASSIGN_OR_RETURN(flags.rule.full, CountOf(name, text));
      } else if (name == "reduced") {
        EBB_ASSIGN_OR_RETURN(flags.rule.reduced, CountOf(name, text));
      } else if (name == "restore") {
        EBB_ASSIGN_OR_RETURN(flags.restore, CountOf(name, text));
      } else if (name == "every") {
        EBB_ASSIGN_OR_RETURN(flags.every, app::DurationOf("--every", text));
      } else if (name == "threshold" || name == "gpu-hours-per-day") {
        const auto number = ParseNumber(text);
        if (!number || *number <= 0)
          return Fail(
              {ExitCode::kUsage, "\"" + text + "\" is not a number above 0", "--" + name, ""});
        if (name == "threshold")
          flags.rule.threshold = Intensity{*number};
        else
          flags.rule.gpu_hours = *number;
      }
    }
    EBB_RETURN_IF_ERROR(Check(flags));
    app::FlagValues signal;
    if (!flags.zone.empty()) signal["zone"] = flags.zone;
    EBB_ASSIGN_OR_RETURN(const app::FlagValues values,
                         app::WithSettings(signal, app::SettingsFor::kSignal));
    app::RunOptions options;
    EBB_RETURN_IF_ERROR(app::ApplyFlags(values, options));
    EBB_ASSIGN_OR_RETURN(auto feed, signals::MakeFeed(options.scheduler.signal));
    return Quota(std::move(flags), std::move(feed)).Run();
  });
}

}  // namespace ebb::cli
