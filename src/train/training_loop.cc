#include "train/training_loop.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "base/text.h"
#include "platform/file.h"
#include "train/checkpoint.h"
#include "train/loss_scaler.h"
#include "train/stop_request.h"

namespace ebb::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kReportInterval{200};

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Run {
 public:
  Run(Task& task, const LoopSettings& settings, const TensorMemoryScope& memory, ProgressLog log);

  Status ResumeFromCheckpoint();
  Result<Outcome> Train();

 private:
  void BeginLog();
  void TrainEpoch();
  void Update(std::span<const std::uint32_t> samples);
  void ApplyGradients();
  void ReportStep();
  void BeginReport();
  void FoldLoss();
  void FinishEpoch();
  void CheckpointOrWarn();
  Status Checkpoint();
  Result<Outcome> Pause();
  Result<Outcome> Finish();

  bool EpochComplete() const { return state_.epoch_updates == updates_per_epoch_; }
  std::int64_t EpochNumber() const { return std::min(state_.epoch + 1, settings_.epochs); }
  platform::Path CheckpointPath() const {
    return platform::Path(settings_.checkpoint_dir) / "checkpoint.safetensors";
  }
  CheckpointTensors Tensors() {
    return {task_.TrainedTensors(), task_.optimizer(), task_.device()};
  }

  Task& task_;
  const LoopSettings& settings_;
  const TensorMemoryScope& memory_;
  BatchPlan plan_;
  std::int64_t updates_per_epoch_;
  RunSize size_;
  ProgressLog log_;
  ProgressDisplay display_;
  LossScaler scaler_;
  TrainingState state_;
  std::int64_t peak_before_resume_ = 0;
  bool resumed_ = false;

  torch::Tensor pending_loss_;  // sum over samples since the last FoldLoss, on the device
  Throttle report_throttle_{kReportInterval};
  Clock::time_point report_begin_;
  std::int64_t report_weight_ = 0;
  std::int64_t report_samples_ = 0;
  std::int64_t report_tokens_ = 0;
  double report_loss_ = 0;  // sum over the weight, as far as it was folded in
};

BatchPlan PlanFor(const LoopSettings& settings, std::size_t samples) {
  return {samples, settings.micro_batch, settings.accumulation};
}

RunSize SizeFor(const LoopSettings& settings, std::size_t samples) {
  const auto updates = static_cast<std::int64_t>(PlanFor(settings, samples).updates_per_epoch());
  return {updates * settings.epochs, settings.epochs};
}

Run::Run(Task& task, const LoopSettings& settings, const TensorMemoryScope& memory, ProgressLog log)
    : task_(task),
      settings_(settings),
      memory_(memory),
      plan_(PlanFor(settings, task.samples())),
      updates_per_epoch_(static_cast<std::int64_t>(plan_.updates_per_epoch())),
      size_(SizeFor(settings, task.samples())),
      log_(std::move(log)),
      display_(settings.progress, size_) {
  pending_loss_ = torch::zeros({}, torch::dtype(torch::kFloat64).device(task.device()));
}

Status Run::ResumeFromCheckpoint() {
  std::error_code code;
  if (!std::filesystem::exists(CheckpointPath(), code)) {
    std::fprintf(stderr, "ebb-train: no checkpoint in %s yet, starting from the beginning\n",
                 settings_.checkpoint_dir.c_str());
    return {};
  }
  EBB_ASSIGN_OR_RETURN(state_, LoadCheckpoint(CheckpointPath(), Tensors(), settings_.fingerprint));
  if (state_.epoch > settings_.epochs || state_.epoch_updates > updates_per_epoch_)
    return Fail({ExitCode::kConfiguration, "the checkpoint is of a longer run or a larger data set",
                 CheckpointPath().string(), "start afresh without --resume"});
  scaler_ = LossScaler(state_.loss_scale);
  peak_before_resume_ = state_.peak_tensor_bytes;
  resumed_ = true;
  return {};
}

void Run::BeginLog() {
  if (!resumed_) return log_.Begin();
  log_.Resume(state_.step);
  display_.Say("resuming at step " + std::to_string(state_.step) + " of " +
               std::to_string(size_.total_steps));
}

// The run in one screen: train an epoch, evaluate, checkpoint, until done or asked to stop.
Result<Outcome> Run::Train() {
  BeginLog();
  while (state_.epoch < settings_.epochs) {
    log_.EpochBegin(EpochNumber());
    TrainEpoch();
    if (StopRequested()) return Pause();
    FinishEpoch();
    CheckpointOrWarn();
  }
  return Finish();
}

void Run::TrainEpoch() {
  const auto permutation =
      EpochPermutation({settings_.seed, static_cast<std::uint64_t>(state_.epoch)}, task_.samples());
  BeginReport();
  while (!EpochComplete() && !StopRequested()) {
    const auto begin = Clock::now();
    Update(plan_.Update(permutation, static_cast<std::size_t>(state_.epoch_updates)));
    if (EpochComplete()) FoldLoss();  // waits for the device, so that the epoch's time is whole
    state_.epoch_seconds += SecondsSince(begin);
    if (settings_.checkpoint_every > 0 && state_.step % settings_.checkpoint_every == 0)
      CheckpointOrWarn();
  }
}

void Run::Update(std::span<const std::uint32_t> samples) {
  task_.optimizer().ClearGradients();
  const UpdateLoss loss =
      task_.AddGradients({samples, state_.step, settings_.scales_loss ? scaler_.scale() : 1.0});
  ApplyGradients();
  pending_loss_ += loss.mean.to(torch::kFloat64) * static_cast<double>(loss.weight);
  ++state_.step;
  ++state_.epoch_updates;
  state_.epoch_samples += loss.weight;
  state_.epoch_tokens += loss.tokens;
  report_weight_ += loss.weight;
  report_samples_ += static_cast<std::int64_t>(samples.size());
  report_tokens_ += loss.tokens;
  if (report_throttle_.Due(Clock::now())) ReportStep();
}

void Run::ApplyGradients() {
  if (settings_.scales_loss) {
    const bool finite = scaler_.Unscale(task_.optimizer().Gradients());
    scaler_.Update(finite);
    if (!finite) return;
  }
  task_.BeforeStep();
  task_.optimizer().Step(
      settings_.learning_rate.At({state_.step, updates_per_epoch_, size_.total_steps}));
}

void Run::ReportStep() {
  FoldLoss();
  const double seconds = SecondsSince(report_begin_);
  const auto rate = [&](std::int64_t count) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
  };
  const StepReport report{
      state_.step, EpochNumber(),
      report_loss_ / static_cast<double>(std::max<std::int64_t>(1, report_weight_)),
      rate(report_samples_), rate(report_tokens_)};
  log_.Step(report);
  display_.Step(report);
  BeginReport();
}

void Run::BeginReport() {
  report_begin_ = Clock::now();
  report_weight_ = 0;
  report_samples_ = 0;
  report_tokens_ = 0;
  report_loss_ = 0;
}

void Run::FoldLoss() {
  const double sum = pending_loss_.item<double>();
  state_.epoch_loss_sum += sum;
  report_loss_ += sum;
  pending_loss_.zero_();
}

void Run::FinishEpoch() {
  const Evaluation evaluation = task_.Evaluate();
  const double train_loss =
      state_.epoch_loss_sum / static_cast<double>(std::max<std::int64_t>(1, state_.epoch_samples));
  state_.history.push_back({train_loss, evaluation.loss, evaluation.accuracy, state_.epoch_seconds,
                            state_.epoch_tokens});
  const EpochReport report{EpochNumber(),       train_loss,          evaluation.loss,
                           evaluation.accuracy, state_.epoch_tokens, state_.epoch_seconds};
  ++state_.epoch;
  state_.epoch_updates = 0;
  state_.epoch_samples = 0;
  state_.epoch_tokens = 0;
  state_.epoch_loss_sum = 0;
  state_.epoch_seconds = 0;
  log_.EpochEnd(report);
  display_.EpochEnd(report);
}

Status Run::Checkpoint() {
  FoldLoss();
  state_.optimizer_steps = task_.optimizer().steps();
  state_.loss_scale = scaler_.state();
  state_.peak_tensor_bytes = std::max(peak_before_resume_, memory_.peak_bytes());
  EBB_RETURN_IF_ERROR(SaveCheckpoint(CheckpointPath(), Tensors(), state_, settings_.fingerprint));
  log_.Checkpoint(state_.step);
  return {};
}

// A checkpoint that fails does not end a training that goes well: the previous one stays valid.
void Run::CheckpointOrWarn() {
  const Status saved = Checkpoint();
  if (saved) return;
  log_.CheckpointFailed(state_.step, saved.error().Message());
  display_.Finish();
  std::fprintf(stderr, "ebb-train: warning: no checkpoint at step %lld, training goes on: %s\n",
               static_cast<long long>(state_.step), saved.error().Message().c_str());
}

Result<Outcome> Run::Pause() {
  EBB_RETURN_IF_ERROR(Checkpoint());
  log_.Paused(state_.step);
  display_.Say("paused at step " + std::to_string(state_.step) + " of " +
               std::to_string(size_.total_steps) + "; continue with --resume");
  return Outcome::kPaused;
}

Result<Outcome> Run::Finish() {
  state_.peak_tensor_bytes = std::max(peak_before_resume_, memory_.peak_bytes());
  EBB_ASSIGN_OR_RETURN(const std::string where, task_.Finish(state_));
  log_.End(state_.step);
  display_.Say(where);
  return Outcome::kFinished;
}

}  // namespace

LoopSettings LoopOf(const RunOptions& options, nlohmann::ordered_json fingerprint) {
  return {.micro_batch = static_cast<std::size_t>(options.batch_size),
          .accumulation = static_cast<std::size_t>(options.accumulation),
          .epochs = options.epochs,
          .learning_rate = options.learning_rate,
          .seed = options.seed,
          .scales_loss = options.precision == Precision::kFp16,
          .checkpoint_every = options.checkpoint_every,
          .run_dir = options.run_dir,
          .checkpoint_dir = options.checkpoint_dir,
          .resume = options.resume,
          .progress = options.progress,
          .fingerprint = std::move(fingerprint)};
}

Result<Outcome> RunTraining(Task& task, const LoopSettings& settings,
                            const TensorMemoryScope& memory) {
  EBB_ASSIGN_OR_RETURN(ProgressLog log,
                       ProgressLog::Open(platform::Path(settings.run_dir) / "progress.jsonl",
                                         SizeFor(settings, task.samples())));
  Run run(task, settings, memory, std::move(log));
  if (settings.resume) EBB_RETURN_IF_ERROR(run.ResumeFromCheckpoint());
  return run.Train();
}

}  // namespace ebb::train
