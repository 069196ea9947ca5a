#include "report/run/epoch_losses.h"

#include <algorithm>

namespace ebb::report {
namespace {

constexpr std::string_view kEpochEnd = "epoch_end", kDiverged = "diverged", kBegin = "begin";
// Size of the first part that is read at the end of a file; following parts grow.
constexpr std::uint64_t kShortEnd = 64 << 10;
constexpr std::uint64_t kLongEnd = 4 << 20;
// Most parts of LineTail::kMostBytes per read. A job that has ended is read for the last time, so
// one part is not enough. Without a limit a program that floods its file would hold up its readers.
constexpr int kMostParts = 16;

std::optional<EpochLoss> EpochLossOf(core::JobId job, const ProgressEvent& event) {
  const auto loss = LossOf(event);
  if (event.event != kEpochEnd || !event.epoch || !loss) return std::nullopt;
  return EpochLoss{event.time, job, *event.epoch, *loss, event.test_loss.has_value()};
}

// Calls take(line) for the lines at the end of a file: first for its last bytes, then for more as
// long as take() finds nothing.
void ReadEnd(const platform::Path& file, const std::function<bool(std::string_view)>& take) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  if (error) return;
  for (const std::uint64_t part : {kShortEnd, kLongEnd}) {
    bool found = false;
    platform::LineTail tail(file, size > part ? size - part : 0);
    tail.Read([&](std::string_view line) { found |= take(line); });
    if (found || size <= part) return;
  }
}

void SortByTime(std::vector<EpochLoss>& losses) {
  std::stable_sort(losses.begin(), losses.end(), [](const EpochLoss& a, const EpochLoss& b) {
    return a.time != b.time ? a.time < b.time : a.job < b.job;
  });
}

}  // namespace

std::optional<double> LossOf(const ProgressEvent& event) {
  if (event.test_loss) return event.test_loss;
  return event.train_loss ? event.train_loss : event.loss;
}

void EpochLosses::Follow(core::JobId job, const platform::Path& progress_file) {
  tails_.try_emplace(job, progress_file);
}

void EpochLosses::ReadOf(core::JobId job, platform::LineTail& tail,
                         std::vector<EpochLoss>& losses) const {
  const auto take = [&](std::string_view line) {
    if (!on_event_ && line.find(kEpochEnd) == std::string_view::npos) return;
    const auto event = ParseProgressLine(line);
    if (!event) return;
    if (on_event_) on_event_(job, *event);
    if (const auto loss = EpochLossOf(job, *event)) losses.push_back(*loss);
  };
  for (int part = 0; part < kMostParts && tail.Read(take); ++part) {
  }
}

std::vector<EpochLoss> EpochLosses::Read(std::span<const core::JobId> jobs) {
  std::vector<EpochLoss> losses;
  for (const core::JobId job : jobs) {
    const auto tail = tails_.find(job);
    if (tail != tails_.end()) ReadOf(job, tail->second, losses);
  }
  SortByTime(losses);
  return losses;
}

std::vector<EpochLoss> EpochLosses::Read() {
  std::vector<EpochLoss> losses;
  for (auto& [job, tail] : tails_) ReadOf(job, tail, losses);
  SortByTime(losses);
  return losses;
}

std::optional<EpochLoss> LastEpochLoss(const platform::Path& progress_file) {
  std::optional<EpochLoss> last;
  ReadEnd(progress_file, [&](std::string_view line) {
    if (line.find(kEpochEnd) == std::string_view::npos) return false;
    const auto event = ParseProgressLine(line);
    const auto loss = event ? EpochLossOf(0, *event) : std::nullopt;
    if (loss) last = loss;
    return loss.has_value();
  });
  return last;
}

std::optional<std::int64_t> DivergedAt(const platform::Path& progress_file) {
  std::optional<std::int64_t> step;
  ReadEnd(progress_file, [&](std::string_view line) {
    if (line.find(kDiverged) == std::string_view::npos &&
        line.find(kBegin) == std::string_view::npos)
      return false;
    const auto event = ParseProgressLine(line);
    if (!event || (event->event != kDiverged && event->event != kBegin)) return false;
    step = event->event == kDiverged ? event->step : std::nullopt;
    return true;
  });
  return step;
}

}  // namespace ebb::report
