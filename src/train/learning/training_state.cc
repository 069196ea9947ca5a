#include "train/learning/training_state.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace ebb::train {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

Error BadCheckpoint(const std::string& name, std::string what) {
  return {ExitCode::kConfiguration, std::move(what), name,
          "start afresh without --resume, or restore the checkpoint"};
}

// JSON has no NaN: null stands for a loss that is unknown, or of a training that has diverged.
double NumberOrNan(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::string Shown(const json& value) {
  if (value.is_null()) return "its default";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

ordered_json ToJson(const TrainingState& state) {
  ordered_json history = ordered_json::array();
  for (const EpochRecord& epoch : state.history) {
    history.push_back({{"train_loss", epoch.train_loss},
                       {"test_loss", epoch.test_loss},
                       {"test_accuracy", epoch.test_accuracy},
                       {"seconds", epoch.seconds},
                       {"tokens", epoch.tokens}});
  }
  return {{"step", state.step},
          {"epoch", state.epoch},
          {"epoch_updates", state.epoch_updates},
          {"epoch_samples", state.epoch_samples},
          {"epoch_tokens", state.epoch_tokens},
          {"epoch_loss_sum", state.epoch_loss_sum},
          {"epoch_seconds", state.epoch_seconds},
          {"optimizer_steps", state.optimizer_steps},
          {"peak_tensor_bytes", state.peak_tensor_bytes},
          {"diverged_at_step", state.diverged_at_step},
          {"changed_inputs", state.changed_inputs},
          {"loss_scale",
           {{"scale", state.loss_scale.scale}, {"good_steps", state.loss_scale.good_steps}}},
          {"micro_batch", ToJson(state.micro_batch)},
          {"rank_shares", ToJson(state.rank_shares)},
          {"history", std::move(history)}};
}

Result<TrainingState> TrainingStateFromJson(const json& value, const std::string& name) {
  TrainingState state;
  try {
    value.at("step").get_to(state.step);
    value.at("epoch").get_to(state.epoch);
    value.at("epoch_updates").get_to(state.epoch_updates);
    value.at("epoch_samples").get_to(state.epoch_samples);
    state.epoch_tokens = value.value("epoch_tokens", std::int64_t{0});
    state.epoch_loss_sum = NumberOrNan(value.at("epoch_loss_sum"));
    value.at("epoch_seconds").get_to(state.epoch_seconds);
    value.at("optimizer_steps").get_to(state.optimizer_steps);
    value.at("peak_tensor_bytes").get_to(state.peak_tensor_bytes);
    state.changed_inputs = value.value("changed_inputs", std::vector<std::string>{});
    state.diverged_at_step = value.value("diverged_at_step", std::int64_t{0});
    value.at("loss_scale").at("scale").get_to(state.loss_scale.scale);
    value.at("loss_scale").at("good_steps").get_to(state.loss_scale.good_steps);
    if (value.contains("micro_batch"))
      state.micro_batch = MicroBatchStateFromJson(value.at("micro_batch"));
    if (value.contains("rank_shares"))
      state.rank_shares = RankShareStateFromJson(value.at("rank_shares"));
    for (const json& epoch : value.at("history")) {
      state.history.push_back(
          {NumberOrNan(epoch.at("train_loss")), NumberOrNan(epoch.at("test_loss")),
           NumberOrNan(epoch.at("test_accuracy")), epoch.at("seconds").get<double>(),
           epoch.value("tokens", std::int64_t{0})});
    }
  } catch (const json::exception& error) {
    return Fail(
        BadCheckpoint(name, std::string("the checkpoint's state is damaged: ") + error.what()));
  }
  const bool in_range = state.step >= 0 && state.epoch >= 0 && state.epoch_updates >= 0 &&
                        state.optimizer_steps >= 0 && state.loss_scale.scale > 0 &&
                        state.history.size() == static_cast<std::size_t>(state.epoch);
  if (!in_range) return Fail(BadCheckpoint(name, "the checkpoint's state contradicts itself"));
  return state;
}

ordered_json Fingerprint(const Options& options) {
  ordered_json fingerprint = {{"--model", options.model},
                              {"--data", Name(options.data)},
                              {"--data-seed", options.data_seed},
                              {"--train-samples", options.train_samples},
                              {"--test-samples", options.test_samples},
                              {"--batch-size", options.batch_size},
                              {"--accumulation", options.accumulation},
                              {"--epochs", options.epochs},
                              {"--learning-rate", options.learning_rate.initial},
                              {"--lr-schedule", Name(options.learning_rate.kind)},
                              {"--lr-decay", options.learning_rate.decay},
                              {"--lr-step-epochs", options.learning_rate.decay_epochs},
                              {"--precision", Name(options.precision)},
                              {"--seed", options.seed}};
  if (!options.distillation.teacher.empty()) AddTo(fingerprint, options.distillation);
  return fingerprint;
}

void AddTo(ordered_json& fingerprint, const Distillation& distillation) {
  fingerprint["--teacher"] = distillation.teacher;
  fingerprint["--temperature"] = distillation.temperature;
  fingerprint["--distillation-mix"] = distillation.mix;
}

Status RequireSameFingerprint(const json& stored, const json& wanted, const std::string& name) {
  const auto differs = [&](const std::string& flag, const json& found, const json& value) {
    return Fail(
        {ExitCode::kConfiguration,
         "the checkpoint was written with " + flag + " " + Shown(found) + ", not " + Shown(value),
         name, "resume with the same flags, or start afresh without --resume"});
  };
  for (const auto& [flag, value] : wanted.items()) {
    const json found = stored.is_object() ? stored.value(flag, json()) : json();
    if (found != value) return differs(flag, found, value);
  }
  for (const auto& [flag, found] : stored.items())
    if (!wanted.contains(flag)) return differs(flag, found, json());
  return {};
}

}  // namespace ebb::train
