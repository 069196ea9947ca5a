#pragma once
// Lets ranks find their parts of an update while they train (--rank-share auto): each measures
// itself, now and then all tell each other what they have measured, and all change to the same new
// division (share_choice.h). The samples of an update and their order do not depend on it. One
// thread.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "train/libtorch.h"
#include "train/loop/device_energy.h"
#include "train/options/rank_share_options.h"
#include "train/ranks/ranks.h"
#include "train/ranks/share_choice.h"
#include "train/ranks/share_window.h"

namespace ebb::train {

class RankShareControl {
 public:
  /// `update_samples`: those of a whole update. Everything borrowed must outlive this.
  RankShareControl(const RankShareOptions& options, Ranks& ranks, std::int64_t update_samples,
                   torch::Device device);

  /// Goes on with the division of a checkpoint, unless that was of another number of ranks.
  void Use(const RankShareState& state);
  const RankShareState& state() const { return state_; }

  void Add(const RankUpdate& update) { window_.Add(update); }
  /// True in the rank that leads if it is time for Reconsider. It tells the others.
  bool due() const;
  /// Exchanges what the ranks have measured, and changes the division if another one is better. All
  /// ranks call it after the same update. nullopt: the division stays.
  Result<std::optional<ShareChoice>> Reconsider(std::int64_t step);

 private:
  RankReport MyReport();
  Result<std::vector<RankReport>> Exchange();

  const RankShareOptions& options_;
  Ranks& ranks_;
  std::int64_t update_samples_;
  std::unique_ptr<DeviceEnergy> energy_;  // null: no counter
  RankPower modelled_;
  ShareWindow window_;
  std::optional<double> samples_per_s_;  // the last that is known: a rank may have no part
  std::chrono::seconds next_look_;       // after so much time of updates
  RankShareState state_;
};

}  // namespace ebb::train
