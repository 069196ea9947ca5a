#include "report/run/training_files.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/json_fields.h"

namespace ebb::report {
namespace {

// Python writes NaN and Infinity, which JSON does not have; a diverged training is still a
// training.
std::string WithoutNonFinite(std::string_view line) {
  std::string text(line);
  for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at))
      text.replace(at, word.size(), "null");
  }
  return text;
}

std::optional<JsonFields> ParseForgiving(std::string_view text) {
  auto fields = JsonFields::Parse(text, "");
  if (!fields) fields = JsonFields::Parse(WithoutNonFinite(text), "");
  if (!fields) return std::nullopt;
  return *fields;
}

struct EpochInProgress {
  core::Epoch epoch;
  bool ended = false;
};

// Follows the events of one run, attempts after each other.
class EpochTracker {
 public:
  void Add(const ProgressEvent& event) {
    if (event.event == "begin") last_ = event.time;
    if (!event.epoch) return;
    if (event.event == "epoch_begin") Begin(*event.epoch, event.time);
    if (event.event == "epoch_end") End(*event.epoch, event);
  }
  std::vector<core::Epoch> Ended() const {
    std::vector<core::Epoch> epochs;
    for (const auto& [number, state] : epochs_)
      if (state.ended) epochs.push_back(state.epoch);
    return epochs;
  }

 private:
  void Begin(int number, Time time) {
    // Beginning an epoch again means that everything after it is done again, too.
    epochs_.erase(epochs_.upper_bound(number), epochs_.end());
    auto [it, is_new] = epochs_.try_emplace(number);
    if (is_new) it->second.epoch.wall.begin = time;
    it->second.epoch.number = number;
    it->second.ended = false;
  }
  void End(int number, const ProgressEvent& event) {
    if (!epochs_.contains(number) || epochs_.upper_bound(number) != epochs_.end())
      Begin(number, last_.value_or(event.time));
    EpochInProgress& state = epochs_[number];
    state.epoch.wall.end = std::max(event.time, state.epoch.wall.begin);
    state.epoch.train_loss = event.train_loss ? event.train_loss : event.loss;
    state.epoch.test_loss = event.test_loss;
    state.epoch.test_accuracy_percent = event.test_accuracy_percent;
    state.ended = true;
    last_ = event.time;
  }

  std::map<int, EpochInProgress> epochs_;
  std::optional<Time> last_;
};

}  // namespace

std::optional<ProgressEvent> ParseProgressLine(std::string_view line) {
  auto fields = ParseForgiving(line);
  if (!fields || !fields->Has("time_ms") || !fields->Has("event")) return std::nullopt;
  ProgressEvent event;
  event.time = fields->Instant("time_ms");
  event.event = fields->Text("event");
  if (fields->Has("epoch")) event.epoch = fields->Count("epoch");
  if (fields->Has("step")) event.step = fields->Integer("step");
  if (fields->Has("total_steps")) event.total_steps = fields->Integer("total_steps");
  event.loss = fields->MaybeNumber("loss");
  event.samples_per_second = fields->MaybeNumber("samples_per_s");
  event.train_loss = fields->MaybeNumber("train_loss");
  event.test_loss = fields->MaybeNumber("test_loss");
  event.test_accuracy_percent = fields->MaybeNumber("test_accuracy_percent");
  if (!fields->status()) return std::nullopt;
  return event;
}

std::string ProgressLine(const ProgressEvent& event) {
  nlohmann::ordered_json line;
  line["time_ms"] = Milliseconds(event.time);
  line["event"] = event.event;
  if (event.epoch) line["epoch"] = *event.epoch;
  if (event.step) line["step"] = *event.step;
  if (event.total_steps) line["total_steps"] = *event.total_steps;
  if (event.loss) line["loss"] = *event.loss;
  if (event.samples_per_second) line["samples_per_s"] = *event.samples_per_second;
  if (event.train_loss) line["train_loss"] = *event.train_loss;
  if (event.test_loss) line["test_loss"] = *event.test_loss;
  if (event.test_accuracy_percent) line["test_accuracy_percent"] = *event.test_accuracy_percent;
  return line.dump();
}

std::vector<core::Epoch> EpochsOf(std::string_view progress_text) {
  EpochTracker tracker;
  for (const std::string_view line : Split(progress_text, '\n'))
    if (const auto event = ParseProgressLine(line)) tracker.Add(*event);
  return tracker.Ended();
}

std::optional<TrainResult> ParseTrainResult(std::string_view text) {
  auto fields = ParseForgiving(text);
  if (!fields) return std::nullopt;
  TrainResult result;
  result.settings.model = fields->Text("model");
  result.settings.dataset = fields->Text("dataset");
  result.settings.batch_size = fields->Count("batch_size");
  result.settings.accumulation_steps = fields->Count("accumulation_steps");
  result.settings.epochs = fields->Count("epochs");
  result.settings.learning_rate = fields->Number("learning_rate");
  result.settings.precision = fields->Text("precision");
  result.settings.seed = fields->Integer("seed");
  result.settings.model_path = fields->Text("model_path");
  result.outcome.final_loss = fields->Number("final_loss");
  result.outcome.test_loss = fields->Number("test_loss");
  result.outcome.test_accuracy_percent = fields->Number("test_accuracy_percent");
  result.outcome.peak_tensor_bytes = fields->Number("peak_tensor_bytes");
  result.outcome.average_epoch_seconds = fields->Number("avg_epoch_seconds");
  result.outcome.samples_per_second = fields->Number("samples_per_second");
  result.outcome.device = fields->Text("device");
  result.outcome.parameters_sha256 = fields->Text("parameters_sha256");
  if (fields->Text("schema") != "ebb.train-result/1" || !fields->status()) return std::nullopt;
  return result;
}

}  // namespace ebb::report
