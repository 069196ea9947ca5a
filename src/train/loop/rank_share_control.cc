#include "train/loop/rank_share_control.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>

#include "train/devices/device.h"
#include "train/ranks/grid_file.h"

namespace ebb::train {
namespace {

// The first division is the worst, so it is looked at soon. Later looks are rarer: each is worth
// less, and a longer time is measured better.
constexpr std::chrono::seconds kFirstLook{2}, kSecondLook{10}, kRarestLook{160};

// A GPU that several ranks share has one counter and one power for all of them.
bool HasDeviceOfItsOwn(const Ranks& ranks, torch::Device device) {
  return !device.is_cuda() || ranks.here() <= static_cast<int>(torch::cuda::device_count());
}

RankPower ModelledPower(const RankShareOptions& options, const Ranks& ranks, torch::Device device) {
  if (options.power) return {options.power->busy_w, options.power->waiting_w, PowerSource::kGiven};
  if (!HasDeviceOfItsOwn(ranks, device)) return {};
  if (device.is_cuda()) return ModelledGpuPower(DeviceName(device));
  return ModelledCpuPower(at::get_num_threads());
}

}  // namespace

RankShareControl::RankShareControl(const RankShareOptions& options, Ranks& ranks,
                                   std::int64_t update_samples, torch::Device device)
    : options_(options),
      ranks_(ranks),
      update_samples_(update_samples),
      energy_(!options.power && HasDeviceOfItsOwn(ranks, device) ? DeviceEnergy::Open(device)
                                                                 : nullptr),
      modelled_(ModelledPower(options, ranks, device)),
      next_look_(kFirstLook) {
  if (energy_)
    window_ = ShareWindow([energy = energy_.get()](Moment begin, Moment end) {
      return energy->JoulesBetween(begin, end);
    });
}

void RankShareControl::Use(const RankShareState& state) {
  if (state.changes.empty()) return;
  const std::vector<std::int64_t>& samples = state.changes.back().samples;
  const bool fits =
      samples.size() == ranks_.size() &&
      std::accumulate(samples.begin(), samples.end(), std::int64_t{0}) == update_samples_;
  state_.changes = state.changes;
  if (!fits) return;
  state_.reports = state.reports;
  if (state.reports.size() == ranks_.size())
    samples_per_s_ = state.reports[ranks_.rank()].samples_per_s;
  ranks_.Divide(samples);
  next_look_ = kSecondLook;
}

bool RankShareControl::due() const { return ranks_.leads() && window_.LastsFor(next_look_); }

// A counter shows the mean over an update at least, and a model splits it.
RankReport RankShareControl::MyReport() {
  const WindowFigures figures = window_.Figures();
  if (figures.samples_per_s) samples_per_s_ = figures.samples_per_s;
  RankReport report{samples_per_s_, figures.common_s, modelled_, ReadGridFile(options_.grid_file)};
  if (!report.g_per_kwh) report.g_per_kwh = options_.g_per_kwh;
  const bool modelled = modelled_.source == PowerSource::kModel;
  const auto waiting =
      figures.waiting_w || !modelled ? figures.waiting_w : std::optional(modelled_.waiting_w);
  const auto busy = waiting ? figures.BusyWatts(*waiting) : std::nullopt;
  if (busy) report.power = {*busy, *waiting, PowerSource::kCounter};
  return report;
}

Result<std::vector<RankReport>> RankShareControl::Exchange() {
  std::vector<double> all(ranks_.size() * kReportNumbers, 0);
  const auto of_rank = [&](std::size_t rank) {
    return std::span(all).subspan(rank * kReportNumbers, kReportNumbers);
  };
  std::ranges::copy(NumbersOf(MyReport()), of_rank(ranks_.rank()).begin());
  EBB_RETURN_IF_ERROR(ranks_.Sum(all));
  std::vector<RankReport> reports;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    reports.push_back(ReportOf(of_rank(rank)));
  return reports;
}

Result<std::optional<ShareChoice>> RankShareControl::Reconsider(std::int64_t step) {
  EBB_ASSIGN_OR_RETURN(std::vector<RankReport> reports, Exchange());
  window_.Restart();
  next_look_ = std::clamp(2 * next_look_, kSecondLook, kRarestLook);
  auto choice =
      ChooseShares(reports, ranks_.Parts(update_samples_), options_.slower_by.percent / 100);
  if (choice) {
    state_.changes.push_back({step, choice->samples});
    state_.reports = std::move(reports);
  }
  // Ranks that divide an update differently would leave out samples without an error.
  EBB_RETURN_IF_ERROR(ranks_.RequireSame(ToJson(state_).dump(), "parts of an update"));
  if (choice) ranks_.Divide(choice->samples);
  return choice;
}

}  // namespace ebb::train
