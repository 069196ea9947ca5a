#include "train/loop/training_loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/text.h"
#include "platform/file.h"
#include "train/devices/finite.h"
#include "train/learning/loss_scaler.h"
#include "train/loop/rank_share_control.h"
#include "train/loop/stop_request.h"

namespace ebb::train {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kReportInterval{200};

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Run {
 public:
  Run(Task& task, const LoopSettings& settings, const TensorMemoryScope& memory,
      std::optional<ProgressLog> log);

  Status ResumeFromCheckpoint();
  Result<Outcome> Train();

 private:
  enum class Applied { kYes, kSkipped };

  void BeginLog();
  Status TrainEpoch();
  Status Update(std::span<const std::uint32_t> samples);
  UpdateLoss AddMyGradients(std::span<const std::uint32_t> samples);
  Status Combine(UpdateLoss& loss);
  Applied ApplyGradients(const UpdateLoss& loss);
  void LookForDivergence();
  void LookAtTensors();
  void Diverge(std::int64_t step, const std::string& reason);
  Error AfterDivergence();
  void ReportStep();
  void BeginReport();
  void FoldLoss();
  bool FoundMicroBatch();
  Result<bool> FoundShares();
  Result<Evaluation> Evaluate();
  Status FinishEpoch();
  void CheckpointOrWarn();
  Status Checkpoint();
  Result<Outcome> Pause();
  Result<Outcome> Finish();
  Error AfterLostRank(const Error& error);
  Position WhereItIs() const;
  void Tell(const std::function<void(ProgressLog&)>& tell);

  Ranks& ranks() { return *settings_.ranks; }
  // Several ranks stop at the same step: when all of them know that a stop was requested.
  bool Stopping() { return ranks().alone() ? StopRequested() : stop_agreed_; }
  bool Diverged() const { return diverged_ && settings_.on_divergence == OnDivergence::kStop; }
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
  std::optional<ProgressLog> log_;  // only in the rank that leads
  ProgressDisplay display_;
  LossScaler scaler_;
  FiniteWatch watch_;
  std::optional<NonFiniteUpdate> diverged_;
  TrainingState state_;
  std::int64_t peak_before_resume_ = 0;
  bool resumed_ = false;
  bool stop_agreed_ = false;
  std::optional<RankShareControl> shares_;  // absent: the ranks' parts are given
  bool shares_due_ = false;
  RankUpdate my_update_;

  torch::Tensor pending_loss_;  // sum over samples since the last FoldLoss, on the device
  Throttle report_throttle_{kReportInterval};
  Clock::time_point report_begin_;
  std::int64_t report_weight_ = 0;
  std::int64_t report_samples_ = 0;
  std::int64_t report_tokens_ = 0;
  double report_loss_ = 0;  // loss x weight, summed at each FoldLoss
};

BatchPlan PlanFor(const LoopSettings& settings, std::size_t samples) {
  return {samples, settings.micro_batch, settings.accumulation};
}

RunSize SizeFor(const LoopSettings& settings, std::size_t samples) {
  const auto updates = static_cast<std::int64_t>(PlanFor(settings, samples).updates_per_epoch());
  return {updates * settings.epochs, settings.epochs};
}

std::int64_t WholeUpdate(const BatchPlan& plan) {
  return static_cast<std::int64_t>(std::min(plan.samples, plan.effective_batch()));
}

Run::Run(Task& task, const LoopSettings& settings, const TensorMemoryScope& memory,
         std::optional<ProgressLog> log)
    : task_(task),
      settings_(settings),
      memory_(memory),
      plan_(PlanFor(settings, task.samples())),
      updates_per_epoch_(static_cast<std::int64_t>(plan_.updates_per_epoch())),
      size_(SizeFor(settings, task.samples())),
      log_(std::move(log)),
      display_(settings.ranks->leads() ? settings.progress : ProgressStyle::kNone, size_),
      watch_(task.device()) {
  pending_loss_ = torch::zeros({}, torch::dtype(torch::kFloat64).device(task.device()));
  if (settings.rank_share.automatic && !ranks().alone())
    shares_.emplace(settings.rank_share, ranks(), WholeUpdate(plan_), task.device());
}

Status Run::ResumeFromCheckpoint() {
  std::error_code code;
  if (!std::filesystem::exists(CheckpointPath(), code)) {
    if (!ranks().leads()) return {};
    std::fprintf(stderr, "ebb-train: no checkpoint in %s yet, starting from the beginning\n",
                 settings_.checkpoint_dir.c_str());
    return {};
  }
  EBB_ASSIGN_OR_RETURN(state_, LoadCheckpoint(CheckpointPath(), Tensors(),
                                              {settings_.identity, settings_.on_divergence,
                                               settings_.allow_changed}));
  if (state_.epoch > settings_.epochs || state_.epoch_updates > updates_per_epoch_)
    return Fail({ExitCode::kConfiguration, "the checkpoint is of a longer run or a larger data set",
                 CheckpointPath().string(), "start afresh without --resume"});
  scaler_ = LossScaler(state_.loss_scale);
  task_.UseMicroBatch(state_.micro_batch);
  if (shares_) shares_->Use(state_.rank_shares);
  peak_before_resume_ = state_.peak_tensor_bytes;
  resumed_ = true;
  if (ranks().leads() && !state_.changed_inputs.empty())
    std::fprintf(stderr, "ebb-train: warning: goes on although this has changed: %s\n",
                 Join(state_.changed_inputs, ", ").c_str());
  return {};
}

// Every epoch visits each sample once.
Position Run::WhereItIs() const {
  const auto samples = static_cast<std::int64_t>(plan_.samples);
  const auto batch = static_cast<std::int64_t>(plan_.effective_batch());
  Position position{state_.step,
                    state_.epoch * samples + std::min(samples, state_.epoch_updates * batch),
                    state_.epoch_tokens};
  for (const EpochRecord& epoch : state_.history) position.tokens += epoch.tokens;
  return position;
}

void Run::Tell(const std::function<void(ProgressLog&)>& tell) {
  if (log_) tell(*log_);
}

void Run::BeginLog() {
  if (!resumed_) return Tell([](ProgressLog& log) { log.Begin(); });
  Tell([&](ProgressLog& log) { log.Resume(WhereItIs()); });
  display_.Say("resuming at step " + std::to_string(state_.step) + " of " +
               std::to_string(size_.total_steps));
}

// The whole run: train an epoch, evaluate, checkpoint, until done or asked to stop.
Result<Outcome> Run::Train() {
  EBB_RETURN_IF_ERROR(ranks().RequireSame(settings_.identity.fingerprint.dump(), "options"));
  EBB_RETURN_IF_ERROR(ranks().RequireSame(std::to_string(state_.step), "a checkpoint"));
  EBB_RETURN_IF_ERROR(ranks().RequireSame(shares_ ? "auto" : "given", "a kind of --rank-share"));
  BeginLog();
  state_.micro_batch = task_.micro_batch_state();
  while (state_.epoch < settings_.epochs) {
    Tell([&](ProgressLog& log) { log.EpochBegin(EpochNumber()); });
    if (const Status trained = TrainEpoch(); !trained) return Fail(AfterLostRank(trained.error()));
    if (Diverged()) return Fail(AfterDivergence());
    if (Stopping()) return Pause();
    if (const Status done = FinishEpoch(); !done) return Fail(AfterLostRank(done.error()));
    if (Diverged()) return Fail(AfterDivergence());
    CheckpointOrWarn();
  }
  return Finish();
}

Status Run::TrainEpoch() {
  const auto permutation =
      EpochPermutation({settings_.seed, static_cast<std::uint64_t>(state_.epoch)}, task_.samples());
  BeginReport();
  while (!EpochComplete() && !Stopping() && !Diverged()) {
    const auto begin = Clock::now();
    EBB_RETURN_IF_ERROR(
        Update(plan_.Update(permutation, static_cast<std::size_t>(state_.epoch_updates))));
    if (EpochComplete()) FoldLoss();  // waits for the device, so that the epoch's time is whole
    state_.epoch_seconds += SecondsSince(begin);
    EBB_ASSIGN_OR_RETURN(const bool divided_anew, FoundShares());
    if (FoundMicroBatch() || divided_anew ||
        (settings_.checkpoint_every > 0 && state_.step % settings_.checkpoint_every == 0)) {
      LookAtTensors();
      if (!Diverged()) CheckpointOrWarn();
    }
  }
  LookAtTensors();
  return {};
}

// With several ranks, LibTorch's random numbers are a function of (seed, step, rank), so that no
// checkpoint need store them.
UpdateLoss Run::AddMyGradients(std::span<const std::uint32_t> samples) {
  const UpdateLoss nothing{torch::zeros({}, torch::device(task_.device())), 0, 0};
  if (samples.empty()) return nothing;
  if (!ranks().alone())
    torch::manual_seed(
        SeedFor(SeedFor(settings_.seed, static_cast<std::uint64_t>(state_.step)), ranks().rank()));
  return task_.AddGradients(
      {samples, state_.step, settings_.scales_loss ? scaler_.scale() : 1.0, ranks().rank()});
}

// Combines the means of losses and gradients over the parts into the mean over all samples.
Status Run::Combine(UpdateLoss& loss) {
  if (ranks().alone()) return {};
  const auto weight = static_cast<double>(loss.weight);
  std::vector<double> sums{weight, loss.weight > 0 ? weight * loss.mean.item<double>() : 0,
                           static_cast<double>(loss.tokens), StopRequested() ? 1.0 : 0.0,
                           shares_ && shares_->due() ? 1.0 : 0.0};
  my_update_.computed = Clock::now();  // the device is done: its loss was read
  EBB_RETURN_IF_ERROR(ranks().Sum(sums));
  my_update_.met = Clock::now();
  std::vector<torch::Tensor> gradients;
  for (Adam::Slot& slot : task_.optimizer().slots()) {
    torch::Tensor& gradient = slot.parameter.mutable_grad();
    if (!gradient.defined()) gradient = torch::zeros_like(slot.parameter);
    gradients.push_back(gradient.mul_(weight / std::max(1.0, sums[0])));
  }
  EBB_RETURN_IF_ERROR(ranks().Sum(gradients));
  loss.weight = static_cast<std::int64_t>(sums[0]);
  loss.mean = torch::full({}, sums[1] / std::max(1.0, sums[0]),
                          torch::dtype(torch::kFloat64).device(task_.device()));
  loss.tokens = static_cast<std::int64_t>(sums[2]);
  stop_agreed_ = sums[3] > 0;
  shares_due_ = sums[4] > 0;
  return {};
}

Status Run::Update(std::span<const std::uint32_t> samples) {
  task_.optimizer().ClearGradients();
  const auto mine = ranks().MyPart(samples);
  my_update_ = {static_cast<std::int64_t>(mine.size()), Clock::now(), {}, {}, {}};
  UpdateLoss loss = AddMyGradients(mine);
  EBB_RETURN_IF_ERROR(Combine(loss));
  const Applied applied = ApplyGradients(loss);
  // The loss of an update that overflowed in fp16 may not be a number; the mean is over the other
  // updates.
  if (applied == Applied::kSkipped && !std::isfinite(loss.mean.item<double>())) loss.weight = 0;
  if (loss.weight > 0)
    pending_loss_ += loss.mean.to(torch::kFloat64) * static_cast<double>(loss.weight);
  ++state_.step;
  ++state_.epoch_updates;
  state_.epoch_samples += loss.weight;
  state_.epoch_tokens += loss.tokens;
  report_weight_ += loss.weight;
  report_samples_ += static_cast<std::int64_t>(samples.size());
  report_tokens_ += loss.tokens;
  const bool due = report_throttle_.Due(Clock::now());
  // Several ranks look at every update, so that all learn of a divergence at once: ranks that went
  // on would wait for the others.
  if (due || !ranks().alone()) LookForDivergence();
  if (due) ReportStep();
  my_update_.end = Clock::now();
  if (shares_) shares_->Add(my_update_);
  return {};
}

Run::Applied Run::ApplyGradients(const UpdateLoss& loss) {
  const std::vector<torch::Tensor> gradients = task_.optimizer().Gradients();
  if (settings_.scales_loss) {
    const bool finite = scaler_.Unscale(gradients);
    scaler_.Update(finite);
    if (scaler_.exhausted())
      Diverge(state_.step + 1, "a gradient is not finite at the smallest loss scale, either");
    if (!finite) return Applied::kSkipped;
    watch_.Add(loss.mean, {}, state_.step + 1);
  } else {
    watch_.Add(loss.mean, gradients, state_.step + 1);
  }
  task_.BeforeStep();
  task_.optimizer().Step(
      settings_.learning_rate.At({state_.step, updates_per_epoch_, size_.total_steps}));
  return Applied::kYes;
}

void Run::LookForDivergence() {
  if (const auto found = watch_.Look()) Diverge(found->step, found->what + " is not finite");
}

// The last update, though made of finite gradients, may have overflowed. Its tensors must not reach
// a file.
void Run::LookAtTensors() {
  LookForDivergence();
  if (diverged_) return;
  if (const auto name = FirstNonFinite(RestoredTensors(Tensors())))
    Diverge(state_.step, "the tensor " + *name + " is not finite");
}

void Run::Diverge(std::int64_t step, const std::string& reason) {
  if (diverged_) return;
  diverged_ = NonFiniteUpdate{step, reason};
  if (state_.diverged_at_step > 0) return;  // reported before the pause
  state_.diverged_at_step = step;
  Tell([&](ProgressLog& log) { log.Diverged(step, reason); });
  if (Diverged() || !ranks().leads()) return;
  display_.Finish();
  std::fprintf(stderr, "ebb-train: warning: diverged at step %lld: %s; --on-divergence go-on\n",
               static_cast<long long>(step), reason.c_str());
}

Error Run::AfterDivergence() {
  display_.Finish();
  std::error_code code;
  const bool has_checkpoint = std::filesystem::exists(CheckpointPath(), code);
  return {
      ExitCode::kConfiguration,
      "the training has diverged at step " + std::to_string(diverged_->step) + " of " +
          std::to_string(size_.total_steps) + ": " + diverged_->what,
      settings_.run_dir,
      "no model is written" +
          std::string(has_checkpoint ? ", and the last checkpoint, which is finite, is kept" : "") +
          "; use a lower learning rate or clip the gradients (--on-divergence go-on trains on "
          "regardless)"};
}

void Run::ReportStep() {
  FoldLoss();
  const double seconds = SecondsSince(report_begin_);
  const auto rate = [&](std::int64_t count) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
  };
  const StepReport report{
      state_.step,
      EpochNumber(),
      report_loss_ / static_cast<double>(std::max<std::int64_t>(1, report_weight_)),
      rate(report_samples_),
      rate(report_tokens_),
      WhereItIs()};
  Tell([&](ProgressLog& log) { log.Step(report); });
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

// Looks at the size of micro-batches, and tells if it was chosen by now. That depends on times, so
// a checkpoint stores it at once: whatever happens then, a continuation is the same run.
bool Run::FoundMicroBatch() {
  const bool searched = state_.micro_batch.searching;
  state_.micro_batch = task_.micro_batch_state();
  if (!searched || state_.micro_batch.searching) return false;
  Tell([&](ProgressLog& log) { log.MicroBatch(state_.step, state_.micro_batch); });
  display_.Say(ChoiceText(state_.micro_batch));
  return true;
}

// Looks at the ranks' parts once the rank that leads finds it is time. They depend on times, too,
// so a change is stored at once.
Result<bool> Run::FoundShares() {
  if (!shares_ || !std::exchange(shares_due_, false)) return false;
  EBB_ASSIGN_OR_RETURN(const std::optional<ShareChoice> choice, shares_->Reconsider(state_.step));
  if (!choice) return false;
  state_.rank_shares = shares_->state();
  Tell([&](ProgressLog& log) { log.RankShares(state_.rank_shares, *choice); });
  if (ranks().leads()) display_.Say(ChoiceText(*choice));
  return true;
}

// The rank that leads evaluates; the others wait for its result.
Result<Evaluation> Run::Evaluate() {
  std::vector<double> found{0, 0};
  if (ranks().leads()) {
    const Evaluation evaluation = task_.Evaluate();
    found = {evaluation.loss, evaluation.accuracy};
  }
  EBB_RETURN_IF_ERROR(ranks().Sum(found));
  return Evaluation{found[0], found[1]};
}

Status Run::FinishEpoch() {
  EBB_ASSIGN_OR_RETURN(const Evaluation evaluation, Evaluate());
  // Without validation data, loss and accuracy are both not finite; that is not a divergence.
  if (!std::isfinite(evaluation.loss) && std::isfinite(evaluation.accuracy))
    Diverge(state_.step, "the validation loss is not finite");
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
  Tell([&](ProgressLog& log) { log.EpochEnd(report); });
  display_.EpochEnd(report);
  return {};
}

Status Run::Checkpoint() {
  LookAtTensors();
  if (Diverged()) return Fail(AfterDivergence());
  FoldLoss();
  if (!ranks().leads()) return {};
  state_.optimizer_steps = task_.optimizer().steps();
  state_.loss_scale = scaler_.state();
  state_.peak_tensor_bytes = std::max(peak_before_resume_, memory_.peak_bytes());
  EBB_RETURN_IF_ERROR(SaveCheckpoint(CheckpointPath(), Tensors(), state_, settings_.identity));
  Tell([&](ProgressLog& log) { log.Checkpoint(WhereItIs()); });
  return {};
}

// Warns if a checkpoint fails, because that does not end a training that goes well: the previous
// checkpoint stays valid.
void Run::CheckpointOrWarn() {
  const Status saved = Checkpoint();
  if (saved) return;
  Tell([&](ProgressLog& log) { log.CheckpointFailed(state_.step, saved.error().Message()); });
  display_.Finish();
  std::fprintf(stderr, "ebb-train: warning: no checkpoint at step %lld, training goes on: %s\n",
               static_cast<long long>(state_.step), saved.error().Message().c_str());
}

Result<Outcome> Run::Pause() {
  EBB_RETURN_IF_ERROR(Checkpoint());
  Tell([&](ProgressLog& log) { log.Paused(WhereItIs()); });
  display_.Say("paused at step " + std::to_string(state_.step) + " of " +
               std::to_string(size_.total_steps) + "; continue with --resume");
  return Outcome::kPaused;
}

// The update or the evaluation that had begun is not done: parameters are as after the last update.
Error Run::AfterLostRank(const Error& error) {
  Error told = error;
  if (!ranks().leads()) return told;
  const Status saved = Checkpoint();
  told.what += "; " + (saved ? "a checkpoint of step " + std::to_string(state_.step) + " is written"
                             : "no checkpoint: " + saved.error().Message());
  display_.Finish();
  return told;
}

Result<Outcome> Run::Finish() {
  if (!ranks().leads()) return Outcome::kFinished;
  state_.peak_tensor_bytes = std::max(peak_before_resume_, memory_.peak_bytes());
  EBB_ASSIGN_OR_RETURN(const std::string where, task_.Finish(state_));
  Tell([&](ProgressLog& log) { log.End(WhereItIs()); });
  display_.Say(where);
  return Outcome::kFinished;
}

}  // namespace

LoopSettings LoopOf(const RunOptions& options, RunIdentity identity, Ranks& ranks) {
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
          .allow_changed = options.allow_changed,
          .on_divergence = options.on_divergence,
          .progress = options.progress,
          .ranks = &ranks,
          .rank_share = options.rank_share,
          .identity = std::move(identity)};
}

Result<Outcome> RunTraining(Task& task, const LoopSettings& settings,
                            const TensorMemoryScope& memory) {
  std::optional<ProgressLog> log;
  if (settings.ranks->leads()) {
    EBB_ASSIGN_OR_RETURN(log, ProgressLog::Open(platform::Path(settings.run_dir) / "progress.jsonl",
                                                SizeFor(settings, task.samples())));
  }
  Run run(task, settings, memory, std::move(log));
  if (settings.resume) EBB_RETURN_IF_ERROR(run.ResumeFromCheckpoint());
  return run.Train();
}

}  // namespace ebb::train
