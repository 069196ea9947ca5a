#include "report/run/training_files.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "core/run/run_fields.h"
#include "platform/shared_file.h"
#include "report/run/run_directory.h"
#include "report/run/work_count.h"

namespace ebb::report {

template <typename Archive, Like<ProgressEvent> Value>
void Visit(Archive& archive, Value& value) {
  auto& [time, event, epoch, step, samples_seen, tokens_seen, total_steps, loss, samples_per_second,
         train_loss, test_loss, test_accuracy_percent] = value;
  archive("time_ms", time);
  archive("event", event);
  archive.Maybe("epoch", epoch);
  archive.Maybe("step", step);
  archive.Maybe("samples_seen", samples_seen);
  archive.Maybe("tokens_seen", tokens_seen);
  archive.Maybe("total_steps", total_steps);
  archive.Maybe("loss", loss);
  archive.Maybe("samples_per_s", samples_per_second);
  archive.Maybe("train_loss", train_loss);
  archive.Maybe("test_loss", test_loss);
  archive.Maybe("test_accuracy_percent", test_accuracy_percent);
}

static void Visit(FieldReader& archive, TrainResult& value) {
  auto& [final_loss, test_loss, test_accuracy_percent, peak_tensor_bytes, average_epoch_seconds,
         samples_per_second, device, parameters_sha256, rank_shares] = value.outcome;
  archive.Is("schema", "ebb.train-result/1");
  Visit(archive, value.settings);
  archive("final_loss", final_loss);
  archive("test_loss", test_loss);
  archive("test_accuracy_percent", test_accuracy_percent);
  archive("peak_tensor_bytes", peak_tensor_bytes);
  archive("avg_epoch_seconds", average_epoch_seconds);
  archive("samples_per_second", samples_per_second);
  archive("device", device);
  archive("parameters_sha256", parameters_sha256);
  archive.Maybe("rank_shares", rank_shares);
  archive.Maybe("notices", value.notices);
}

namespace {

// Python writes NaN and Infinity, which JSON does not have. A diverged training is still a
// training.
std::string WithoutNonFinite(std::string_view line) {
  std::string text(line);
  for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at))
      text.replace(at, word.size(), "null");
  }
  return text;
}

template <typename T>
std::optional<T> ParseForgiving(std::string_view text) {
  auto value = FromFieldText<T>(text, "", FieldStyle::kComplete);
  if (!value) value = FromFieldText<T>(WithoutNonFinite(text), "", FieldStyle::kComplete);
  if (!value) return std::nullopt;
  return *std::move(value);
}

struct EpochInProgress {
  core::Epoch epoch;
  bool ended = false;
};

// Follows the events of one run, one attempt after another.
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
    // An epoch that begins again repeats everything after it as well.
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
  return ParseForgiving<ProgressEvent>(line);
}

std::string ProgressLine(const ProgressEvent& event) {
  return ToFieldText(event, FieldStyle::kComplete);
}

Progress ReadProgress(std::string_view progress_text) {
  EpochTracker tracker;
  WorkCount work;
  for (const std::string_view line : Split(progress_text, '\n')) {
    const auto event = ParseProgressLine(line);
    if (!event) continue;
    tracker.Add(*event);
    work.Add(*event);
  }
  return {tracker.Ended(), work.done()};
}

std::optional<TrainResult> ParseTrainResult(std::string_view text) {
  return ParseForgiving<TrainResult>(text);
}

std::vector<std::string> TrainNotices(const std::filesystem::path& run_directory) {
  const auto text = platform::ReadSharedFile(run_directory / kTrainResultFile);
  const auto result = text ? ParseTrainResult(*text) : std::nullopt;
  return result ? result->notices : std::vector<std::string>{};
}

}  // namespace ebb::report
