// ebb top: power, progress and grams of jobs and devices, live in a terminal.

#include <cstdio>

#include "app/jobs/service_client.h"
#include "base/columns.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/error_text.h"
#include "cli/explanation_text.h"
#include "cli/fitted_text.h"
#include "cli/service_flags.h"
#include "cli/tell_jobs.h"
#include "cli/top/progress_rates.h"
#include "cli/top/top_model.h"
#include "cli/top/top_tables.h"
#include "platform/full_screen.h"
#include "platform/process_signals.h"
#include "platform/terminal.h"
#include "report/json_parts.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb top                            live; h shows the keys, q ends it
  ebb top --sort power --interval 5s
  ebb top --once                     one look, as plain tables
  ebb top --format json              one look, for scripts

Keys: arrows or j and k select a job, s sorts, e explains, p pauses or resumes, x cancels after a
question. They do what ebb explain, pause, resume and cancel do, and need the token as these do.
A progress with ~ is run time by the plan; the others are what programs report
(docs/training-program.md). Clean and dirty hours are the cleanest and the dirtiest third of the
next 24 hours.)";

// A service that takes longer than this is shown as one that does not answer: keys have to work.
constexpr Duration kPatience{3000};
// Forecasts change a few times a day, and their answer is long.
constexpr Duration kBetweenGrids{60'000};
// The bytes of one key come together; a pause between them means that they are several.
constexpr Duration kWithinKey{50};
constexpr Duration kShortest{500}, kLongest{std::chrono::hours{1}};

struct TopFlags {
  app::ServicePlace service;
  std::string order = "stage", interval = "2s";
  bool once = false, json = false;
};

Duration SteadyNow() {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

// Asks the service again and again.
class Look {
 public:
  explicit Look(app::ServiceClient client) : client_(std::move(client)) {}

  Result<TopSample> Take() {
    TopAnswers answers;
    EBB_ASSIGN_OR_RETURN(answers.status, client_.Get("/api/v1/status"));
    EBB_ASSIGN_OR_RETURN(answers.active, client_.Get(kActiveJobsPath));
    EBB_ASSIGN_OR_RETURN(answers.waiting, client_.Get(kWaitingJobsPath));
    const Duration now = SteadyNow();
    if (!grid_taken_ || now - *grid_taken_ >= kBetweenGrids) {
      grid_ = client_.Get("/api/v1/grid").value_or("");
      grid_taken_ = now;
    }
    answers.grid = grid_;
    EBB_ASSIGN_OR_RETURN(TopSample sample, ReadTopSample(answers));
    rates_.Follow(sample, now);
    return sample;
  }
  const app::ServiceClient& client() const { return client_; }

 private:
  app::ServiceClient client_;
  ProgressRates rates_;
  std::string grid_;
  std::optional<Duration> grid_taken_;
};

// The model at the terminal: draws, waits, and carries out what keys ask for.
class LiveTop {
 public:
  LiveTop(Look look, TopModel model, Duration interval, platform::FullScreen& screen,
          platform::ProcessSignals& signals)
      : look_(std::move(look)),
        model_(std::move(model)),
        interval_(interval),
        screen_(screen),
        signals_(signals) {}

  // Returns when somebody ends it, or when the terminal is gone.
  void Run() {
    Duration due = SteadyNow() + interval_;
    while (!has_ended_ && !screen_.is_gone()) {
      Draw();
      const Duration left = due - SteadyNow();
      const std::string typed =
          screen_.Wait(keys_.is_amid() ? kWithinKey : left, signals_.descriptor());
      if (signals_.TakeAll()) return;
      const bool gives_up = typed.empty() && keys_.is_amid();
      for (const KeyPress& press : gives_up ? keys_.GiveUp() : keys_.Read(typed)) Press(press);
      if (!has_ended_ && (is_stale_ || SteadyNow() >= due)) {
        Refresh();
        due = SteadyNow() + interval_;
      }
    }
  }

 private:
  void Refresh() {
    is_stale_ = false;
    Result<TopSample> sample = look_.Take();
    if (sample)
      model_.Take(*std::move(sample));
    else
      model_.Lost(Printable(sample.error().what));
  }
  void Draw() {
    std::vector<std::string> lines;
    for (const ScreenLine& line :
         model_.Screen(platform::StdoutColumns(), platform::StdoutRows(), Times()))
      lines.push_back(Painted(line));
    screen_.Draw(lines);
  }
  static std::string Painted(const ScreenLine& line) {
    if (line.look == ScreenLine::Look::kTitle) return "\x1b[1m" + line.text;
    return line.look == ScreenLine::Look::kSelected ? "\x1b[7m" + line.text : line.text;
  }
  LocalTimes Times() const { return LocalTimes::Of(model_.sample().now); }

  void Press(const KeyPress& press) {
    const TopCommand command = model_.Press(press);
    switch (command.action) {
      case TopAction::kQuit:
        has_ended_ = true;
        return;
      case TopAction::kSuspend:
        return screen_.Suspend();
      case TopAction::kExplain:
        return Explain(command.job);
      case TopAction::kPause:
        return Tell(command.job, "pause");
      case TopAction::kResume:
        return Tell(command.job, "resume");
      case TopAction::kCancel:
        return Tell(command.job, "cancel");
      case TopAction::kNone:
        return;
    }
  }
  void Explain(long long job) {
    const auto answer = look_.client().Get("/api/v1/jobs/" + std::to_string(job));
    const auto text = answer ? ExplanationText(*answer, Times()) : Fail(answer.error());
    if (text)
      model_.Show("explain " + std::to_string(job), *text);
    else
      SayError(text.error());
  }
  void Tell(long long job, const std::string& what) {
    const auto line = TellJob(look_.client(), std::to_string(job), what);
    if (line)
      model_.Say(std::string(Trim(*line)));
    else
      SayError(line.error());
    is_stale_ = true;
  }
  void SayError(const Error& error) {
    model_.Say(Printable(error.what + (error.next.empty() ? "" : "; " + error.next)));
  }

  Look look_;
  TopModel model_;
  Duration interval_;
  platform::FullScreen& screen_;
  platform::ProcessSignals& signals_;
  KeyReader keys_;
  bool has_ended_ = false, is_stale_ = false;
};

std::string OnceText(TopSample sample, TopOrder order) {
  Sort(sample.jobs, order);
  const LocalTimes times = LocalTimes::Of(sample.now);
  std::string text;
  for (const std::string& line : TopHeader(sample, times))
    text += CutTo(line, platform::StdoutColumns()) + "\n";
  if (!sample.jobs.empty())
    text += "\n" + FittedText(TopJobTable(sample.jobs, times), kTopFirstExtra, kTopExtras);
  if (sample.left_out > 0)
    text += "and " + std::to_string(sample.left_out) + " more wait: ebb queue shows them\n";
  if (!sample.devices.empty()) text += "\n" + FittedText(TopDeviceTable(sample.devices));
  return text;
}

// An Error for a person who may have single runs and no service.
Error WithoutService(Error error) {
  if (error.code != ExitCode::kUnavailable) return error;
  error.next += (error.next.empty() ? "" : "\n") +
                std::string("ebb top shows jobs of a service; `ebb runs` lists runs without one");
  return error;
}

Status CheckTerminal() {
  if (platform::StdoutIsTerminal() && platform::StdinIsTerminal()) return {};
  return Fail({ExitCode::kUsage, "ebb top draws a terminal, and this is not one", "",
               "--once prints one look, --format json is for scripts"});
}

Result<int> Top(const TopFlags& flags) {
  const bool is_live = !flags.once && !flags.json;
  if (is_live) EBB_RETURN_IF_ERROR(CheckTerminal());
  const auto interval = ParseDuration(flags.interval);
  if (!interval || *interval < kShortest || *interval > kLongest)
    return Fail({ExitCode::kUsage, "--interval: " + Quoted(flags.interval) + " is not accepted", "",
                 "give 500ms to 1h, for example 5s"});
  const TopOrder order = TopOrderFromName(flags.order).value_or(TopOrder::kStage);
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags.service));
  std::optional<platform::ProcessSignals> signals;
  if (is_live) signals.emplace();
  Look look(is_live ? client.Within(kPatience) : client);
  Result<TopSample> first = look.Take();
  if (!first) return Fail(WithoutService(first.error()));
  if (flags.json) {
    std::fputs(
        report::Document(report::Json::parse(report::ToJson(*first), nullptr, false)).c_str(),
        stdout);
    return 0;
  }
  if (flags.once) {
    std::fputs(OnceText(*std::move(first), order).c_str(), stdout);
    return 0;
  }
  TopModel model(order);
  model.Take(*std::move(first));
  EBB_ASSIGN_OR_RETURN(const auto screen, platform::FullScreen::Open());
  LiveTop(std::move(look), std::move(model), *interval, *screen, *signals).Run();
  return 0;
}

}  // namespace

void AddTopCommand(Parser& parser) {
  Command& command =
      parser.Add("top", "power, progress and grams of jobs and devices, live", kExamples);
  auto flags = std::make_shared<TopFlags>();
  AddPlaceOfService(command, flags->service);
  command.Switch({"once", "", "print one look and end", "Output"}, [flags] { flags->once = true; });
  command.Flag({"format", "text|json", "json: one look, for scripts", "Output"},
               [flags](const std::string& text) { flags->json = text == "json"; });
  command.Flag({"sort", "stage|power|grams|energy|progress|elapsed|end|number",
                "the order of the jobs at first (default stage: what runs comes first)", "Output"},
               [flags](const std::string& text) { flags->order = text; });
  command.Flag({"interval", "DURATION", "time between two looks (default 2s)", "Output"},
               [flags](const std::string& text) { flags->interval = text; });
  command.Action([flags] { return Top(*flags); });
}

}  // namespace ebb::cli
