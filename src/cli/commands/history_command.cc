// ebb history: ended jobs of the queue service.

#include <algorithm>
#include <cstdio>

#include "app/jobs/job_history.h"
#include "app/options/when.h"
#include "base/csv.h"
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

// A column for people, and its form in a file.
struct Column {
  const char* name;
  const char* in_file;
  bool is_text;
  std::string (*shown)(const PastJob&);
  std::string (*written)(const PastJob&) = nullptr;  // the same
};

template <typename T, typename Text>
std::string Maybe(const std::optional<T>& value, Text text) {
  return value ? text(*value) : std::string();
}
std::optional<Duration> WaitedOf(const PastJob& job) {
  if (!job.submitted || !job.started) return std::nullopt;
  return *job.started - *job.submitted;
}
std::string SecondsText(Duration duration) { return FormatExact(Seconds(duration)); }
std::string GramsText(Emissions emissions) { return FormatExact(emissions.grams); }

template <core::WorkUnit kUnit>
const core::UnitUse* UseOf(const PastJob& job) {
  const auto use = std::ranges::find(job.per_unit, kUnit, &core::UnitUse::unit);
  return use == job.per_unit.end() ? nullptr : &*use;
}

// The columns of one unit of work: its count, its energy and its emissions.
template <core::WorkUnit kUnit>
void AddUnit(const char* count, const char* energy, const char* emissions,
             std::vector<Column>& columns) {
  using J = const PastJob&;
  columns.push_back({count, count, false, [](J j) {
                       const core::UnitUse* use = UseOf<kUnit>(j);
                       return use ? std::to_string(use->count) : std::string();
                     }});
  columns.push_back({energy, energy, false,
                     [](J j) {
                       const core::UnitUse* use = UseOf<kUnit>(j);
                       return use ? core::EnergyPerText(kUnit, use->joules) : std::string();
                     },
                     [](J j) {
                       const core::UnitUse* use = UseOf<kUnit>(j);
                       return use ? FormatExact(use->joules) : std::string();
                     }});
  columns.push_back({emissions, emissions, false,
                     [](J j) {
                       const core::UnitUse* use = UseOf<kUnit>(j);
                       return use && use->grams ? core::EmissionsPerText(kUnit, *use->grams)
                                                : std::string();
                     },
                     [](J j) {
                       const core::UnitUse* use = UseOf<kUnit>(j);
                       return use && use->grams ? FormatExact(*use->grams) : std::string();
                     }});
}

std::vector<Column> MadeColumns() {
  using J = const PastJob&;
  std::vector<Column> columns{
      {"job", "job", false, [](J j) { return std::to_string(j.id); }},
      {"name", "name", true, [](J j) { return j.name; }},
      {"user", "user", true, [](J j) { return j.user; }},
      {"tier", "tier", true, [](J j) { return j.tier; }},
      {"sweep", "sweep", false, [](J j) { return j.sweep > 0 ? std::to_string(j.sweep) : ""; }},
      {"recurring", "recurring", true, [](J j) { return j.recurring; }},
      {"state", "state", true, [](J j) { return j.stage; }},
      {"exit", "exit_code", false,
       [](J j) { return j.exit_code ? std::to_string(*j.exit_code) : std::string(); }},
      {"devices", "devices", false, [](J j) { return std::to_string(j.devices); }},
      {"submitted", "submitted", false, [](J j) { return Maybe(j.submitted, MomentText); },
       [](J j) { return Maybe(j.submitted, FormatTime); }},
      {"started", "started", false, [](J j) { return Maybe(j.started, MomentText); },
       [](J j) { return Maybe(j.started, FormatTime); }},
      {"ended", "ended", false, [](J j) { return Maybe(j.ended, MomentText); },
       [](J j) { return Maybe(j.ended, FormatTime); }},
      {"waited", "waited_s", false, [](J j) { return Maybe(WaitedOf(j), FormatDuration); },
       [](J j) { return Maybe(WaitedOf(j), SecondsText); }},
      {"ran", "ran_s", false, [](J j) { return j.started ? FormatDuration(j.ran) : std::string(); },
       [](J j) { return j.started ? SecondsText(j.ran) : std::string(); }},
      {"attempts", "attempts", false, [](J j) { return std::to_string(j.attempts); }},
      {"pauses", "pauses", false, [](J j) { return std::to_string(j.pauses); }},
      {"energy", "energy_kwh", false, [](J j) { return Maybe(j.energy, EnergyText); },
       [](J j) { return Maybe(j.energy, [](Energy e) { return FormatExact(e.kwh()); }); }},
      {"emitted", "emissions_g", false,
       [](J j) { return report::EmittedText(j.energy, j.emissions); },
       [](J j) { return Maybe(j.emissions, GramsText); }},
      {"saved", "saved_g", false, [](J j) { return Maybe(j.saved(), SavedText); },
       [](J j) { return Maybe(j.saved(), GramsText); }},
      {"detail", "detail", true, [](J j) { return j.detail; }},
  };
  AddUnit<core::WorkUnit::kToken>("tokens", "energy_per_token_j", "emissions_per_token_g", columns);
  AddUnit<core::WorkUnit::kSample>("samples", "energy_per_sample_j", "emissions_per_sample_g",
                                   columns);
  AddUnit<core::WorkUnit::kStep>("steps", "energy_per_step_j", "emissions_per_step_g", columns);
  return columns;
}

const std::vector<Column>& Columns() {
  static const std::vector<Column> columns = MadeColumns();
  return columns;
}

std::vector<std::string> ColumnNames() {
  std::vector<std::string> names;
  for (const Column& column : Columns()) names.emplace_back(column.name);
  return names;
}

Result<std::vector<Column>> ColumnsNamed(const std::string& text) {
  std::vector<Column> chosen;
  const std::vector<std::string> names = ColumnNames();
  for (const std::string_view field : Split(text, ',')) {
    const std::string name(Trim(field));
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      return Fail({ExitCode::kUsage,
                   "there is no column " + Quoted(name) + SuggestionText(name, names), "--columns",
                   "choose from " + Join(names, ", ")});
    chosen.push_back(Columns()[static_cast<std::size_t>(found - names.begin())]);
  }
  return chosen;
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

std::string Csv(const std::vector<PastJob>& jobs, const std::vector<Column>& columns) {
  std::vector<std::string> fields;
  for (const Column& column : columns) fields.emplace_back(column.in_file);
  std::string text = CsvLine(fields) + "\n";
  for (const PastJob& job : jobs) {
    fields.clear();
    for (const Column& column : columns)
      fields.push_back(column.written ? column.written(job) : column.shown(job));
    text += CsvLine(fields) + "\n";
  }
  return text;
}

std::string Table(const std::vector<PastJob>& jobs, const std::vector<Column>& columns) {
  report::TextTable table;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    table.headers.emplace_back(columns[i].name);
    if (columns[i].is_text) table.texts.push_back(i);
  }
  table.ends_in_text = columns.back().is_text;
  for (const PastJob& job : jobs) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const Column& column : columns) row.push_back(column.shown(job));
  }
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
    std::fputs(Csv(history.jobs, columns).c_str(), stdout);
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
