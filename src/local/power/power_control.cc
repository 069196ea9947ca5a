#include "local/power/power_control.h"

#include <algorithm>

namespace ebb::local {
namespace {

// Windows of the search in sample intervals, so that each holds enough samples.
constexpr int kSettleSamples = 2, kShortestSamples = 10;
// Drivers and boards follow a new limit within a fraction of a second.
constexpr Duration kShortestSettle{500};

}  // namespace

PowerControl::PowerControl(const AttemptPaths& paths, PowerTerms terms, Time now)
    : paths_(paths), terms_(std::move(terms)), guard_(paths, terms_.gpus, terms_.nvml_library) {
  // Everybody who could have restored the limits of an earlier attempt may have been killed.
  for (int earlier = 1; earlier < paths.attempt; ++earlier)
    if (const Status restored = RestorePower({paths.directory, earlier}, terms_.nvml_library);
        !restored)
      notes_.push_back(restored.error().Message());
  if (terms_.gpus.empty()) {
    if (terms_.cap.automatic) notes_.push_back("--power-cap auto: the run has no GPU of its own");
    return;
  }
  if (terms_.cap.automatic) {
    BeginSearch(now);
    return;
  }
  if (const Status capped = guard_.Cap(terms_.cap, notes_); !capped)
    notes_.push_back("runs without its power cap of " + core::Describe(terms_.cap) + ": " +
                     capped.error().Message());
  if (terms_.known) Write(*terms_.known);
}

void PowerControl::BeginSearch(Time now) {
  const auto range = guard_.Check();
  if (!range) {
    notes_.push_back("--power-cap auto: no limit is looked for: " + range.error().Message());
    return;
  }
  model_ = range->model;
  CapSearchTerms search{.limit = range->now,
                        .least = range->least,
                        .gpus = static_cast<int>(terms_.gpus.size()),
                        .slower_by = terms_.slower_by};
  search.settle = std::max(kSettleSamples * terms_.sample_interval, kShortestSettle);
  search.shortest = kShortestSamples * terms_.sample_interval;
  search_.emplace(search, now);
}

void PowerControl::Look(Time now) {
  const std::vector<core::EnergyReading> readings = queue_.Take();
  if (!searches()) return;
  for (const core::EnergyReading& reading : readings) search_->Take(reading);
  for (const ProgressMark& mark : terms_.progress()) search_->Take(mark);
  if (search_->Look(now)) SetWanted();
  if (search_->done()) Write(search_->Choice());
}

void PowerControl::SetWanted() {
  // The search keeps to the range of the GPUs, so there is nothing to warn of.
  std::vector<std::string> none;
  const Status set = guard_.Cap({.watts = search_->cap().watts}, none);
  if (set) return;
  search_->GiveUp(set.error().Message());
  if (const Status restored = guard_.PutBack(); !restored)
    notes_.push_back(restored.error().Message());
}

void PowerControl::Interrupt(Time now) {
  if (searches()) search_->Interrupt(now);
}

void PowerControl::Write(core::PowerChoice choice) {
  written_ = true;
  choice.attempt = paths_.attempt;
  if (!model_.empty()) choice.device_model = model_;
  // A limit that was kept is no warning: summaries have it.
  if (!choice.cap) notes_.push_back("--power-cap auto: " + core::Describe(choice));
  if (const Status written = AppendPowerChoice(paths_.directory, choice); !written)
    notes_.push_back(written.error().Message());
}

std::vector<std::string> PowerControl::End() {
  if (search_ && !written_) Write(search_->Choice());
  if (const Status restored = guard_.PutBack(); !restored)
    notes_.push_back(restored.error().Message());
  return std::exchange(notes_, {});
}

}  // namespace ebb::local
