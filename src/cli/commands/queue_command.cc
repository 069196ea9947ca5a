// ebb queue, show, explain, logs, tiers, and pause, resume, cancel, now: show the queue service and
// control single jobs.

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/jobs/find_job.h"
#include "base/columns.h"
#include "base/text.h"
#include "base/units_text.h"
#include "cli/command_line.h"
#include "cli/drain_text.h"
#include "cli/explanation_text.h"
#include "cli/fitted_text.h"
#include "cli/follow_log.h"
#include "cli/job_facts.h"
#include "cli/last_look.h"
#include "cli/local_times.h"
#include "cli/queue_sweeps.h"
#include "cli/say.h"
#include "cli/service_flags.h"
#include "cli/site_text.h"
#include "cli/tell_jobs.h"
#include "platform/file.h"
#include "platform/process_signals.h"
#include "platform/terminal.h"
#include "report/run/known_emissions.h"
#include "signals/http/web_request.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kQueueExamples = R"(
Examples:
  ebb queue                          what has not ended, and why it waits
  ebb queue --all                    what has ended, too
  ebb queue --failed                 what failed since you last looked, and why
  ebb queue --watch                  again every 2 s
  ebb queue --sweep digits           the experiments of a sweep, ranked by loss
  ebb queue --save-page queue.html   the service's page with what it shows now, in one file
  ebb queue --stage running,paused --format json)";

constexpr const char* kCancelExamples = R"(
Examples:
  ebb cancel 7
  ebb cancel 2 4 nightly             several, by number or name
  ebb cancel --sweep digits)";

constexpr const char* kShowExamples = R"(
Examples:
  ebb show 7
  ebb show nightly --format json)";

constexpr const char* kExplainExamples = R"(
Examples:
  ebb explain 7                      the reason, its numbers, the planned start, other sites)";

constexpr const char* kLogsExamples = R"(
Examples:
  ebb logs 7
  ebb logs 7 --follow                until the job has ended; Ctrl-C leaves the job alone
  ebb logs 7 --attempt 1             what it printed before its first pause)";

constexpr const char* kTiersExamples = R"(
Examples:
  ebb tiers                          names, thresholds, longest waits: for ebb submit --tier)";

constexpr const char* kPauseExamples = R"(
Examples:
  ebb pause 7                        a job that runs writes a checkpoint first; ebb resume 7 continues it
  ebb pause 7 8 nightly              several, by number or name)";

constexpr const char* kNowExamples = R"(
Examples:
  ebb now 7                          starts once devices are free, and is not paused for the grid
  ebb now 7 8 nightly                several, by number or name)";

// The columns of ebb queue that are left out if there is no room, the last one first.
constexpr std::size_t kBeforeFigures = 3, kFigures = 4;
constexpr Duration kBetweenPictures{2000};

struct QueueFlags {
  ServiceFlags service;
  std::string stage = "waiting,starting,running,pausing,paused";
  std::string name;
  std::string user;
  std::string limit = "1000";
  std::string job;
  std::vector<std::string> jobs;
  std::string attempt;
  std::string save_page;
  std::string sweep, rank_by;
  bool sweeps = false;
  bool watch = false;
  bool all = false;
  bool failed = false;
  bool follow = false;
};

std::string TextOf(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}
std::string NumberOf(const Json& json, const char* key, int digits) {
  return json.contains(key) && json[key].is_number() ? FormatFixed(json[key].get<double>(), digits)
                                                     : "";
}

std::string EnergyOf(double kwh) { return EnergyText(Energy::Joules(kwh * 3.6e6)); }
std::string EnergyCell(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_number() ? EnergyOf(json[key]) : "";
}
std::string EmissionsCell(const Json& json, const char* key) {
  return json.contains(key) && json[key].is_number() ? EmissionsText({json[key]}) : "";
}

// Unknown emissions are the word "unknown", if energy was used.
std::string EmittedCell(const Json& json) {
  std::optional<Emissions> emissions;
  if (json.contains("emissions_g") && json["emissions_g"].is_number())
    emissions = Emissions{json["emissions_g"]};
  return report::EmittedText(Energy::Joules(json.value("energy_kwh", 0.0) * 3.6e6), emissions);
}

Result<Json> Parsed(const std::string& answer) {
  Json json = Json::parse(answer, nullptr, false);
  if (json.is_discarded())
    return Fail({ExitCode::kUnavailable, "the service's answer is not JSON", "", ""});
  return json;
}

// The status of the service; empty while the service gives none.
Json StatusOf(const app::ServiceClient& client) {
  const auto answer = client.Get("/api/v1/status");
  return (answer ? Parsed(*answer) : Result<Json>(Fail(answer.error()))).value_or(Json::object());
}

// Times relative to the service's clock, which differs from the machine's if the service replays a
// grid.
LocalTimes TimesOf(const Json& status) { return LocalTimes::OfService(TextOf(status, "now")); }

// The reason why nothing starts, if the plan is not the reason.
std::string TroubleText(const Json& status) {
  std::string text;
  if (const std::string trouble = TextOf(status, "trouble"); !trouble.empty())
    text += "nothing starts: " + Printable(trouble) + "\n";
  if (const std::string trouble = TextOf(status, "device_trouble"); !trouble.empty())
    text += "no GPU can be given to a job: " + Printable(trouble) + "\n";
  return text + DrainLines(status.value("drain", Json()).dump(), TimesOf(status));
}

// "budget research 2026-11: 12.3 kWh of 500 kWh (12.3 kWh estimated), 3.21 kg of 120 kg"
std::string BudgetsText(const Json& status) {
  std::string text;
  const Json none = Json::array();
  for (const Json& budget : status.contains("budgets") ? status["budgets"] : none) {
    const std::string energy = EnergyCell(budget, "energy_kwh"),
                      energy_limit = EnergyCell(budget, "energy_limit_kwh"),
                      emissions = EmittedCell(budget),
                      emissions_limit = EmissionsCell(budget, "emissions_limit_g");
    text += "budget " + Printable(TextOf(budget, "namespace")) + " " + TextOf(budget, "month") +
            ": " + energy + (energy_limit.empty() ? "" : " of " + energy_limit);
    if (budget.value("estimated_kwh", 0.0) > 0)
      text += " (" + EnergyCell(budget, "estimated_kwh") + " estimated)";
    text += ", " + emissions + (emissions_limit.empty() ? "" : " of " + emissions_limit);
    text += TextOf(budget, "why").empty() ? "\n" : ": used up, new jobs wait\n";
  }
  return text;
}

std::string PathOf(const QueueFlags& flags) {
  std::string path = "/api/v1/jobs?limit=" + flags.limit;
  if (!flags.all) path += "&stage=" + flags.stage;
  if (!flags.name.empty()) path += "&name=" + signals::UrlEscape(flags.name);
  if (!flags.user.empty()) path += "&user=" + signals::UrlEscape(flags.user);
  return path;
}

// The used energy; empty if nothing was measured.
std::string UsedEnergyCell(const Json& job) {
  return job.value("energy_kwh", 0.0) > 0 ? EnergyCell(job, "energy_kwh") : "";
}

// "2", or "2 at norway" if the service has several sites. Of an elastic job those that it has now,
// or is to have next.
std::string DevicesCell(const Json& job) {
  const std::string site = TextOf(job, "site");
  std::string devices = NumberOf(job, "devices", 0);
  const Json planned = job.value("planned_devices", Json::array());
  if (job.contains("devices_now"))
    devices = NumberOf(job, "devices_now", 0);
  else if (!planned.empty())
    devices = planned.front().dump();
  return devices + (site.empty() ? "" : " at " + site);
}

report::TextTable TableOf(const Json& jobs, const LocalTimes& times) {
  report::TextTable table;
  table.headers = {"job", "name", "stage", "emitted", "energy", "expected", "devices", "reason"};
  table.ends_in_text = true;
  table.texts = {1, 2};
  for (const Json& job : jobs) {
    std::string reason = TextOf(job, "reason");
    const std::string stage = TextOf(job, "stage");
    if (reason.starts_with(stage + ": ")) reason = reason.substr(stage.size() + 2);
    if (!TextOf(job, "detail").empty()) reason = TextOf(job, "detail");
    table.rows.push_back({NumberOf(job, "id", 0), TextOf(job, "name"), stage, EmittedCell(job),
                          UsedEnergyCell(job), times.InText(TextOf(job, "expected_start")),
                          DevicesCell(job), times.InText(reason)});
  }
  return table;
}

// Jobs that failed since the user last asked for failed jobs.
struct Failed {
  Json jobs = Json::array();
  std::string answer;
  Time now;  // of the service
};

Result<Failed> FailedSince(const app::ServiceClient& client, const QueueFlags& flags,
                           const Json& status) {
  Failed failed;
  EBB_ASSIGN_OR_RETURN(failed.now, ParseTime(TextOf(status, "now")));
  const Time since = LastLook(client.place()).Since(failed.now);
  std::string path =
      "/api/v1/history?stage=failed&limit=1000&since=" + signals::UrlEscape(FormatTime(since));
  if (!flags.name.empty()) path += "&name=" + signals::UrlEscape(flags.name);
  if (!flags.user.empty()) path += "&user=" + signals::UrlEscape(flags.user);
  EBB_ASSIGN_OR_RETURN(failed.answer, client.Get(path));
  EBB_ASSIGN_OR_RETURN(Json json, Parsed(failed.answer));
  if (json.contains("jobs") && json["jobs"].is_array()) failed.jobs = std::move(json["jobs"]);
  return failed;
}

// "2 jobs failed since you last looked: ebb queue --failed"; empty if none did.
std::string FailedLine(const app::ServiceClient& client, const QueueFlags& flags,
                       const Json& status) {
  const auto failed = FailedSince(client, flags, status);
  if (!failed || failed->jobs.empty()) return "";
  const std::size_t count = failed->jobs.size();
  return std::to_string(count) + (count == 1 ? " job" : " jobs") +
         " failed since you last looked: ebb queue --failed\n";
}

Result<int> PrintFailed(const app::ServiceClient& client, const QueueFlags& flags) {
  const Json status = StatusOf(client);
  EBB_ASSIGN_OR_RETURN(const Failed failed, FailedSince(client, flags, status));
  const LocalTimes times = TimesOf(status);
  report::TextTable table;
  table.headers = {"job", "name", "user", "exit", "ended", "why"};
  table.ends_in_text = true;
  table.texts = {1, 2};
  for (const Json& job : failed.jobs)
    table.rows.push_back({NumberOf(job, "id", 0), TextOf(job, "name"), TextOf(job, "user"),
                          NumberOf(job, "exit_code", 0), times.InText(TextOf(job, "ended")),
                          times.InText(TextOf(job, "detail"))});
  const std::string text =
      table.rows.empty() ? "nothing failed since you last looked\n" : FittedText(std::move(table));
  std::fputs(flags.service.json ? failed.answer.c_str() : text.c_str(), stdout);
  // After a listing of a part of the queue, the user has not yet seen the rest.
  if (!flags.name.empty() || !flags.user.empty()) return 0;
  EBB_RETURN_IF_ERROR(LastLook(client.place()).Remember(failed.now));
  return 0;
}

Result<std::string> QueueText(const app::ServiceClient& client, const QueueFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const std::string answer, client.Get(PathOf(flags)));
  EBB_ASSIGN_OR_RETURN(const Json json, Parsed(answer));
  const Json status = StatusOf(client);
  report::TextTable table = TableOf(json["jobs"], TimesOf(status));
  const std::string whose = flags.user.empty() ? "" : " of " + Printable(flags.user);
  std::string text = SitesText(status.dump());
  if (!text.empty()) text += "\n";
  text += table.rows.empty() ? "nothing" + whose + " is in the queue\n"
                             : FittedText(std::move(table), kBeforeFigures, kFigures);
  text += TroubleText(status) + BudgetsText(status) + FailedLine(client, flags, status);
  if (json.contains("next")) text += "and more: ebb queue --limit N shows them\n";
  return text;
}

// Draws over the last picture. Lines without room on the terminal are left out, so that it never
// scrolls.
void Draw(const std::string& text) {
  const std::vector<std::string_view> lines = Split(text, '\n');
  const std::size_t count = lines.size() - 1;  // the text ends in a newline
  const std::size_t room = std::max<std::size_t>(platform::StdoutRows(), 4) - 1;
  const std::size_t shown = count > room ? room - 1 : count;
  std::string picture = "\x1b[H";
  for (std::size_t i = 0; i < shown; ++i)
    picture += CutTo(lines[i], platform::StdoutColumns()) + "\x1b[K\n";
  if (shown < count) picture += "... and " + std::to_string(count - shown) + " more lines\x1b[K\n";
  std::fputs((picture + "\x1b[J").c_str(), stdout);
  std::fflush(stdout);
}

// Draws until Ctrl-C. While the service does not answer, the last picture stays.
Result<int> Watch(const app::ServiceClient& client, const QueueFlags& flags) {
  platform::ProcessSignals signals;
  EBB_ASSIGN_OR_RETURN(std::string text, QueueText(client, flags));
  std::string trouble;
  std::fputs("\x1b[2J", stdout);
  for (;;) {
    Draw("every 2 s; Ctrl-C ends it" + trouble + "\n\n" + text);
    if (signals.WaitForStop(kBetweenPictures)) return 0;
    Result<std::string> next = QueueText(client, flags);
    trouble = next ? "" : "; " + Printable(next.error().what);
    if (next) text = *std::move(next);
  }
}

Status CheckWatch(const QueueFlags& flags) {
  if (!flags.watch) return {};
  if (flags.service.json || flags.sweeps || flags.failed || !flags.sweep.empty() ||
      !flags.save_page.empty())
    return Fail({ExitCode::kUsage, "shows the queue as a table and nothing else", "--watch",
                 "leave out --format, --failed, --sweep, --sweeps and --save-page"});
  if (!platform::StdoutIsTerminal())
    return Fail({ExitCode::kUsage, "redraws a terminal, and standard output is not one", "--watch",
                 "run ebb queue again when you want to look, or ebb wait JOB"});
  return {};
}

Result<int> Queue(const QueueFlags& flags) {
  EBB_RETURN_IF_ERROR(CheckWatch(flags));
  if (flags.sweeps) return PrintSweeps(flags.service);
  if (!flags.sweep.empty()) return PrintSweep(flags.service, flags.sweep, flags.rank_by);
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  if (!flags.save_page.empty()) {
    EBB_ASSIGN_OR_RETURN(const std::string page, client.Get("/saved.html"));
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(flags.save_page, page));
    return 0;
  }
  if (flags.failed) return PrintFailed(client, flags);
  if (flags.watch) return Watch(client, flags);
  EBB_ASSIGN_OR_RETURN(const std::string text,
                       flags.service.json ? client.Get(PathOf(flags)) : QueueText(client, flags));
  std::fputs(text.c_str(), stdout);
  return 0;
}

Result<int> Show(const QueueFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  EBB_ASSIGN_OR_RETURN(const long long job, app::FindJob(client, flags.job, app::JobsMeant::kAll));
  EBB_ASSIGN_OR_RETURN(const std::string answer, client.Get("/api/v1/jobs/" + std::to_string(job)));
  if (flags.service.json) {
    std::fputs(answer.c_str(), stdout);
    return 0;
  }
  EBB_ASSIGN_OR_RETURN(const std::string facts, JobFacts(answer, TimesOf(StatusOf(client))));
  std::fputs(ForStdout(facts).c_str(), stdout);
  return 0;
}

// Explains why a job waits, until when, and how much that saves.
Result<int> Explain(const QueueFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  EBB_ASSIGN_OR_RETURN(const long long number,
                       app::FindJob(client, flags.job, app::JobsMeant::kAll));
  EBB_ASSIGN_OR_RETURN(const std::string answer,
                       client.Get("/api/v1/jobs/" + std::to_string(number)));
  if (flags.service.json) {
    std::fputs(answer.c_str(), stdout);
    return 0;
  }
  EBB_ASSIGN_OR_RETURN(const std::string text, ExplanationText(answer, TimesOf(StatusOf(client))));
  std::fputs(ForStdout(text).c_str(), stdout);
  return 0;
}

Result<int> Logs(const QueueFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  EBB_ASSIGN_OR_RETURN(const long long job, app::FindJob(client, flags.job, app::JobsMeant::kAll));
  platform::ProcessSignals signals;
  PatientClient patient(client, signals);
  const auto attempt = ParseInteger(flags.attempt);
  if (!flags.follow) return PrintLog(client, job, attempt.value_or(0));
  return FollowLog(patient, job, attempt);
}

Result<int> Tiers(const QueueFlags& flags) {
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  EBB_ASSIGN_OR_RETURN(const std::string answer, client.Get("/api/v1/tiers"));
  if (flags.service.json) {
    std::fputs(answer.c_str(), stdout);
    return 0;
  }
  EBB_ASSIGN_OR_RETURN(const Json json, Parsed(answer));
  report::TextTable table;
  table.headers = {"tier", "threshold g/kWh", "longest wait", "priority"};
  for (const Json& tier : json["tiers"]) {
    table.rows.push_back({TextOf(tier, "name"), NumberOf(tier, "threshold", 0),
                          FormatDuration(DurationFromSeconds(tier["max_delay_s"])),
                          NumberOf(tier, "priority", 0)});
  }
  std::fputs(FittedText(std::move(table)).c_str(), stdout);
  return 0;
}

using Run = Result<int> (*)(const QueueFlags&);

std::shared_ptr<QueueFlags> AddLooking(Parser& parser, const char* name, const char* help,
                                       const char* examples, bool with_job, Run run,
                                       Command** made = nullptr) {
  Command& command = parser.Add(name, help, examples);
  auto flags = std::make_shared<QueueFlags>();
  if (with_job) command.Positional("JOB", "its number or name", &flags->job);
  AddServiceFlags(command, flags->service);
  command.Action([flags, run] { return run(*flags); });
  if (made) *made = &command;
  return flags;
}

void AddTelling(Parser& parser, const char* name, const char* help, const char* examples) {
  Command& command = parser.Add(name, help, examples);
  auto flags = std::make_shared<QueueFlags>();
  command.Positionals("JOB", "numbers or names", &flags->jobs);
  AddServiceFlags(command, flags->service);
  command.Action(
      [flags, what = std::string(name)] { return TellJobs(flags->service, flags->jobs, what); });
}

void AddCancelling(Parser& parser) {
  Command& command =
      parser.Add("cancel", "end jobs of the queue service or a sweep for good", kCancelExamples);
  auto flags = std::make_shared<QueueFlags>();
  command.OptionalPositionals("JOB", "numbers or names", &flags->jobs);
  command.Flag({"sweep", "NAME", "all jobs of this sweep that have not ended (name or number)"},
               [flags](const std::string& text) { flags->sweep = text; });
  AddServiceFlags(command, flags->service);
  command.Action([flags]() -> Result<int> {
    if (flags->jobs.empty() == flags->sweep.empty())
      return Fail({ExitCode::kUsage, "give numbers or names of jobs, or --sweep NAME", "", ""});
    if (!flags->sweep.empty()) return CancelSweep(flags->service, flags->sweep);
    return TellJobs(flags->service, flags->jobs, "cancel");
  });
}

}  // namespace

void AddQueueCommands(Parser& parser) {
  Command* queue = nullptr;
  auto flags = AddLooking(parser, "queue", "list the jobs of the queue service and why each waits",
                          kQueueExamples, false, Queue, &queue);
  queue->Flag({"stage", "STAGES", "only these, comma-separated"},
              [flags](const std::string& text) { flags->stage = text; });
  queue->Flag({"name", "NAME", "only jobs of this name"},
              [flags](const std::string& text) { flags->name = text; });
  queue->Flag({"user", "NAME", "only jobs of this user (ebb submit --user)"},
              [flags](const std::string& text) { flags->user = text; });
  queue->Switch({"me", "", "only your jobs: --user $EBB_USER, or your login name"},
                [flags] { flags->user = NameOfMe(); });
  queue->Flag({"sweep", "NAME", "the experiments of this sweep, ranked (name or number)"},
              [flags](const std::string& text) { flags->sweep = text; });
  queue->Flag({"rank-by", "loss|energy|emissions",
               "with --sweep, the least first: loss (default), or energy or emissions per unit of "
               "work"},
              [flags](const std::string& text) { flags->rank_by = text; });
  queue->Switch({"sweeps", "", "the sweeps that were submitted, the newest first"},
                [flags] { flags->sweeps = true; });
  queue->Flag({"limit", "N", "at most N (default 1000)"},
              [flags](const std::string& text) { flags->limit = text; });
  queue->Flag({"save-page", "FILE", "save the service's page as one HTML file"},
              [flags](const std::string& text) { flags->save_page = text; });
  queue->Switch({"watch", "", "redraw every 2 s on a terminal, until Ctrl-C"},
                [flags] { flags->watch = true; });
  queue->Switch({"failed", "", "what failed since you last asked for that, and why"},
                [flags] { flags->failed = true; });
  queue->Switch({"all", "", "include jobs that have ended"}, [flags] { flags->all = true; });
  AddLooking(parser, "show", "everything about one job of the queue service", kShowExamples, true,
             Show);
  AddLooking(parser, "explain", "why a job waits, until when, and what that saves",
             kExplainExamples, true, Explain);
  Command* logs = nullptr;
  auto log_flags =
      AddLooking(parser, "logs", "what a job printed", kLogsExamples, true, Logs, &logs);
  logs->Switch({"follow", "", "keep printing until the job has ended"},
               [log_flags] { log_flags->follow = true; });
  logs->Flag({"attempt", "N", "only this attempt (default: the last)"},
             [log_flags](const std::string& text) { log_flags->attempt = text; });
  AddLooking(parser, "tiers", "the tiers that jobs can be submitted in", kTiersExamples, false,
             Tiers);
  AddTelling(parser, "pause", "hold jobs of the queue service until they are resumed",
             kPauseExamples);
  AddCancelling(parser);
  AddTelling(parser, "now", "run jobs of the queue service now, whatever the grid", kNowExamples);
}

}  // namespace ebb::cli
