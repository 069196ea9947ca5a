// ebb history: ended jobs of the queue service.

#include <algorithm>
#include <cstdio>

#include "app/jobs/job_history.h"
#include "app/options/when.h"
#include "base/text.h"
#include "base/units_text.h"
#include "cli/command_line.h"
#include "cli/fitted_text.h"
#include "cli/local_times.h"
#include "cli/past_figures.h"
#include "cli/service_flags.h"
#include "platform/system_clock.h"
#include "report/run/known_emissions.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb history                              what ended last, with energy, emissions and saving
  ebb history --since yesterday --me
  ebb history --state failed --since 7d --columns job,name,exit,ended,detail
  ebb history --since 2026-10-01 --until 2026-11-01 --limit 100000 --format csv

Columns: job, name, user, tier, sweep, recurring, state, exit, devices, submitted, started, ended,
waited, ran, attempts, pauses, energy, emitted, saved, detail, and for programs that report their
work tokens, energy_per_token_j, emissions_per_token_g, and the same of samples and steps. CSV has
all of them, in plain units. What is not known is left empty.)";

constexpr const char* kDefaultColumns = "job,name,user,state,exit,ended,ran,energy,emitted,saved";

using app::PastJob;
using report::Plain;
using report::PlainOf;

using Column = report::Column<PastJob>;

std::optional<Duration> WaitedOf(const PastJob& job) {
  if (!job.submitted || !job.started) return std::nullopt;
  return *job.started - *job.submitted;
}
std::optional<Duration> RanOf(const PastJob& job) {
  return job.started ? std::optional(job.ran) : std::nullopt;
}
Plain Whole(long long number) { return static_cast<std::int64_t>(number); }

std::vector<Column> MadeColumns() {
  using J = const PastJob&;
  std::vector<Column> columns{
      {"job", [](J j) { return Whole(j.id); }, "job"},
      Column::Text("name", &PastJob::name, "name"),
      Column::Text("user", &PastJob::user, "user"),
      Column::Text("tier", &PastJob::tier, "tier"),
      {"sweep", [](J j) { return j.sweep > 0 ? Whole(j.sweep) : Plain(); }, "sweep"},
      Column::Text("recurring", &PastJob::recurring, "recurring"),
      Column::Text("state", &PastJob::stage, "state"),
      {"exit_code", [](J j) { return PlainOf(j.exit_code, Whole); }, "exit"},
      {"devices", [](J j) { return Whole(j.devices); }, "devices"},
      {"submitted", [](J j) { return PlainOf(j.submitted, FormatTime); }, "submitted",
       [](J j) { return Maybe(j.submitted, MomentText); }},
      {"started", [](J j) { return PlainOf(j.started, FormatTime); }, "started",
       [](J j) { return Maybe(j.started, MomentText); }},
      {"ended", [](J j) { return PlainOf(j.ended, FormatTime); }, "ended",
       [](J j) { return Maybe(j.ended, MomentText); }},
      {"waited_s", [](J j) { return PlainOf(WaitedOf(j), Seconds); }, "waited",
       [](J j) { return Maybe(WaitedOf(j), FormatDuration); }},
      {"ran_s", [](J j) { return PlainOf(RanOf(j), Seconds); }, "ran",
       [](J j) { return Maybe(RanOf(j), FormatDuration); }},
      {"attempts", [](J j) { return Whole(j.attempts); }, "attempts"},
      {"pauses", [](J j) { return Whole(j.pauses); }, "pauses"},
      {"energy_kwh", [](J j) { return PlainOf(j.energy, KilowattHours); }, "energy",
       [](J j) { return Maybe(j.energy, EnergyText); }},
      {"emissions_g", [](J j) { return PlainOf(j.emissions, Grams); }, "emitted",
       [](J j) { return report::EmittedText(j.energy, j.emissions); }},
      {"saved_g", [](J j) { return PlainOf(j.saved(), Grams); }, "saved",
       [](J j) { return Maybe(j.saved(), SavedText); }},
      Column::Text("detail", &PastJob::detail, "detail"),
  };
  for (const core::WorkUnit unit : core::kWorkUnits) AddWorkColumns(unit, columns);
  return columns;
}

const std::vector<Column>& Columns() {
  static const std::vector<Column> columns = MadeColumns();
  return columns;
}

std::vector<std::string> ColumnNames() {
  std::vector<std::string> names;
  for (const Column& column : Columns()) names.push_back(column.heading);
  return names;
}

Result<std::vector<Column>> ColumnsNamed(const std::string& text) {
  std::vector<std::string> chosen;
  const std::vector<std::string> names = ColumnNames();
  for (const std::string_view field : Split(text, ',')) {
    const std::string name(Trim(field));
    if (std::ranges::find(names, name) == names.end())
      return Fail({ExitCode::kUsage,
                   "there is no column " + Quoted(name) + SuggestionText(name, names), "--columns",
                   "choose from " + Join(names, ", ")});
    chosen.push_back(name);
  }
  return Chosen(Columns(), &Column::heading, chosen);
}

struct HistoryFlags {
  ServiceFlags service;
  std::string states, name, user, since, until, limit, columns;
  std::string format = "text";
};

Result<app::HistoryFilter> FilterOf(const HistoryFlags& flags) {
  static const std::vector<std::string> states{"succeeded", "failed", "cancelled"};
  app::HistoryFilter filter;
  if (!flags.states.empty())
    for (const std::string_view state : Split(flags.states, ','))
      if (std::ranges::find(states, state) == states.end())
        return Fail({ExitCode::kUsage,
                     "no job ends as " + Quoted(state) + SuggestionText(state, states), "--state",
                     "choose from " + Join(states, ", ") + "; ebb queue lists what has not ended"});
  filter.stages = flags.states;
  filter.name = flags.name;
  filter.user = flags.user;
  EBB_ASSIGN_OR_RETURN(const auto zone, app::ZoneOfUser(""));
  const Time now = platform::WallNow();
  if (!flags.since.empty()) {
    EBB_ASSIGN_OR_RETURN(filter.since, app::PastOf("--since", flags.since, now, zone));
  }
  if (!flags.until.empty()) {
    EBB_ASSIGN_OR_RETURN(filter.until, app::PastOf("--until", flags.until, now, zone));
  }
  EBB_ASSIGN_OR_RETURN(filter.limit, LimitOf(flags.limit, filter.limit));
  return filter;
}

std::string Table(const std::vector<PastJob>& jobs, const std::vector<Column>& columns) {
  report::TextTable table = TableFor(report::Readers::kTerminal, columns, jobs);
  table.ends_in_text = columns.back().is_text;
  return FittedText(std::move(table), 1, columns.size() - 1);
}

Result<int> History(const HistoryFlags& flags) {
  const bool csv = flags.format == "csv";
  const std::string otherwise = csv ? Join(ColumnNames(), ",") : kDefaultColumns;
  EBB_ASSIGN_OR_RETURN(const std::vector<Column> columns,
                       ColumnsNamed(flags.columns.empty() ? otherwise : flags.columns));
  EBB_ASSIGN_OR_RETURN(const app::HistoryFilter filter, FilterOf(flags));
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  EBB_ASSIGN_OR_RETURN(const app::JobHistory history, app::ReadHistory(client, filter));
  if (flags.format == "json") {
    std::fputs(history.json.c_str(), stdout);
    return 0;
  }
  if (csv) {
    std::fputs(CsvOf(columns, history.jobs).c_str(), stdout);
  } else if (history.jobs.empty()) {
    std::printf("no job has ended that matches\n");
  } else {
    PastTotals totals;
    for (const PastJob& job : history.jobs)
      totals.Add(job.energy, job.emissions, job.saved(), job.stage);
    const std::string clock = history.replayed ? kReplayed : "";
    std::fputs((Table(history.jobs, columns) + clock + totals.Line("job")).c_str(), stdout);
  }
  if (history.more)
    std::fprintf(stderr, "ebb: there are more; --limit N shows more than the newest %lld\n",
                 filter.limit);
  return 0;
}

}  // namespace

void AddHistoryCommand(Parser& parser) {
  Command& command =
      parser.Add("history", "list the jobs of the queue service that have ended", kExamples);
  auto flags = std::make_shared<HistoryFlags>();
  const auto into = [&](const FlagText& text, std::string HistoryFlags::*field) {
    command.Flag(text, [flags, field](const std::string& value) { (*flags).*field = value; });
  };
  into({"since", "WHEN", "that ended since then: 2d, yesterday, monday 6am, 2026-10-01"},
       &HistoryFlags::since);
  into({"until", "WHEN", "that ended before this time"}, &HistoryFlags::until);
  into({"state", "STATES", "only these, comma-separated: succeeded, failed, cancelled"},
       &HistoryFlags::states);
  into({"name", "NAME", "only jobs of this name"}, &HistoryFlags::name);
  into({"user", "NAME", "only jobs of this user (ebb submit --user)"}, &HistoryFlags::user);
  command.Switch({"me", "", "only your jobs: --user $EBB_USER, or your login name"},
                 [flags] { flags->user = NameOfMe(); });
  into({"limit", "N", "at most N, the newest first (default 1000)"}, &HistoryFlags::limit);
  into({"columns", "NAMES", "which columns, comma-separated (see below)"}, &HistoryFlags::columns);
  AddPlaceOfService(command, flags->service);
  into({"format", "text|json|csv", "json: the answer of the service, unchanged", "Output"},
       &HistoryFlags::format);
  command.Action([flags] { return History(*flags); });
}

}  // namespace ebb::cli
