#include "train/loop/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/time.h"

namespace ebb::train {
namespace {

using nlohmann::ordered_json;

ordered_json Event(const char* name) {
  const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  return {{"time_ms", now.time_since_epoch().count()}, {"event", name}};
}

void Put(const Position& position, ordered_json& event) {
  event["step"] = position.step;
  event["samples_seen"] = position.samples;
  if (position.tokens > 0) event["tokens_seen"] = position.tokens;
}

}  // namespace

ProgressLog::ProgressLog(platform::LineWriter writer, RunSize size)
    : writer_(std::move(writer)), size_(size) {}

Result<ProgressLog> ProgressLog::Open(const platform::Path& path, RunSize size) {
  EBB_ASSIGN_OR_RETURN(platform::LineWriter writer, platform::LineWriter::Open(path));
  return ProgressLog(std::move(writer), size);
}

void ProgressLog::Append(const std::string& line) {
  if (failed_) return;
  const Status written = writer_.Append(line);
  if (written) return;
  failed_ = true;
  std::fprintf(stderr, "ebb-train: warning: progress is no longer recorded: %s\n",
               written.error().Message().c_str());
}

void ProgressLog::Begin() {
  ordered_json event = Event("begin");
  event["total_steps"] = size_.total_steps;
  event["epochs"] = size_.epochs;
  Append(event.dump());
}

void ProgressLog::Resume(const Position& position) {
  ordered_json event = Event("resume");
  Put(position, event);
  event["total_steps"] = size_.total_steps;
  event["epochs"] = size_.epochs;
  Append(event.dump());
}

void ProgressLog::Step(const StepReport& report) {
  ordered_json event = Event("step");
  Put(report.position, event);
  event["epoch"] = report.epoch;
  event["loss"] = report.loss;
  event["samples_per_s"] = report.samples_per_s;
  if (report.tokens_per_s > 0) event["tokens_per_s"] = report.tokens_per_s;
  event["total_steps"] = size_.total_steps;
  Append(event.dump());
}

void ProgressLog::EpochBegin(std::int64_t epoch) {
  ordered_json event = Event("epoch_begin");
  event["epoch"] = epoch;
  Append(event.dump());
}

void ProgressLog::EpochEnd(const EpochReport& report) {
  ordered_json event = Event("epoch_end");
  event["epoch"] = report.epoch;
  event["train_loss"] = report.train_loss;
  if (!std::isnan(report.test_loss)) {
    event["test_loss"] = report.test_loss;
    event["test_accuracy_percent"] = 100 * report.test_accuracy;
  }
  if (report.tokens > 0) {
    if (!std::isnan(report.test_loss)) event["test_perplexity"] = std::exp(report.test_loss);
    event["tokens"] = report.tokens;
    if (report.seconds > 0)
      event["tokens_per_s"] = static_cast<double>(report.tokens) / report.seconds;
  }
  Append(event.dump());
}

void ProgressLog::Checkpoint(const Position& position) {
  ordered_json event = Event("checkpoint");
  Put(position, event);
  Append(event.dump());
}

void ProgressLog::CheckpointFailed(std::int64_t step, const std::string& reason) {
  ordered_json event = Event("checkpoint_failed");
  event["step"] = step;
  event["reason"] = reason;
  Append(event.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void ProgressLog::Diverged(std::int64_t step, const std::string& reason) {
  ordered_json event = Event("diverged");
  event["step"] = step;
  event["reason"] = reason;
  Append(event.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void ProgressLog::RankShares(const RankShareState& state, const ShareChoice& choice) {
  ordered_json event = Event("rank_shares");
  event.update(EventJson(state, choice));
  Append(event.dump());
}

void ProgressLog::MicroBatch(std::int64_t step, const MicroBatchState& chosen) {
  ordered_json event = Event("micro_batch");
  event["step"] = step;
  event["size"] = chosen.size;
  event["tried"] = TriedJson(chosen);
  Append(event.dump());
}

void ProgressLog::Paused(const Position& position) {
  ordered_json event = Event("paused");
  Put(position, event);
  Append(event.dump());
}

void ProgressLog::End(const Position& position) {
  ordered_json event = Event("end");
  Put(position, event);
  Append(event.dump());
}

std::string FormatBar(const StepReport& report, RunSize size, std::size_t width) {
  const double done = size.total_steps > 0
                          ? static_cast<double>(report.step) / static_cast<double>(size.total_steps)
                          : 1.0;
  constexpr std::size_t kCells = 24;
  const auto filled = static_cast<std::size_t>(std::floor(done * kCells));
  char percent[16];
  std::snprintf(percent, sizeof percent, "%3.0f %%", std::floor(done * 100));
  std::string text =
      "epoch " + std::to_string(report.epoch) + "/" + std::to_string(size.epochs) + " [" +
      std::string(filled, '#') + std::string(kCells - filled, '-') + "] " + percent + "  loss " +
      FormatFixed(report.loss, 4) + "  " +
      (report.tokens_per_s > 0 ? FormatFixed(report.tokens_per_s, 0) + " tokens/s"
                               : FormatFixed(report.samples_per_s, 0) + " samples/s");
  text.resize(std::min(text.size(), width));
  return text;
}

ProgressDisplay::ProgressDisplay(ProgressStyle style, RunSize size) : style_(style), size_(size) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  if (style_ == ProgressStyle::kAuto)
    style_ = terminal ? ProgressStyle::kBar : ProgressStyle::kLines;
  winsize window{};
  if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1)
    width_ = window.ws_col - 1U;
}

void ProgressDisplay::Step(const StepReport& report) {
  if (style_ != ProgressStyle::kBar) return;
  // "\x1b[K" clears what a longer bar left behind.
  std::printf("\r%s\x1b[K", FormatBar(report, size_, width_).c_str());
  std::fflush(stdout);
  bar_drawn_ = true;
}

void ProgressDisplay::EpochEnd(const EpochReport& report) {
  std::string line = "epoch " + std::to_string(report.epoch) + "/" + std::to_string(size_.epochs) +
                     "  train loss " + FormatFixed(report.train_loss, 4);
  if (!std::isnan(report.test_loss)) {
    line += "  test loss " + FormatFixed(report.test_loss, 4);
    line += report.tokens > 0
                ? "  perplexity " + FormatFixed(std::exp(report.test_loss), 2)
                : "  test accuracy " + FormatFixed(100 * report.test_accuracy, 2) + " %";
  }
  Say(line);
}

void ProgressDisplay::Finish() {
  if (bar_drawn_) std::printf("\r\x1b[K");
  bar_drawn_ = false;
  std::fflush(stdout);
}

void ProgressDisplay::Say(const std::string& line) {
  if (style_ == ProgressStyle::kNone) return;
  Finish();
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

bool Throttle::Due(std::chrono::steady_clock::time_point now) {
  if (last_ && now - *last_ < interval_) return false;
  last_ = now;
  return true;
}

}  // namespace ebb::train
