#include "app/run/run_trackers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "platform/file.h"
#include "platform/web_address.h"
#include "trackers/mlflow.h"
#include "trackers/tensorboard.h"

namespace ebb::app {
namespace {

using trackers::Value;

constexpr std::uint64_t kLongestToken = 64 << 10;
constexpr double kJoulesPerKwh = 3.6e6;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// An Error if the file of the token cannot be read.
Result<trackers::MlflowServer> ServerOf(const core::Tracking& tracking) {
  trackers::MlflowServer server;
  server.url = tracking.mlflow;
  if (const std::string& file = tracking.mlflow_token_file; !file.empty()) {
    EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(file, kLongestToken));
    server.token = Trim(text);
    if (server.token.empty()) return Fail({ExitCode::kConfiguration, "holds no token", file, ""});
    return server;
  }
  server.token = Variable("MLFLOW_TRACKING_TOKEN");
  const std::string user = Variable("MLFLOW_TRACKING_USERNAME");
  if (!user.empty()) server.user_password = user + ":" + Variable("MLFLOW_TRACKING_PASSWORD");
  return server;
}

trackers::Texts ConfigurationOf(const core::RunSpec& spec) {
  trackers::Texts texts{{"command", Join(spec.command, " ")},
                        {"group", spec.group},
                        {"policy", spec.policy},
                        {"zone", spec.signal.zone},
                        {"signal", spec.signal.source},
                        {"signal_kind", std::string(Name(spec.signal.kind))},
                        {"pue", FormatExact(spec.pue.ratio)},
                        {"submitted", FormatTime(spec.submitted)},
                        {"host", spec.machine.host},
                        {"cpu", spec.machine.cpu_model},
                        {"gpus", Join(spec.machine.gpu_models, ", ")},
                        {"meters", Join(spec.meters, "; ")}};
  if (spec.threshold)
    texts.emplace_back("threshold_g_per_kwh", FormatExact(spec.threshold->g_per_kwh));
  if (const auto& training = spec.training) {
    texts.insert(texts.end(), {{"model", training->model},
                               {"dataset", training->dataset},
                               {"batch_size", std::to_string(training->batch_size)},
                               {"accumulation_steps", std::to_string(training->accumulation_steps)},
                               {"epochs", std::to_string(training->epochs)},
                               {"learning_rate", FormatExact(training->learning_rate)},
                               {"precision", training->precision},
                               {"seed", std::to_string(training->seed)}});
  }
  std::erase_if(texts, [](const auto& text) { return text.second.empty(); });
  return texts;
}

// Values of one moment and step; values that are unknown or not a number are left out.
class Values {
 public:
  Values(std::int64_t step, Time wall) : step_(step), wall_(wall) {}
  void Add(const char* key, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) values_.push_back({key, *value, step_, wall_});
  }
  std::vector<Value> Take() { return std::move(values_); }

 private:
  std::int64_t step_;
  Time wall_;
  std::vector<Value> values_;
};

}  // namespace

trackers::Outcome OutcomeOf(core::AttemptOutcome outcome) {
  switch (outcome) {
    case core::AttemptOutcome::kDone:
      return trackers::Outcome::kDone;
    case core::AttemptOutcome::kPaused:
      return trackers::Outcome::kPaused;
    case core::AttemptOutcome::kKilled:
    case core::AttemptOutcome::kStoppedByBudget:
      return trackers::Outcome::kKilled;
    default:
      return trackers::Outcome::kFailed;
  }
}

trackers::Outcome EndOf(engine::Stage stage, core::AttemptOutcome last) {
  if (stage == engine::Stage::kSucceeded) return trackers::Outcome::kDone;
  if (stage == engine::Stage::kCancelled) return trackers::Outcome::kKilled;
  return OutcomeOf(last) == trackers::Outcome::kKilled ? trackers::Outcome::kKilled
                                                       : trackers::Outcome::kFailed;
}

std::filesystem::path MlflowNoteIn(const std::filesystem::path& run_directory) {
  return run_directory / "mlflow.txt";
}

Result<trackers::BackgroundTracker::Make> MlflowOf(const core::Tracking& tracking,
                                                   const std::filesystem::path& note) {
  if (!core::IsMlflowServer(tracking.mlflow))
    return [directory = tracking.mlflow, note](const std::atomic<bool>&) {
      return trackers::MakeMlflowFiles(directory, note);
    };
  EBB_ASSIGN_OR_RETURN(const trackers::MlflowServer found, ServerOf(tracking));
  return [found, note](const std::atomic<bool>& cancelled) {
    trackers::MlflowServer server = found;
    server.cancelled = &cancelled;
    return trackers::MakeMlflowRest(std::move(server), note);
  };
}

Status CheckTrackers(const core::Tracking& tracking) {
  if (const auto target = core::CheckMlflowTarget(tracking.mlflow); !target)
    return Fail({target.error().code, "--mlflow: " + target.error().what, "", target.error().next});
  if (!core::IsMlflowServer(tracking.mlflow)) return {};
  EBB_ASSIGN_OR_RETURN(const trackers::MlflowServer server, ServerOf(tracking));
  return platform::CheckAddress(server.url, !server.token.empty() || !server.user_password.empty());
}

core::Tracking AbsoluteTracking(core::Tracking tracking) {
  for (std::string* path : {&tracking.tensorboard, &tracking.mlflow, &tracking.mlflow_token_file}) {
    std::error_code ignored;
    if (path->empty() || path->find("://") != std::string::npos) continue;
    *path = std::filesystem::absolute(*path, ignored).lexically_normal().string();
  }
  return tracking;
}

RunTrackers::RunTrackers(const core::Tracking& tracking, const core::RunSpec& spec,
                         const core::RunRecord& before, const std::filesystem::path& run_directory)
    : ran_before_(before.running_time()) {
  trackers::TrackedRun run;
  run.experiment = tracking.mlflow_experiment.empty() ? spec.group : tracking.mlflow_experiment;
  run.name = spec.name;
  run.run_id = spec.run_id;
  run.begin = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  run.configuration = ConfigurationOf(spec);
  const std::filesystem::path note = MlflowNoteIn(run_directory);
  std::error_code ignored;
  run.resumed = !before.attempts.empty() || std::filesystem::exists(note, ignored);
  const auto add = [&](const trackers::BackgroundTracker::Make& make) {
    trackers_.push_back(std::make_unique<trackers::BackgroundTracker>(make, run));
  };
  if (!tracking.tensorboard.empty())
    add([&](const auto&) { return trackers::MakeTensorBoard(tracking.tensorboard); });
  if (!tracking.mlflow.empty()) {
    if (const auto mlflow = MlflowOf(tracking, note))
      add(*mlflow);
    else
      notes_.push_back("nothing is sent to MLflow: " + mlflow.error().Message());
  }
  if (wanted()) report::AddRows(before.ledger, totals_);
}

void RunTrackers::OnBegin(const core::Attempt& attempt) { began_ = attempt.wall.begin; }

void RunTrackers::Log(const std::vector<Value>& values) {
  for (const auto& tracker : trackers_) tracker->Log(values);
}

void RunTrackers::OnRows(std::span<const core::LedgerRow> rows) {
  if (!wanted() || rows.empty()) return;
  report::AddRows(rows, totals_);
  const core::LedgerRow& last =
      *std::max_element(rows.begin(), rows.end(),
                        [](const auto& a, const auto& b) { return a.wall.end < b.wall.end; });
  const Duration ran = ran_before_ + std::max(last.wall.end - began_, Duration::zero());
  Values values(std::chrono::round<std::chrono::seconds>(ran).count(), last.wall.end);
  values.Add("energy/kwh", totals_.energy_j() / kJoulesPerKwh);
  values.Add("energy/power_w", totals_.cpu.power_w + totals_.gpu.power_w + totals_.ram.power_w);
  if (totals_.energy_j() > totals_.unaccounted_j)
    values.Add("carbon/emissions_g", totals_.emissions_g);
  if (totals_.unaccounted_j > 0)
    values.Add("energy/without_intensity_kwh", totals_.unaccounted_j / kJoulesPerKwh);
  if (last.intensity) values.Add("carbon/intensity_g_per_kwh", last.intensity->g_per_kwh);
  Log(values.Take());
}

void RunTrackers::OnProgress(std::span<const report::ProgressEvent> events) {
  if (!wanted()) return;
  for (const report::ProgressEvent& event : events) {
    if (event.event == "epoch_end" && event.epoch) {
      Values values(*event.epoch, event.time);
      values.Add("epoch/train_loss", event.train_loss);
      values.Add("epoch/test_loss", event.test_loss);
      values.Add("epoch/test_accuracy_percent", event.test_accuracy_percent);
      Log(values.Take());
    } else if (event.step) {
      Values values(*event.step, event.time);
      values.Add("train/loss", event.loss);
      values.Add("train/samples_per_second", event.samples_per_second);
      Log(values.Take());
    }
  }
}

std::vector<std::string> RunTrackers::TakeNotes() {
  std::vector<std::string> notes = std::exchange(notes_, {});
  for (const auto& tracker : trackers_)
    if (auto note = tracker->TakeNote()) notes.push_back(*std::move(note));
  return notes;
}

void RunTrackers::OnEnd(const core::Attempt& attempt, const report::Summary& summary) {
  if (!wanted()) return;
  Values values(0, attempt.wall.end);
  const core::LedgerTotals& totals = summary.totals;
  values.Add("summary/energy_kwh", totals.facility_energy.kwh());
  if (totals.energy_without_intensity == Energy{})
    values.Add("summary/emissions_g", totals.emissions.grams);
  if (summary.at_submission && summary.at_submission->saving)
    values.Add("summary/saved_g", summary.at_submission->saving->grams);
  values.Add("summary/waited_s", Seconds(summary.waited));
  values.Add("summary/running_time_s", Seconds(summary.running_time));
  values.Add("summary/water_l", summary.water_l);
  Log(values.Take());
  for (const auto& tracker : trackers_) tracker->End(OutcomeOf(attempt.outcome), attempt.wall.end);
}

void RunTrackers::OnFailure(Time wall) {
  for (const auto& tracker : trackers_) tracker->End(trackers::Outcome::kFailed, wall);
}

bool RunTrackers::WaitForEnd() {
  for (const auto& tracker : trackers_) tracker->WaitForEnd();
  return std::all_of(trackers_.begin(), trackers_.end(),
                     [](const auto& tracker) { return tracker->Delivered(); });
}

bool RunTrackers::HasEnded() const {
  return std::all_of(trackers_.begin(), trackers_.end(),
                     [](const auto& tracker) { return tracker->HasEnded(); });
}

}  // namespace ebb::app
