#include "train/language/training/lora_task.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <new>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/random.h"
#include "train/data/sampler.h"
#include "train/devices/device.h"
#include "train/devices/on_device.h"
#include "train/language/model/chunked_loss.h"
#include "train/language/model/forward.h"

namespace ebb::train {
namespace {

using torch::Tensor;
using Samples = std::vector<std::uint32_t>;

// A micro-batch, and the tokens in it that are to be predicted.
struct MicroBatch {
  TokenBatch batch;
  Tensor places;   ///< indices of the hidden states in the flattened batch
  Tensor targets;  ///< the tokens that follow them
  std::int64_t tokens = 0;
};

// Where the sequences of a packed batch begin in all of its places, and the end of the last.
std::vector<std::int32_t> EndsOf(const TextBatch& text) {
  std::vector<std::int32_t> ends;
  for (std::size_t i = 0; i < text.starts.size(); ++i)
    if (text.starts[i] == static_cast<std::int64_t>(i % text.columns))
      ends.push_back(static_cast<std::int32_t>(i));
  ends.push_back(static_cast<std::int32_t>(text.starts.size()));
  return ends;
}

void AddSequences(const TextBatch& text, torch::Device device, TokenBatch& batch) {
  const std::vector<std::int32_t> ends = EndsOf(text);
  for (std::size_t i = 1; i < ends.size(); ++i)
    batch.longest_sequence = std::max<std::int64_t>(batch.longest_sequence, ends[i] - ends[i - 1]);
  batch.starts = OnDevice(text.starts, device).view(batch.ids.sizes());
  batch.positions = torch::arange(batch.ids.size(1), batch.starts.options()) - batch.starts;
  batch.sequence_ends = OnDevice(torch::tensor(ends, torch::dtype(torch::kInt32)), device);
}

MicroBatch MicroBatchOf(const TextBatch& text, torch::Device device) {
  std::vector<std::int64_t> places, targets;
  for (std::size_t i = 0; i < text.loss_mask.size(); ++i) {
    if (text.loss_mask[i] == 0) continue;
    places.push_back(static_cast<std::int64_t>(i) - 1);
    targets.push_back(text.ids[i]);
  }
  MicroBatch batch;
  batch.batch.ids =
      OnDevice(text.ids, device)
          .view({static_cast<std::int64_t>(text.rows), static_cast<std::int64_t>(text.columns)});
  if (!text.starts.empty()) AddSequences(text, device, batch.batch);
  batch.places = OnDevice(places, device);
  batch.targets = OnDevice(targets, device);
  batch.tokens = static_cast<std::int64_t>(text.tokens);
  return batch;
}

std::size_t LengthOf(const TextDataset& data, std::uint32_t row) {
  std::size_t length = 0;
  for (const std::uint32_t example : data.ExamplesOf(row))
    length += data.store().ids(example).size();
  return length;
}

// Sorts by length, so that neighbours need little padding; ties keep their order.
Samples ByLength(const TextDataset& data, std::span<const std::uint32_t> samples) {
  Samples sorted(samples.begin(), samples.end());
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return LengthOf(data, a) > LengthOf(data, b);
  });
  return sorted;
}

Samples AllRows(const TextDataset& data) {
  Samples rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

// The hidden states that predict a token: {targets, width}.
Tensor StatesOf(const Decoder& decoder, const Adapter* adapter, const MicroBatch& batch,
                const ForwardSettings& settings) {
  return HiddenStates(decoder, adapter, batch.batch, settings)
      .flatten(0, 1)
      .index_select(0, batch.places);
}

TeacherStates Ask(const Teacher& teacher, const MicroBatch& batch, const ComputePaths& paths) {
  const torch::NoGradGuard no_grad;
  return {StatesOf(teacher.decoder, teacher.adapter ? &*teacher.adapter : nullptr, batch,
                   {.paths = paths}),
          teacher.decoder.output, teacher.temperature, teacher.mix};
}

TokenLoss LossOf(const Decoder& decoder, const Adapter& adapter, const MicroBatch& batch,
                 const ForwardSettings& settings, const Teacher* teacher = nullptr) {
  std::optional<TeacherStates> taught;
  if (teacher != nullptr) taught = Ask(*teacher, batch, settings.paths);
  return ChunkedCrossEntropy(StatesOf(decoder, &adapter, batch, settings), decoder.output,
                             batch.targets, taught ? &*taught : nullptr);
}

bool IsShortOfMemory(const std::exception& error) {
  const std::string_view text = error.what();
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         text.find("out of memory") != std::string_view::npos ||
         text.find("not enough memory") != std::string_view::npos ||
         text.find("can't allocate memory") != std::string_view::npos;
}

MicroBatchSearch SearchFor(const LoraTaskSettings& settings) {
  if (settings.search_updates == 0) return MicroBatchSearch(settings.micro_batch);
  return MicroBatchSearch(
      MicroBatchLimits{settings.micro_batch, settings.update_samples, settings.search_updates});
}

}  // namespace

LoraTask::LoraTask(const Decoder& decoder, const TextData& data, Adapter adapter,
                   const LoraTaskSettings& settings, OnFinish on_finish)
    : decoder_(decoder),
      data_(data),
      adapter_(std::move(adapter)),
      settings_(settings),
      search_(SearchFor(settings)),
      optimizer_(adapter_.Tensors(), settings.optimizer),
      on_finish_(std::move(on_finish)) {}

NamedTensors LoraTask::TrainedTensors() {
  NamedTensors tensors = adapter_.Tensors();
  for (auto& [name, tensor] : tensors) name = "adapter." + name;
  return tensors;
}

UpdateLoss LoraTask::TryGradients(const UpdateRequest& request) {
  const Samples rows = ByLength(data_.training, request.samples);
  std::vector<TextBatch> batches;
  UpdateLoss result;
  for (const auto part : MicroBatches(rows, search_.size())) {
    batches.push_back(data_.training.Batch(part));
    result.weight += static_cast<std::int64_t>(batches.back().targets);
  }
  result.mean = torch::zeros({}, torch::device(device()));
  if (result.weight == 0) return result;
  const double share = 1 / static_cast<double>(result.weight);
  const AdapterWeights weights(adapter_, decoder_.type());
  const std::uint64_t seed = SeedFor(settings_.seed, static_cast<std::uint64_t>(request.step));
  const std::uint64_t first = static_cast<std::uint64_t>(request.part) << 32;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const MicroBatch batch = MicroBatchOf(batches[i], device());
    const TokenLoss loss = LossOf(decoder_, adapter_, batch,
                                  {.dropout = adapter_.settings.dropout > 0,
                                   .seed = SeedFor(seed, first + i),
                                   .recompute = settings_.recompute,
                                   .paths = settings_.paths,
                                   .weights = &weights},
                                  settings_.teacher);
    (loss.sum * (share * request.loss_scale)).backward();
    const Tensor mean = loss.sum.detach() * share;
    result.mean = result.mean + mean;
    result.tokens += batch.tokens;
  }
  return result;
}

// If memory is short, the update begins again with smaller micro-batches; the effective batch stays
// the same.
UpdateLoss LoraTask::AddGradients(const UpdateRequest& request) {
  for (;;) {
    try {
      return MeasuredGradients(request);
    } catch (const std::exception& error) {
      if (!IsShortOfMemory(error) || search_.size() == 1) throw;
    }
    optimizer_.ClearGradients();
    TakeSmallerMicroBatches();
  }
}

void LoraTask::TakeSmallerMicroBatches() {
  const std::size_t too_large = search_.size();
  search_.RunOutOfMemory();
  std::fprintf(stderr,
               "ebb-train: not enough memory for micro-batches of %zu sequences: goes on with %zu; "
               "the effective batch stays the same\n",
               too_large, search_.size());
}

// A size is tried after its half, and needs at most twice its memory. On a GPU an allocation fails,
// but a system without memory for a CPU ends the program.
bool LoraTask::MayNeedMoreMemoryThanThereIs() const {
  if (device().is_cuda() || settings_.memory == nullptr) return false;
  const auto available = AvailableMemoryBytes();
  return available && search_.size() > settings_.micro_batch &&
         *available < 2 * settings_.memory->peak_bytes();
}

// The last update of an epoch, which may have fewer samples, says nothing of larger micro-batches.
UpdateLoss LoraTask::MeasuredGradients(const UpdateRequest& request) {
  if (!search_.searching()) {
    meter_.reset();
    return TryGradients(request);
  }
  if (request.samples.size() < settings_.update_samples) return TryGradients(request);
  if (MayNeedMoreMemoryThanThereIs()) TakeSmallerMicroBatches();
  if (!meter_) meter_.emplace(device());
  meter_->Begin();
  UpdateLoss loss = TryGradients(request);
  search_.Add(meter_->End(loss.tokens));
  return loss;
}

void LoraTask::BeforeStep() {
  if (settings_.clip_norm > 0) ClipGradients(optimizer_.Gradients(), settings_.clip_norm);
}

Evaluation LoraTask::Evaluate() {
  const torch::NoGradGuard no_grad;
  if (data_.validation.rows() == 0) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    return {kUnknown, kUnknown};
  }
  const auto options = torch::dtype(torch::kFloat64).device(device());
  Tensor sum = torch::zeros({}, options), correct = torch::zeros({}, options);
  double predicted = 0;
  const Samples rows = ByLength(data_.validation, AllRows(data_.validation));
  for (const auto part : MicroBatches(rows, search_.size())) {
    const MicroBatch batch = MicroBatchOf(data_.validation.Batch(part), device());
    const TokenLoss loss = LossOf(decoder_, adapter_, batch, {.paths = settings_.paths});
    sum += loss.sum;
    correct += loss.correct;
    predicted += static_cast<double>(batch.targets.numel());
  }
  return {sum.item<double>() / predicted, correct.item<double>() / predicted};
}

TokenCounts LoraTask::EpochCounts() const {
  const TextDataset& data = data_.training;
  TokenCounts counts;
  for (const std::uint32_t row : AllRows(data)) {
    for (const std::uint32_t example : data.ExamplesOf(row)) {
      const auto length = static_cast<double>(data.store().ids(example).size());
      counts.tokens += length;
      counts.squared_lengths += length * length;
    }
    counts.predicted += static_cast<double>(data.Batch({&row, 1}).targets);
  }
  return counts;
}

void ClipGradients(const std::vector<Tensor>& gradients, double largest) {
  if (gradients.empty()) return;
  const torch::NoGradGuard no_grad;
  const Tensor norm = torch::stack(at::_foreach_norm(gradients)).norm();
  const Tensor factor = (largest / (norm + 1e-6)).clamp_max_(1.0);
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  at::_foreach_mul_(gradients, factor);
#else
  for (Tensor gradient : gradients) gradient.mul_(factor);
#endif
}

}  // namespace ebb::train
