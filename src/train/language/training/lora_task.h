#pragma once
// Fine-tuning of a language model with a low-rank adapter, as a task of the training loop:
// next-token cross-entropy, where each predicted token of an update counts the same however the
// update is cut into micro-batches. Micro-batches hold sequences of similar length, padded to the
// longest. Padding is neither learned nor attended to. Dropout is a function of (seed, step,
// micro-batch), so a checkpoint stores no random state for it, but the size of micro-batches.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/devices/tensor_memory.h"
#include "train/language/adapter/adapter.h"
#include "train/language/model/compute_paths.h"
#include "train/language/model/decoder.h"
#include "train/language/model/flops.h"
#include "train/language/training/update_meter.h"
#include "train/learning/micro_batch_search.h"
#include "train/learning/task.h"
#include "train/text/records/text_data.h"

namespace ebb::train {

/// A model that the trained one learns from (chunked_loss.h). Validation ignores the teacher.
struct Teacher {
  Decoder decoder;
  std::optional<Adapter> adapter;
  double temperature = 1;
  double mix = 0;
};

struct LoraTaskSettings {
  std::size_t micro_batch = 1;
  std::int64_t search_updates = 0;  ///< first updates that may try other sizes; 0: none
  std::size_t update_samples = 1;   ///< samples of a whole update, if sizes are tried
  /// Peak of the run, if sizes are tried; borrowed. A CPU tries none that its memory may not hold.
  const TensorMemoryScope* memory = nullptr;
  std::uint64_t seed = 1;
  double clip_norm = 0;  ///< 0: none
  Recompute recompute = Recompute::kNothing;
  ComputePaths paths = {};
  const Teacher* teacher = nullptr;  ///< borrowed
  AdamSettings optimizer;
};

class LoraTask : public Task {
 public:
  using OnFinish = std::function<Result<std::string>(const LoraTask&, const TrainingState&)>;

  /// Borrows decoder and data.
  LoraTask(const Decoder& decoder, const TextData& data, Adapter adapter,
           const LoraTaskSettings& settings, OnFinish on_finish);

  std::size_t samples() const override { return data_.training.rows(); }
  torch::Device device() const override { return decoder_.device(); }
  Adam& optimizer() override { return optimizer_; }
  NamedTensors TrainedTensors() override;
  UpdateLoss AddGradients(const UpdateRequest& request) override;
  void BeforeStep() override;
  MicroBatchState micro_batch_state() const override { return search_.state(); }
  void UseMicroBatch(const MicroBatchState& state) override { search_.Resume(state); }
  Evaluation Evaluate() override;
  Result<std::string> Finish(const TrainingState& state) override {
    return on_finish_(*this, state);
  }

  const Adapter& adapter() const { return adapter_; }
  const Decoder& decoder() const { return decoder_; }
  const TextData& data() const { return data_; }
  /// Token counts of an epoch of training.
  TokenCounts EpochCounts() const;

 private:
  UpdateLoss TryGradients(const UpdateRequest& request);
  UpdateLoss MeasuredGradients(const UpdateRequest& request);
  bool MayNeedMoreMemoryThanThereIs() const;
  void TakeSmallerMicroBatches();

  const Decoder& decoder_;
  const TextData& data_;
  Adapter adapter_;
  LoraTaskSettings settings_;
  MicroBatchSearch search_;
  std::optional<UpdateMeter> meter_;  // while sizes are tried
  Adam optimizer_;
  OnFinish on_finish_;
};

/// Scales the gradients so that the norm of all together is at most `largest` (as
/// torch.nn.utils.clip_grad_norm_ does).
void ClipGradients(const std::vector<torch::Tensor>& gradients, double largest);

}  // namespace ebb::train
