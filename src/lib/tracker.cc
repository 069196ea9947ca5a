#include "lib/tracker.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "app/run/run_files.h"
#include "app/run/run_log.h"
#include "app/run/run_outputs.h"
#include "app/run/run_surroundings.h"
#include "base/text.h"
#include "lib/ticking_meter.h"
#include "lib/work_report.h"
#include "local/process/measured_process.h"
#include "meter/sampling_clock.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/system.h"
#include "platform/system_clock.h"
#include "report/run/training_files.h"
#include "signals/make_feed.h"

namespace ebb::lib {
namespace {

using platform::Path;
using Steady = std::chrono::steady_clock;

// A wall clock for a program that handles signals itself: a signal does not end a sleep.
class WallClock final : public runtime::Clock {
 public:
  Time Now() const override {
    return std::chrono::floor<Duration>(std::chrono::system_clock::now());
  }
  Duration SinceBoot() const override { return platform::SinceBoot(); }
  runtime::Wake SleepUntil(Time deadline) override {
    std::this_thread::sleep_until(deadline);
    return runtime::Wake::kDeadline;
  }
};

constexpr app::FlagGroup kAccepted[] = {app::FlagGroup::kSignal,      app::FlagGroup::kPrice,
                                        app::FlagGroup::kClock,       app::FlagGroup::kMetering,
                                        app::FlagGroup::kOtherSignal, app::FlagGroup::kOutput};

Status CheckFlags(const app::FlagValues& flags) {
  std::vector<std::string> known;
  for (const app::FlagGroup group : kAccepted)
    for (const app::FlagHelp& flag : app::FlagsOf(group)) known.push_back(flag.name);
  const std::vector<app::FlagHelp> budget = app::FlagsOf(app::FlagGroup::kBudget);
  for (const auto& [name, value] : flags) {
    if (std::any_of(budget.begin(), budget.end(),
                    [&](const auto& flag) { return flag.name == name; }))
      return Fail({ExitCode::kUsage,
                   "\"" + name + "\": a program cannot be stopped by its own budget", "",
                   "run it with ebb track --" + name});
    if (std::find(known.begin(), known.end(), name) == known.end())
      return Fail({ExitCode::kUsage,
                   "\"" + name + "\" is not a flag of a tracker" + SuggestionText(name, known), "",
                   "ebb track --help lists them"});
  }
  return {};
}

// The command line of this process; empty if it cannot be read.
std::vector<std::string> OwnCommand() {
  const auto text = platform::ReadFile("/proc/self/cmdline", 1 << 20);
  std::vector<std::string> words;
  if (!text) return words;
  for (const std::string_view word : Split(*text, '\0')) words.emplace_back(word);
  if (!words.empty() && words.back().empty()) words.pop_back();
  return words;
}

std::string NameFor(const app::RunOptions& run, const TrackerOptions& options,
                    const std::vector<std::string>& command) {
  if (!run.name.empty()) return run.name;
  if (!options.default_name.empty()) return options.default_name;
  return command.empty() ? "program" : Path(command.front()).filename().string();
}

// Fills only the fields that a row of emissions.csv needs.
report::Summary SummaryOf(const Totals& totals, Interval wall) {
  report::Summary summary;
  summary.running_time = wall.length();
  summary.totals.cpu = totals.cpu;
  summary.totals.gpu = totals.gpu;
  summary.totals.ram = totals.ram;
  summary.totals.energy = totals.cpu + totals.gpu + totals.ram;
  summary.totals.facility_energy = totals.use.energy;
  summary.totals.energy_without_intensity = totals.use.without_intensity;
  summary.totals.emissions = totals.use.emissions;
  return summary;
}

// The longest time that a caller waits for a sample that a slow meter (or gateway) holds up.
constexpr std::chrono::seconds kLongestSample{5};
// A sample not older than this counts as current, because the sampler takes no two samples within a
// millisecond.
constexpr std::chrono::milliseconds kNow{2};

}  // namespace

struct Tracker::State final : local::AttemptObserver {
  explicit State(app::RunOptions run_options) : options(std::move(run_options)) {}

  std::string SettleZone();
  Status Open(const TrackerOptions& wanted, const std::vector<std::string>& settings_notes);
  Status Begin();
  Result<Totals> End(int exit_code);
  Status Store(const local::AttemptResult& result);
  void WaitForSample();
  void AfterReadings(const std::vector<core::EnergyReading>& readings,
                     const meter::Utilisation& utilisation);
  Totals Current();
  Totals Look() const;
  void Note(const char* kind, const std::string& text);

  Status OnBegin(const core::Attempt& attempt) override { return directory->BeginAttempt(attempt); }
  Status OnRows(std::span<const core::LedgerRow> rows) override {
    EBB_RETURN_IF_ERROR(directory->AppendRows(rows));
    prometheus->OnRows(rows);
    return {};
  }
  bool OnTick(const local::LiveFigures& figures) override {
    if (const auto failure = prometheus->OnTick(figures.elapsed)) log->Write("note: " + *failure);
    return false;
  }

  app::RunOptions options;
  WallClock wall;
  std::unique_ptr<app::Surroundings> surroundings;
  core::RunSpec spec;
  app::ClaimedGpus claimed;
  std::optional<report::RunDirectory> directory;
  std::string path;
  std::list<std::string> notes{""};  // the last one has all lines; callers may keep the others
  std::optional<app::RunLog> log;
  std::optional<WorkReport> progress;
  std::optional<app::PrometheusExport> prometheus;
  Steady::time_point began;

  mutable std::mutex calls;  // one call at a time; taken before `samples`
  bool stopped = false;
  Totals last;

  mutable std::mutex samples;  // guards the members below
  std::condition_variable sampled;
  Steady::time_point sampled_at;
  bool stopping = false;
  Energy cpu, gpu, ram;
  meter::MeanUtilisation mean;
  TickingMeter* meter = nullptr;  // owned by the process
  // The process is declared last, so that the sampler's thread ends before the members that it
  // uses.
  std::unique_ptr<local::MeasuredProcess> process;
};

void Tracker::State::Note(const char* kind, const std::string& text) {
  const std::string line = std::string(kind) + ": " + text;
  log->Write(line);
  notes.push_back(notes.back() + line + "\n");
}

// A training program still starts if the zone of its grid is unknown. Returns the note about the
// zone that is assumed, or about the origin of the zone.
std::string Tracker::State::SettleZone() {
  auto& signal = options.scheduler.signal;
  if (!signal.zone_origin.empty()) return "zone of " + signal.zone_origin;
  if (signal.source != signals::SignalSource::kProfile || !signal.zone.empty()) return "";
  signal.zone = signals::kFallbackZone;
  return "no zone is given, so grams are those of a typical day of " + signal.zone +
         "; give a zone or a country";
}

Status Tracker::State::Open(const TrackerOptions& wanted,
                            const std::vector<std::string>& settings_notes) {
  EBB_RETURN_IF_ERROR(app::CheckOutputs(options));
  const Time begin = options.scheduler.clock.start.value_or(wall.Now());
  const bool counts_tree = options.metering.scope == core::MeterScope::kProcessTree;
  if (const auto rank = app::FindLocalRank(); rank && counts_tree)
    claimed = app::ClaimGpus(*rank, options);
  const std::string zone_note = SettleZone();
  EBB_ASSIGN_OR_RETURN(surroundings,
                       app::OpenSurroundings(options, wall, begin, [] { return false; }));
  const std::vector<std::string> command = OwnCommand();
  spec = app::SpecOf(options, *surroundings, NameFor(options, wanted, command), wall.Now());
  spec.command = command;
  // The path is absolute, because the host program may change its working directory.
  path = platform::AbsolutePath(app::DirectoryFor(options, spec)).lexically_normal().string();
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(Path(path).parent_path()));
  EBB_ASSIGN_OR_RETURN(directory, report::RunDirectory::Create(path, spec));
  EBB_RETURN_IF_ERROR(app::WriteFlags(Path(path) / app::kOptionsFile, app::ToFlags(options)));
  EBB_ASSIGN_OR_RETURN(log, app::RunLog::Open(path));
  EBB_RETURN_IF_ERROR(progress.emplace().Open(Path(path) / report::kProgressFile));
  prometheus.emplace(options, spec, core::RunRecord{});
  if (!zone_note.empty()) Note("warning", zone_note);
  Note("note", spec.name + ": " + signals::Describe(surroundings->feed->identity()));
  for (const std::string& note : settings_notes) Note("warning", note);
  for (const std::string& note : surroundings->meters.notes) Note("note", note);
  if (!claimed.elsewhere.empty())
    Note("note", "counted by another rank of the job: GPU " + Join(claimed.elsewhere, ", "));
  return {};
}

Status Tracker::State::Begin() {
  local::AttemptOptions attempt;
  if (options.metering.scope == core::MeterScope::kProcessTree)
    attempt.running_root = platform::ProcessId();
  attempt.pue = options.metering.pue;
  attempt.other_feed = surroundings->other_feed.get();
  attempt.sampler.interval = options.metering.interval;
  attempt.sampler.scope = options.metering.scope;
  auto ticking = std::make_unique<TickingMeter>(
      std::move(surroundings->meters.meters), attempt.sampler,
      [this](const std::vector<core::EnergyReading>& readings,
             const meter::Utilisation& utilisation) { AfterReadings(readings, utilisation); });
  meter = ticking.get();
  began = Steady::now();
  EBB_ASSIGN_OR_RETURN(
      auto measured, local::MeasuredProcess::Start(attempt, std::move(ticking), *surroundings->feed,
                                                   surroundings->clock, *this));
  EBB_RETURN_IF_ERROR(progress->Say("begin"));
  const std::lock_guard lock(samples);
  process = std::move(measured);
  return {};
}

// Runs on the sampler's thread. Once stopping has begun, the caller takes in the last readings.
void Tracker::State::AfterReadings(const std::vector<core::EnergyReading>& readings,
                                   const meter::Utilisation& utilisation) {
  const std::lock_guard lock(samples);
  mean.Add(utilisation, Seconds(utilisation.wall.length()));
  for (const core::EnergyReading& reading : readings) {
    Energy& sum = reading.component == core::Component::kCpu   ? cpu
                  : reading.component == core::Component::kGpu ? gpu
                                                               : ram;
    sum += reading.energy;
  }
  if (process && !stopping) process->Tick();
  sampled_at = Steady::now();
  sampled.notify_all();
}

void Tracker::State::WaitForSample() {
  const Steady::time_point asked = Steady::now();
  meter->Mark();
  std::unique_lock lock(samples);
  sampled.wait_for(lock, kLongestSample, [&] { return sampled_at >= asked - kNow; });
}

Totals Tracker::State::Look() const {
  return {std::chrono::duration<double>(Steady::now() - began).count(),
          cpu,
          gpu,
          ram,
          process->use(),
          process->figures().power,
          mean.value()};
}

// The caller holds `calls`.
Totals Tracker::State::Current() {
  if (stopped) return last;
  WaitForSample();
  const std::lock_guard lock(samples);
  return Look();
}

Result<Totals> Tracker::State::End(int exit_code) {
  stopped = true;
  const Status reported = progress->End();
  if (!reported) log->Write("note: " + reported.error().Message());
  {
    const std::lock_guard lock(samples);
    stopping = true;
  }
  process->StopMeasuring();
  surroundings->feed->AwaitFirstAnswer();  // an answer asked for in the background
  last = Look();
  EBB_RETURN_IF_ERROR(Store(process->Finish({exit_code, false})));
  return last;
}

Status Tracker::State::Store(const local::AttemptResult& result) {
  for (const std::string& warning : result.warnings) log->Write("note: " + warning);
  EBB_RETURN_IF_ERROR(directory->EndAttempt(result.attempt));
  if (const auto failure = prometheus->OnEnd(result.attempt.wall.length()))
    log->Write("note: " + *failure);
  EBB_ASSIGN_OR_RETURN(core::RunRecord run, report::ReadRun(path));
  EBB_RETURN_IF_ERROR(app::StoreSurroundings(*directory, *surroundings, run));
  EBB_RETURN_IF_ERROR(app::StoreOutlook(path, *surroundings, run));
  EBB_ASSIGN_OR_RETURN(const app::RunViews views, app::WriteViews(path, std::move(run)));
  for (const std::string& note : app::PublishEmissions(options, views.record, views.summary, path))
    log->Write("note: " + note);
  if (views.summary.totals.energy_without_intensity > Energy{}) {
    const auto view = surroundings->feed->Observe(surroundings->clock.Now(), Duration::zero());
    if (!view) Note("warning", "the carbon intensity is not known: " + view.error().Message());
  }
  return {};
}

Tracker::Tracker(std::unique_ptr<State> state) : state_(std::move(state)) {}

Tracker::~Tracker() {
  if (!state_->stopped) std::ignore = Stop(0);
}

Result<EffectiveSettings> ReadSettings(const TrackerOptions& options) {
  EBB_RETURN_IF_ERROR(CheckFlags(options.flags));
  app::RunOptions run;
  EBB_ASSIGN_OR_RETURN(app::CodeCarbonFlags taken,
                       app::ApplyWithCodeCarbon(options.flags, options.codecarbon, run));
  EBB_RETURN_IF_ERROR(app::CheckOutputs(run));
  EffectiveSettings settings;
  settings.flags = app::ToFlags(run);
  // ToFlags leaves these flags out, because a run directory keeps them elsewhere.
  settings.flags["name"] = NameFor(run, options, OwnCommand());
  if (!run.group.empty()) settings.flags["group"] = run.group;
  if (run.quiet) settings.flags["quiet"] = "true";
  settings.notes = std::move(taken.notes);
  settings.experiment_name = std::move(taken.experiment_name);
  settings.rank = app::FindLocalRank();
  settings.counted_elsewhere = app::IsCountedElsewhere(settings.rank, run.metering.scope);
  return settings;
}

Result<std::unique_ptr<Tracker>> Tracker::Start(const TrackerOptions& options) {
  EBB_RETURN_IF_ERROR(CheckFlags(options.flags));
  app::RunOptions run;
  EBB_ASSIGN_OR_RETURN(const app::CodeCarbonFlags taken,
                       app::ApplyWithCodeCarbon(options.flags, options.codecarbon, run));
  if (app::IsCountedElsewhere(app::FindLocalRank(), run.metering.scope)) return nullptr;
  // The paths are absolute, because the host program may change its working directory.
  for (std::string* file : {&run.emissions_file, &run.prometheus_file})
    if (!file->empty()) *file = platform::AbsolutePath(*file).string();
  // Threads that begin here inherit the mask, so no signal of the host program reaches them.
  const meter::BlockAllSignals blocked;
  auto state = std::make_unique<State>(std::move(run));
  EBB_RETURN_IF_ERROR(state->Open(options, taken.notes));
  EBB_RETURN_IF_ERROR(state->Begin());
  return std::unique_ptr<Tracker>(new Tracker(std::move(state)));
}

const std::string& Tracker::directory() const { return state_->path; }
const std::string& Tracker::notes() const {
  const std::lock_guard calls(state_->calls);
  return state_->notes.back();
}

bool Tracker::stopped() const {
  const std::lock_guard calls(state_->calls);
  return state_->stopped;
}

Status Tracker::MarkEpoch(int number) {
  const std::lock_guard calls(state_->calls);
  if (state_->stopped)
    return Fail({ExitCode::kUsage, "the tracker is stopped: there is no epoch to end", "", ""});
  if (number < 1)
    return Fail({ExitCode::kUsage, "an epoch has the number " + std::to_string(number), "",
                 "count them from 1"});
  // A sample is taken now, so that the epoch's energy ends with the epoch.
  state_->meter->Mark();
  return state_->progress->Say("epoch_end", number);
}

Status Tracker::AddWork(const core::Work& work) { return state_->progress->Add(work); }

Totals Tracker::Now() {
  const std::lock_guard calls(state_->calls);
  return state_->Current();
}

report::EmissionsFields Tracker::Row() {
  const std::lock_guard calls(state_->calls);
  const Totals totals = state_->Current();
  core::RunRecord run;
  run.spec = state_->spec;
  core::Attempt attempt;
  // The attempt ends with the last measured interval, so that energy over time is power.
  attempt.wall = totals.mean.wall;
  attempt.cpu_utilisation_percent = totals.mean.cpu_percent;
  attempt.ram_used_gb = totals.mean.ram_gb;
  attempt.gpu_utilisation_percent = totals.mean.gpu_percent;
  run.attempts.push_back(attempt);
  report::EmissionsFields fields = report::EmissionsFieldsOf(run, SummaryOf(totals, attempt.wall));
  fields[kEnergyWithoutIntensity] = FormatExact(totals.use.without_intensity.kwh());
  return fields;
}

Result<Totals> Tracker::Stop(int exit_code) {
  const std::lock_guard calls(state_->calls);
  if (state_->stopped) return state_->last;
  return state_->End(exit_code);
}

}  // namespace ebb::lib
