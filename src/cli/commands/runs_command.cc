// ebb runs: lists runs from run directories and jobs of the queue service.

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/jobs/job_history.h"
#include "app/options/run_options.h"
#include "app/run/run_history.h"
#include "base/text.h"
#include "base/units_text.h"
#include "cli/command_line.h"
#include "cli/fitted_text.h"
#include "cli/local_times.h"
#include "cli/past_figures.h"
#include "cli/say.h"
#include "cli/service_flags.h"
#include "platform/system_clock.h"
#include "report/run/known_emissions.h"

namespace ebb::cli {
namespace {

namespace fs = std::filesystem;
using app::PastRun;
using report::OrOmitted;
using report::Plain;
using report::PlainOf;
using Column = report::Column<PastRun>;

constexpr const char* kExamples = R"(
Examples:
  ebb runs                               runs under runs/, and what ended in your queue service
  ebb runs experiments /data/runs        of other folders; a run directory by itself, too
  ebb runs --since monday --outcome failed,killed
  ebb runs --name baseline --format csv

The service is your own, found by its store, or one that you name (--server, EBB_SERVER or the
setting service.server); one that only answers on this machine may be somebody else's.

Outcomes: waiting, running, done, paused, failed, killed, not_started, stopped_by_budget,
cancelled, and broken for a directory that cannot be read. What is not known is left empty. Runs on
a replayed grid clock have sums of their own.)";

struct RunsFlags {
  ServiceFlags service;
  std::vector<std::string> roots;
  std::string name, outcomes, user, since, until, limit;
  std::string format = "text";
  bool local = false;
};

// The runs that the user asks for, with times as moments.
struct Wanted {
  std::string name, user;
  std::vector<std::string> outcomes;
  std::optional<app::When> since, until;
  Time now{};
  long long limit = 1000;

  static Time MomentOf(const app::When& when, Time now) {
    const auto* at = std::get_if<Time>(&when);
    return at ? *at : now - std::get<Duration>(when);
  }
  // A run that goes on has not ended before any time.
  bool Holds(const PastRun& run) const {
    if (!name.empty() && run.name != name) return false;
    if (!user.empty() && run.user != user) return false;
    if (!outcomes.empty() && std::ranges::find(outcomes, run.outcome) == outcomes.end())
      return false;
    const std::optional<Time> at = run.ended ? run.ended : run.created;
    const bool goes_on = run.outcome == "waiting" || run.outcome == "running";
    if (since && (!at || (!goes_on && *at < MomentOf(*since, now)))) return false;
    return !until || (at && !goes_on && *at < MomentOf(*until, now));
  }
};

Result<Wanted> WantedBy(const RunsFlags& flags) {
  static const std::vector<std::string> known{
      "waiting",     "running",           "done",      "paused", "failed", "killed",
      "not_started", "stopped_by_budget", "cancelled", "broken"};
  Wanted wanted;
  wanted.name = flags.name;
  wanted.user = flags.user;
  wanted.now = platform::WallNow();
  if (!flags.outcomes.empty()) {
    for (const std::string_view field : Split(flags.outcomes, ',')) {
      const std::string outcome(Trim(field));
      if (std::ranges::find(known, outcome) == known.end())
        return Fail({ExitCode::kUsage,
                     Quoted(outcome) + " is not an outcome" + SuggestionText(outcome, known),
                     "--outcome", "choose from " + Join(known, ", ")});
      wanted.outcomes.push_back(outcome);
    }
  }
  EBB_ASSIGN_OR_RETURN(const auto zone, app::ZoneOfUser(""));
  if (!flags.since.empty()) {
    EBB_ASSIGN_OR_RETURN(wanted.since, app::PastOf("--since", flags.since, wanted.now, zone));
  }
  if (!flags.until.empty()) {
    EBB_ASSIGN_OR_RETURN(wanted.until, app::PastOf("--until", flags.until, wanted.now, zone));
  }
  EBB_ASSIGN_OR_RETURN(wanted.limit, LimitOf(flags.limit, wanted.limit));
  return wanted;
}

PastRun RunOf(const app::PastJob& job, bool replayed) {
  PastRun run;
  run.replayed = replayed;
  run.job = job.id;
  run.name = job.name;
  run.user = job.user;
  run.outcome = job.stage == "succeeded" ? "done" : job.stage;
  run.created = job.submitted;
  run.ended = job.ended;
  if (job.started) run.ran = job.ran;
  run.energy = job.energy;
  run.emissions = job.emissions;
  run.saved = job.saved();
  run.per_unit = job.per_unit;
  run.note = job.detail;
  return run;
}

// Adds jobs of the service. If the user named no service and none is there, nothing is reported.
Status AddJobs(const RunsFlags& flags, const Wanted& wanted, std::vector<PastRun>& runs,
               std::vector<std::string>& notes) {
  const bool is_named = !flags.service.server.empty() || !flags.service.store.empty();
  EBB_ASSIGN_OR_RETURN(const app::FoundService found,
                       app::FindService(flags.service, app::SourcesOfMachine()));
  if (!app::IsNamedOrOwn(found)) return {};
  app::HistoryFilter filter;
  filter.name = wanted.name;
  filter.user = wanted.user;
  filter.since = wanted.since;
  filter.until = wanted.until;
  filter.limit = wanted.limit;
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  const auto history = app::ReadHistory(client, filter);
  if (!history && is_named) return Fail(history.error());
  std::error_code ignored;
  EBB_ASSIGN_OR_RETURN(const std::string store, app::StorePathOf(flags.service.store));
  if (!history && fs::exists(store, ignored))
    notes.push_back("jobs of the service are left out: " + history.error().Message());
  if (!history) return {};
  for (const app::PastJob& job : history->jobs) runs.push_back(RunOf(job, history->replayed));
  if (found.store.empty() && !history->jobs.empty())
    notes.push_back("jobs are those of the service at " + found.url + " (" + found.origin + ")");
  return {};
}

std::string PlaceOf(const PastRun& run) {
  return run.directory.empty() ? "job " + std::to_string(run.job) : run.directory.string();
}

// Directories begin with the run's name, unless the user chose another path.
std::string NameBeside(const PastRun& run) {
  return run.directory.filename().string().starts_with(run.name + "-") ? "" : run.name;
}

// All figures of a run. The formats below choose some of them.
std::vector<Column> MadeColumns() {
  using R = const PastRun&;
  std::vector<Column> columns{
      Column::Text("where", &PlaceOf, "run"),
      Column::Text("name", &PastRun::name, "name", &NameBeside),
      Column::Text("outcome", &PastRun::outcome, "outcome",
                   [](R run) { return run.outcome + (run.replayed ? ", replay" : ""); }),
      {"emissions_g", [](R run) { return PlainOf(run.emissions, Grams); }, "emitted",
       [](R run) { return report::EmittedText(run.energy, run.emissions); }},
      {"energy_kwh", [](R run) { return PlainOf(run.energy, KilowattHours); }, "energy",
       [](R run) { return Maybe(run.energy, EnergyText); }},
      Column::Shown("per unit", [](R run) { return core::EnergyPerText(run.per_unit); }),
      {"saved_g", [](R run) { return PlainOf(run.saved, Grams); }, "saved",
       [](R run) { return Maybe(run.saved, SavedText); }},
      {"ran_s", [](R run) { return PlainOf(run.ran, Seconds); }, "ran",
       [](R run) { return Maybe(run.ran, FormatDuration); }},
      {"created", [](R run) { return PlainOf(run.created, FormatTime); }, "when",
       [](R run) { return Maybe(run.created, MomentText); }},
      Column::Text("user", &PastRun::user, "user"),
      {"ended", [](R run) { return PlainOf(run.ended, FormatTime); }},
      {"replayed", &PastRun::replayed},
      {"job",
       [](R run) { return run.directory.empty() ? Plain(run.job) : Plain(report::Omitted{}); }},
      {"directory", [](R run) { return OrOmitted(run.directory.string()); }},
      {"note", [](R run) { return OrOmitted(run.note); }},
  };
  for (const core::WorkUnit unit : core::kWorkUnits) AddWorkColumns(unit, columns);
  return columns;
}

// The columns with these keys, and those of units of work after `first`.
std::vector<Column> FileColumns(std::vector<std::string> first,
                                const std::vector<std::string>& last) {
  for (const core::WorkUnit unit : core::kWorkUnits) {
    first.push_back(std::string(core::Name(unit)) + "s");
    first.push_back(core::EnergyPerKey(unit));
    first.push_back(core::EmissionsPerKey(unit));
  }
  first.insert(first.end(), last.begin(), last.end());
  return Chosen(MadeColumns(), &Column::key, first);
}

std::string TableOf(const std::vector<PastRun>& runs) {
  const auto columns = Chosen(
      MadeColumns(), &Column::heading,
      {"run", "name", "outcome", "emitted", "energy", "per unit", "saved", "ran", "when", "user"});
  report::TextTable table = TableFor(report::Readers::kTerminal, columns, runs);
  table.whole = {0};
  return FittedText(std::move(table), 3, 7);
}

std::string CsvText(const std::vector<PastRun>& runs) {
  return CsvOf(FileColumns({"name", "user", "outcome", "created", "ended", "ran_s", "energy_kwh",
                            "emissions_g", "saved_g", "where", "note", "replayed"},
                           {}),
               runs);
}

struct RunsAnswer {
  std::vector<report::JsonRow<PastRun>> runs;
  std::vector<std::string> notes;
  void Describe(report::DescribedJson& json) const {
    json("schema", "", "ebb.runs/1")("runs", "", runs)("notes", "", notes);
  }
};

std::string JsonText(const std::vector<PastRun>& runs, const std::vector<std::string>& notes) {
  const auto columns = FileColumns({"name", "user", "outcome", "replayed", "created", "ended",
                                    "ran_s", "energy_kwh", "emissions_g", "saved_g"},
                                   {"job", "directory", "note"});
  return Indented(report::ToJson(RunsAnswer{JsonRowsOf(columns, runs), notes})) + "\n";
}

// Replays have totals of their own, because no real grid saw their savings.
std::string TotalsOf(const std::vector<PastRun>& runs) {
  PastTotals real, replayed;
  for (const PastRun& run : runs)
    (run.replayed ? replayed : real).Add(run.energy, run.emissions, run.saved, run.outcome);
  std::string text = real.IsEmpty() ? "" : real.Line("run");
  if (!replayed.IsEmpty()) text += kReplayed + replayed.Line("run");
  return text;
}

void SayNotes(const std::vector<PastRun>& runs, const std::vector<std::string>& notes) {
  for (const PastRun& run : runs)
    if (run.outcome == "broken") SayNote(PlaceOf(run) + ": " + run.note);
  for (const std::string& note : notes) SayNote(note);
}

Result<int> Runs(const RunsFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const Wanted wanted, WantedBy(flags));
  std::vector<PastRun> runs;
  std::vector<std::string> notes;
  const std::vector<std::string> roots =
      flags.roots.empty() ? std::vector<std::string>{app::RunOptions().output_dir} : flags.roots;
  std::error_code ignored;
  for (const std::string& root : roots) {
    // The user did not ask for the default root, so its absence is not an error.
    if (flags.roots.empty() && !fs::exists(root, ignored)) continue;
    app::RunsFound found = app::FindPastRuns(root, wanted.now);
    std::ranges::move(found.runs, std::back_inserter(runs));
    std::ranges::move(found.notes, std::back_inserter(notes));
  }
  const bool none_readable = !flags.roots.empty() && runs.empty() && !notes.empty();
  if (!flags.local) EBB_RETURN_IF_ERROR(AddJobs(flags, wanted, runs, notes));
  std::erase_if(runs, [&](const PastRun& run) { return !wanted.Holds(run); });
  std::ranges::stable_sort(runs, [](const PastRun& a, const PastRun& b) {
    return a.created.value_or(Time::max()) > b.created.value_or(Time::max());
  });
  const std::size_t all = runs.size();
  if (all > static_cast<std::size_t>(wanted.limit))
    runs.resize(static_cast<std::size_t>(wanted.limit));
  if (flags.format == "json") {
    std::fputs(JsonText(runs, notes).c_str(), stdout);
  } else if (flags.format == "csv") {
    std::fputs(CsvText(runs).c_str(), stdout);
  } else if (runs.empty()) {
    std::printf("no run matches\n");
  } else {
    std::fputs((TableOf(runs) + TotalsOf(runs)).c_str(), stdout);
  }
  if (flags.format != "json") SayNotes(runs, notes);
  if (all > runs.size())
    std::fprintf(stderr, "ebb: there are more; --limit N shows more than the newest %lld\n",
                 wanted.limit);
  return none_readable ? static_cast<int>(ExitCode::kUnavailable) : 0;
}

}  // namespace

void AddRunsCommand(Parser& parser) {
  Command& command = parser.Add("runs", "list runs with their figures", kExamples);
  auto flags = std::make_shared<RunsFlags>();
  command.OptionalPositionals("DIR", "folders of runs (default: runs)", &flags->roots);
  const auto into = [&](const FlagText& text, std::string RunsFlags::*field) {
    command.Flag(text, [flags, field](const std::string& value) { (*flags).*field = value; });
  };
  into({"since", "WHEN", "that ended since then, or still run: 2d, yesterday, 2026-10-01"},
       &RunsFlags::since);
  into({"until", "WHEN", "that ended before this time"}, &RunsFlags::until);
  into({"name", "NAME", "only runs of this name"}, &RunsFlags::name);
  into({"outcome", "OUTCOMES", "only these, comma-separated (see below)"}, &RunsFlags::outcomes);
  into({"user", "NAME", "only runs of this user: the owner of the files, or of the job"},
       &RunsFlags::user);
  into({"limit", "N", "at most N, the newest first (default 1000)"}, &RunsFlags::limit);
  command.Switch({"local", "", "only run directories: do not ask the queue service", "Service"},
                 [flags] { flags->local = true; });
  AddPlaceOfService(command, flags->service);
  into({"format", "text|json|csv", "output format", "Output"}, &RunsFlags::format);
  command.Action([flags] { return Runs(*flags); });
}

}  // namespace ebb::cli
