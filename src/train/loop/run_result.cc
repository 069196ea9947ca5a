#include "train/loop/run_result.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/check.h"
#include "train/options/options.h"

namespace ebb::train {

namespace {

std::vector<std::string> NoticesOf(const TrainingState& state, const RunFacts& facts) {
  std::vector<std::string> notices = facts.notices;
  for (const std::string& name : state.changed_inputs)
    notices.push_back(name + " changed while the training was paused, and it went on");
  if (state.diverged_at_step > 0)
    notices.push_back("the training diverged at step " + std::to_string(state.diverged_at_step) +
                      ", and it went on");
  return notices;
}

}  // namespace

RunDescription DescriptionOf(const RunOptions& options) {
  RunDescription run;
  run.precision = Name(options.precision);
  run.batch_size = options.batch_size;
  run.accumulation = options.accumulation;
  run.epochs = options.epochs;
  run.learning_rate = options.learning_rate.initial;
  run.learning_rate_schedule = Name(options.learning_rate.kind);
  run.seed = options.seed;
  return run;
}

Status WriteRunResult(const platform::Path& path, const RunDescription& run,
                      const TrainingState& state, const RunFacts& facts) {
  EBB_CHECK(!state.history.empty());
  const EpochRecord& last = state.history.back();
  std::vector<double> seconds;
  for (const EpochRecord& epoch : state.history) seconds.push_back(epoch.seconds);
  const double total_seconds = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const auto epochs = static_cast<double>(state.history.size());
  nlohmann::ordered_json result = {
      {"schema", "ebb.train-result/1"},
      {"model", run.model},
      {"dataset", run.dataset},
      {"train_samples", facts.train_samples},
      {"test_samples", facts.test_samples},
      {"device", facts.device},
      {"device_name", facts.device_name},
      {"precision", run.precision},
      {"batch_size", run.batch_size},
      {"accumulation_steps", run.accumulation},
      {"effective_batch_size", run.batch_size * run.accumulation},
      {"epochs", run.epochs},
      {"learning_rate", run.learning_rate},
      {"lr_schedule", run.learning_rate_schedule},
      {"seed", run.seed},
      {"threads", facts.threads},
      {"steps", state.step},
      {"final_loss", last.train_loss},
      {"test_loss", last.test_loss},
      {"test_accuracy_percent", std::round(1e8 * last.test_accuracy) / 1e6},
      {"peak_tensor_bytes", state.peak_tensor_bytes},
      {"avg_epoch_seconds", total_seconds / epochs},
      {"epoch_seconds", seconds},
      {"samples_per_second",
       total_seconds > 0 ? epochs * static_cast<double>(facts.train_samples) / total_seconds : 0.0},
      {"parameters_sha256", facts.parameters_sha256},
      {"torch_version", facts.torch_version},
      {"model_path", run.model_path}};
  result.update(facts.more);
  if (!state.rank_shares.changes.empty())
    result["rank_shares"] = ToJson(state.rank_shares).at("changes");
  if (state.diverged_at_step > 0) result["diverged_at_step"] = state.diverged_at_step;
  if (const auto notices = NoticesOf(state, facts); !notices.empty()) result["notices"] = notices;
  if (!facts.precision_notice.empty()) result["precision_notice"] = facts.precision_notice;
  return platform::WriteFileAtomically(
      path, result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace ebb::train
