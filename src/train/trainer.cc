#include "train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"
#include "platform/file.h"
#include "train/adam.h"
#include "train/autocast.h"
#include "train/batch.h"
#include "train/checkpoint.h"
#include "train/device.h"
#include "train/learning.h"
#include "train/library_errors.h"
#include "train/libtorch.h"
#include "train/loss_scaler.h"
#include "train/model.h"
#include "train/progress.h"
#include "train/run_result.h"
#include "train/sampler.h"
#include "train/speed.h"
#include "train/stop_request.h"
#include "train/tensor_memory.h"
#include "train/training_state.h"

namespace ebb::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kReportInterval{200};
// Evaluation keeps no activations, so it may use larger batches than training without raising the
// memory peak.
constexpr std::size_t kMinEvaluationBatch = 32;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// What is decided once, before the run's objects are made.
struct Setup {
  ModelInfo model;
  torch::Device device;
  std::int64_t threads = 1;
  std::string precision_notice;
};

class Run {
 public:
  Run(const Options& options, const DataSplits& data, const Setup& setup, ProgressLog log);

  Status ResumeFromCheckpoint();
  Result<Outcome> Train();

 private:
  void BeginLog();
  void TrainEpoch();
  void Update(std::span<const std::uint32_t> samples);
  void ApplyGradients();
  void ReportStep(std::int64_t samples);
  void BeginReport();
  void FoldLoss();
  void FinishEpoch();
  void CheckpointOrWarn();
  Status Checkpoint();
  Result<Outcome> Pause();
  Result<Outcome> Finish();

  bool EpochComplete() const { return state_.epoch_updates == updates_per_epoch_; }
  std::int64_t EpochNumber() const { return std::min(state_.epoch + 1, options_.epochs); }
  platform::Path CheckpointPath() const {
    return platform::Path(options_.checkpoint_dir) / "checkpoint.safetensors";
  }
  CheckpointTensors Tensors() { return {*model_, *optimizer_, setup_.device}; }

  const Options& options_;
  const DataSplits& data_;
  const Setup& setup_;
  TensorMemoryScope memory_;
  BatchSource train_source_;
  BatchSource test_source_;
  BatchPlan plan_;
  std::int64_t updates_per_epoch_;
  RunSize size_;
  ProgressLog log_;
  ProgressDisplay display_;
  std::shared_ptr<Classifier> model_;
  std::unique_ptr<Adam> optimizer_;
  LossScaler scaler_;
  TrainingState state_;
  std::int64_t peak_before_resume_ = 0;
  bool resumed_ = false;

  torch::Tensor pending_loss_;  // sum over samples since the last FoldLoss, on the device
  Throttle report_throttle_{kReportInterval};
  Clock::time_point report_begin_;
  std::int64_t report_samples_ = 0;
  double report_loss_ = 0;  // sum over them, as far as it was folded in
};

BatchPlan PlanFor(const Options& options, std::size_t samples) {
  return {samples, static_cast<std::size_t>(options.batch_size),
          static_cast<std::size_t>(options.accumulation)};
}

RunSize SizeFor(const Options& options, std::size_t samples) {
  const auto updates = static_cast<std::int64_t>(PlanFor(options, samples).updates_per_epoch());
  return {updates * options.epochs, options.epochs};
}

Run::Run(const Options& options, const DataSplits& data, const Setup& setup, ProgressLog log)
    : options_(options),
      data_(data),
      setup_(setup),
      memory_(setup.device.type()),
      train_source_(data.train, setup.device),
      test_source_(data.test, setup.device),
      plan_(PlanFor(options, data.train.size())),
      updates_per_epoch_(static_cast<std::int64_t>(plan_.updates_per_epoch())),
      size_(SizeFor(options, data.train.size())),
      log_(std::move(log)),
      display_(options.progress, size_) {
  torch::manual_seed(options.seed);
  model_ = setup.model.make();
  model_->to(setup.device);
  UseFastMemoryFormat(*model_, setup.device, options.precision);
  model_->train();
  optimizer_ = std::make_unique<Adam>(*model_);
  pending_loss_ = torch::zeros({}, torch::dtype(torch::kFloat64).device(setup.device));
}

Status Run::ResumeFromCheckpoint() {
  std::error_code code;
  if (!std::filesystem::exists(CheckpointPath(), code)) {
    std::fprintf(stderr, "ebb-train: no checkpoint in %s yet, starting from the beginning\n",
                 options_.checkpoint_dir.c_str());
    return {};
  }
  EBB_ASSIGN_OR_RETURN(state_, LoadCheckpoint(CheckpointPath(), Tensors(), options_));
  if (state_.epoch > options_.epochs || state_.epoch_updates > updates_per_epoch_)
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
  while (state_.epoch < options_.epochs) {
    log_.EpochBegin(EpochNumber());
    TrainEpoch();
    if (StopRequested()) return Pause();
    FinishEpoch();
    CheckpointOrWarn();
  }
  return Finish();
}

void Run::TrainEpoch() {
  const auto permutation = EpochPermutation(
      {options_.seed, static_cast<std::uint64_t>(state_.epoch)}, data_.train.size());
  BeginReport();
  while (!EpochComplete() && !StopRequested()) {
    const auto begin = Clock::now();
    Update(plan_.Update(permutation, static_cast<std::size_t>(state_.epoch_updates)));
    if (EpochComplete()) FoldLoss();  // waits for the device, so that the epoch's time is whole
    state_.epoch_seconds += SecondsSince(begin);
    if (options_.checkpoint_every > 0 && state_.step % options_.checkpoint_every == 0)
      CheckpointOrWarn();
  }
}

void Run::Update(std::span<const std::uint32_t> samples) {
  const UpdateSettings settings{plan_.micro_batch, options_.precision,
                                options_.precision == Precision::kFp16 ? scaler_.scale() : 1.0};
  optimizer_->ClearGradients();
  const torch::Tensor loss = AddGradients(*model_, train_source_, samples, settings);
  ApplyGradients();
  const auto count = static_cast<std::int64_t>(samples.size());
  pending_loss_ += loss.to(torch::kFloat64) * static_cast<double>(count);
  ++state_.step;
  ++state_.epoch_updates;
  state_.epoch_samples += count;
  report_samples_ += count;
  if (report_throttle_.Due(Clock::now())) ReportStep(count);
}

void Run::ApplyGradients() {
  if (options_.precision == Precision::kFp16) {
    const bool finite = scaler_.Unscale(optimizer_->Gradients());
    scaler_.Update(finite);
    if (!finite) return;
  }
  optimizer_->Step(options_.learning_rate.At({state_.step, updates_per_epoch_, size_.total_steps}));
}

void Run::ReportStep(std::int64_t samples) {
  const std::int64_t reported = std::max(report_samples_, samples);
  FoldLoss();
  const double seconds = SecondsSince(report_begin_);
  const StepReport report{state_.step, EpochNumber(), report_loss_ / static_cast<double>(reported),
                          seconds > 0 ? static_cast<double>(reported) / seconds : 0};
  log_.Step(report);
  display_.Step(report);
  BeginReport();
}

void Run::BeginReport() {
  report_begin_ = Clock::now();
  report_samples_ = 0;
  report_loss_ = 0;
}

void Run::FoldLoss() {
  const double sum = pending_loss_.item<double>();
  state_.epoch_loss_sum += sum;
  report_loss_ += sum;
  pending_loss_.zero_();
}

void Run::FinishEpoch() {
  const UpdateSettings settings{std::max(plan_.micro_batch, kMinEvaluationBatch),
                                options_.precision, 1.0};
  const Evaluation evaluation = Evaluate(*model_, test_source_, settings);
  const double train_loss = state_.epoch_loss_sum / static_cast<double>(state_.epoch_samples);
  state_.history.push_back(
      {train_loss, evaluation.loss, evaluation.accuracy, state_.epoch_seconds});
  const EpochReport report{EpochNumber(), train_loss, evaluation.loss, evaluation.accuracy};
  ++state_.epoch;
  state_.epoch_updates = 0;
  state_.epoch_samples = 0;
  state_.epoch_loss_sum = 0;
  state_.epoch_seconds = 0;
  log_.EpochEnd(report);
  display_.EpochEnd(report);
}

Status Run::Checkpoint() {
  FoldLoss();
  state_.optimizer_steps = optimizer_->steps();
  state_.loss_scale = scaler_.state();
  state_.peak_tensor_bytes = std::max(peak_before_resume_, memory_.peak_bytes());
  EBB_RETURN_IF_ERROR(SaveCheckpoint(CheckpointPath(), Tensors(), state_, options_));
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
  EBB_RETURN_IF_ERROR(SaveModel(options_.model_save_path, *model_));
  const RunFacts facts{.train_samples = static_cast<std::int64_t>(data_.train.size()),
                       .test_samples = static_cast<std::int64_t>(data_.test.size()),
                       .device = setup_.device.is_cuda() ? "cuda" : "cpu",
                       .device_name = DeviceName(setup_.device),
                       .threads = setup_.threads,
                       .parameters_sha256 = ParametersSha256(*model_),
                       .torch_version = TORCH_VERSION,
                       .precision_notice = setup_.precision_notice};
  const platform::Path result_path = platform::Path(options_.run_dir) / "train_result.json";
  EBB_RETURN_IF_ERROR(WriteRunResult(result_path, options_, state_, facts));
  log_.End(state_.step);
  display_.Say("result in " + result_path.string() + ", model in " + options_.model_save_path);
  return Outcome::kFinished;
}

// What a reader of the run should know of its precision; it is also said at once.
std::string PrecisionNotice(const Options& options, torch::Device device) {
  if (options.precision == Precision::kFp32 || !device.is_cpu()) return "";
  const auto notice = EmulationNotice(options.precision, TryPrecision(options.precision));
  if (!notice) return "";
  std::fprintf(stderr, "ebb-train: warning: %s\n", notice->c_str());
  return *notice;
}

// Where the model goes is known to be writable before the epochs are spent.
Status EnsureModelFolder(const Options& options) {
  return platform::EnsureWritableDirectory(platform::Path(options.model_save_path).parent_path());
}

struct Fit {
  ModelInfo model;
  torch::Device device;
};

Result<Fit> FitOf(const Options& options, const DataSplits& data) {
  EBB_ASSIGN_OR_RETURN(ModelInfo model, FindModel(options.model));
  EBB_ASSIGN_OR_RETURN(const torch::Device device, SelectDevice(options.device));
  EBB_RETURN_IF_ERROR(RequirePrecisionSupported(options.precision, device.type()));
  if (model.input != data.train.shape)
    return Fail({ExitCode::kConfiguration,
                 "the model takes images of " + std::to_string(model.input.rows) + " x " +
                     std::to_string(model.input.columns) + ", the data has " +
                     std::to_string(data.train.shape.rows) + " x " +
                     std::to_string(data.train.shape.columns),
                 "--model " + options.model, "choose another --model or --data-dir"});
  return Fit{std::move(model), device};
}

Result<Setup> Prepare(const Options& options, const DataSplits& data) {
  EBB_ASSIGN_OR_RETURN(Fit fit, FitOf(options, data));
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(options.run_dir));
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(options.checkpoint_dir));
  EBB_RETURN_IF_ERROR(EnsureModelFolder(options));
  const std::int64_t threads = UseThreads(options.threads);
  return Setup{std::move(fit.model), fit.device, threads, PrecisionNotice(options, fit.device)};
}

Result<Outcome> TrainUnguarded(const Options& options, const DataSplits& data) {
  EBB_ASSIGN_OR_RETURN(const Setup setup, Prepare(options, data));
  EBB_ASSIGN_OR_RETURN(ProgressLog log,
                       ProgressLog::Open(platform::Path(options.run_dir) / "progress.jsonl",
                                         SizeFor(options, data.train.size())));
  Run run(options, data, setup, std::move(log));
  if (options.resume) EBB_RETURN_IF_ERROR(run.ResumeFromCheckpoint());
  return run.Train();
}

}  // namespace

Status CheckTraining(const Options& options, const DataSplits& data) {
  const auto fit = WithLibraryErrors([&] { return FitOf(options, data); });
  if (!fit) return Fail(fit.error());
  const bool in_run_dir = options.model_save_path.starts_with(options.run_dir + "/");
  return in_run_dir ? Status{} : EnsureModelFolder(options);
}

Result<Outcome> Train(const Options& options, const DataSplits& data) {
  return WithLibraryErrors([&] { return TrainUnguarded(options, data); });
}

}  // namespace ebb::train
