#pragma once
// The options that every training of ebb-train has, whatever it trains. The commands add their own
// (options.h, train/language/training/lora_options.h) and may have other defaults.

#include <cstdint>
#include <string>

#include "train/options/command.h"
#include "train/options/rank_share_options.h"
#include "train/options/schedule.h"

namespace ebb::train {

/// Options of knowledge distillation (divergence.h).
struct Distillation {
  std::string teacher;     ///< model to learn from; empty: none
  double temperature = 2;  ///< divides both models' logits
  double mix = 0.5;        ///< the teacher's share of the loss
};

struct RunOptions {
  std::int64_t batch_size = 64;  ///< size of a micro-batch
  std::int64_t accumulation = 1;
  std::int64_t epochs = 3;
  LearningRateSchedule learning_rate;
  Precision precision = Precision::kFp32;
  DeviceChoice device = DeviceChoice::kAuto;
  std::int64_t threads = 0;  ///< 0: one per available core
  std::uint64_t seed = 1;
  Distillation distillation;

  bool check = false;  ///< report if the training could start, without training
  std::string run_dir = "runs/train";
  std::string checkpoint_dir;  ///< empty: <run_dir>/checkpoints
  std::int64_t checkpoint_every = 0;
  bool resume = false;
  bool allow_changed = false;  ///< go on although the data or the model has changed
  bool verify = false;         ///< digests of whole weights, too (input_content.h)
  RankShareOptions rank_share;
  Exchange exchange = Exchange::kGloo;
  OnDivergence on_divergence = OnDivergence::kStop;
  ProgressStyle progress = ProgressStyle::kAuto;
};

}  // namespace ebb::train
