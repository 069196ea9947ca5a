#include "train/loop/trainer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "platform/file.h"
#include "train/data/batch.h"
#include "train/devices/autocast.h"
#include "train/devices/device.h"
#include "train/devices/tensor_memory.h"
#include "train/files/checkpoint.h"
#include "train/files/model_file.h"
#include "train/learning/adam.h"
#include "train/learning/learning.h"
#include "train/learning/recorded_gradients.h"
#include "train/learning/training_state.h"
#include "train/library_errors.h"
#include "train/libtorch.h"
#include "train/loop/run_result.h"
#include "train/loop/speed.h"
#include "train/ranks/nccl_sum.h"

namespace ebb::train {
namespace {

// Evaluation keeps no activations, so it may use larger batches than training without raising the
// memory peak.
constexpr std::size_t kMinEvaluationBatch = 32;

// Choices that are made once, before the run's objects.
struct Setup {
  ModelInfo model;
  torch::Device device;
  std::int64_t threads = 1;
  std::string precision_notice;
  RankPlace place{};
  std::optional<ClassifierTeacher> teacher{};
  std::unique_ptr<DeviceSum> devices{};
};

class ClassifierTask : public Task {
 public:
  ClassifierTask(const Options& options, const DataSplits& data, const Setup& setup);

  std::size_t samples() const override { return data_.train.size(); }
  torch::Device device() const override { return setup_.device; }
  Adam& optimizer() override { return *optimizer_; }
  NamedTensors TrainedTensors() override { return ModelTensors(*model_, "model.", "buffer."); }
  UpdateLoss AddGradients(const UpdateRequest& request) override;
  Evaluation Evaluate() override;
  Result<std::string> Finish(const TrainingState& state) override;

 private:
  const Options& options_;
  const DataSplits& data_;
  const Setup& setup_;
  BatchSource train_source_;
  BatchSource test_source_;
  std::shared_ptr<Classifier> model_;
  std::unique_ptr<Adam> optimizer_;
  std::optional<RecordedGradients> recorded_;  // for updates with all their samples
};

// A recorded update has the loss's factor of its recording, and a teacher's part is not recorded.
bool Records(const Options& options, const Setup& setup, const BatchSource& source) {
  if (options.graph == GraphChoice::kOff || !source.is_on_device()) return false;
  if (options.precision == Precision::kFp16 || setup.teacher) return false;
  return options.graph == GraphChoice::kOn || DeviceGraph::Available(setup.device);
}

ClassifierTask::ClassifierTask(const Options& options, const DataSplits& data, const Setup& setup)
    : options_(options),
      data_(data),
      setup_(setup),
      train_source_(data.train, setup.device, options.place),
      test_source_(data.test, setup.device, options.place) {
  torch::manual_seed(options.seed);
  model_ = setup.model.make();
  model_->to(setup.device);
  UseFastMemoryFormat(*model_, setup.device, options.precision);
  model_->train();
  optimizer_ = std::make_unique<Adam>(*model_);
  if (Records(options, setup, train_source_))
    recorded_.emplace(
        *model_, train_source_,
        UpdateSettings{static_cast<std::size_t>(options.batch_size), options.precision, 1, nullptr},
        static_cast<std::size_t>(options.batch_size * options.accumulation));
}

UpdateLoss ClassifierTask::AddGradients(const UpdateRequest& request) {
  if (recorded_ && recorded_->samples() == request.samples.size())
    return {recorded_->Replace(request.samples), static_cast<std::int64_t>(request.samples.size()),
            0};
  const UpdateSettings settings{static_cast<std::size_t>(options_.batch_size), options_.precision,
                                request.loss_scale, setup_.teacher ? &*setup_.teacher : nullptr};
  return {train::AddGradients(*model_, train_source_, request.samples, settings),
          static_cast<std::int64_t>(request.samples.size()), 0};
}

Evaluation ClassifierTask::Evaluate() {
  const std::size_t batch =
      std::max(static_cast<std::size_t>(options_.batch_size), kMinEvaluationBatch);
  return train::Evaluate(*model_, test_source_, {batch, options_.precision, 1.0});
}

// The fields of train_result.json that only a classifier has.
nlohmann::ordered_json ClassifierFields(const Options& options, const Classifier& model) {
  std::int64_t parameters = 0;
  for (const torch::Tensor& parameter : model.parameters()) parameters += parameter.numel();
  nlohmann::ordered_json fields = {{"parameters", parameters}};
  const Distillation& distillation = options.distillation;
  if (!distillation.teacher.empty())
    fields.update(nlohmann::ordered_json{{"teacher", distillation.teacher},
                                         {"temperature", distillation.temperature},
                                         {"distillation_mix", distillation.mix}});
  return fields;
}

Result<std::string> ClassifierTask::Finish(const TrainingState& state) {
  EBB_RETURN_IF_ERROR(SaveModel(options_.model_save_path, *model_, options_.model));
  const RunFacts facts{.train_samples = static_cast<std::int64_t>(data_.train.size()),
                       .test_samples = static_cast<std::int64_t>(data_.test.size()),
                       .device = setup_.device.is_cuda() ? "cuda" : "cpu",
                       .device_name = DeviceName(setup_.device),
                       .threads = setup_.threads,
                       .parameters_sha256 = ParametersSha256(*model_),
                       .torch_version = TORCH_VERSION,
                       .precision_notice = setup_.precision_notice,
                       .more = ClassifierFields(options_, *model_)};
  const platform::Path result_path = platform::Path(options_.run_dir) / "train_result.json";
  RunDescription run = DescriptionOf(options_);
  run.model = options_.model;
  run.dataset = Name(options_.data);
  run.model_path = options_.model_save_path;
  EBB_RETURN_IF_ERROR(WriteRunResult(result_path, run, state, facts));
  return "result in " + result_path.string() + ", model in " + options_.model_save_path;
}

// Makes sure that the model's folder is writable before time is spent on epochs.
Status EnsureModelFolder(const Options& options) {
  return platform::EnsureWritableDirectory(platform::Path(options.model_save_path).parent_path());
}

struct Fit {
  ModelInfo model;
  RankPlace place;
  torch::Device device;
  std::optional<ClassifierTeacher> teacher;
  std::unique_ptr<DeviceSum> devices;
};

Result<std::optional<ClassifierTeacher>> TeacherOf(const Options& options, const DataSplits& data,
                                                   torch::Device device) {
  const Distillation& distillation = options.distillation;
  if (distillation.teacher.empty()) return std::nullopt;
  EBB_ASSIGN_OR_RETURN(const LoadedModel loaded, LoadModel(distillation.teacher));
  EBB_RETURN_IF_ERROR(RequireShape(loaded.info, data.train, "--teacher " + distillation.teacher));
  loaded.model->to(device);
  UseFastMemoryFormat(*loaded.model, device, options.precision);
  return ClassifierTeacher{loaded.model, distillation.temperature, distillation.mix};
}

Result<Fit> FitOf(const Options& options, const DataSplits& data) {
  EBB_ASSIGN_OR_RETURN(ModelInfo model, FindModel(options.model));
  EBB_ASSIGN_OR_RETURN(RankPlace place, RankPlaceFrom(std::getenv));
  EBB_ASSIGN_OR_RETURN(const torch::Device device, SelectDevice(options.device, place.local_rank));
  EBB_ASSIGN_OR_RETURN(auto devices, OpenExchange(options.exchange, device));
  EBB_RETURN_IF_ERROR(RequirePrecisionSupported(options.precision, device.type()));
  EBB_RETURN_IF_ERROR(RequireShape(model, data.train, "--model " + options.model));
  EBB_ASSIGN_OR_RETURN(auto teacher, TeacherOf(options, data, device));
  return Fit{std::move(model), std::move(place), device, std::move(teacher), std::move(devices)};
}

Result<Setup> Prepare(const Options& options, const DataSplits& data) {
  EBB_ASSIGN_OR_RETURN(Fit fit, FitOf(options, data));
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(options.run_dir));
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(options.checkpoint_dir));
  EBB_RETURN_IF_ERROR(EnsureModelFolder(options));
  const std::int64_t threads = UseThreads(options.threads, fit.place.on_this_machine);
  return Setup{std::move(fit.model),
               fit.device,
               threads,
               PrecisionNotice(options.precision, fit.device),
               std::move(fit.place),
               std::move(fit.teacher),
               std::move(fit.devices)};
}

// A teacher is the same if its weights are the same, wherever its file is.
nlohmann::ordered_json FingerprintOf(const Options& options, const Setup& setup) {
  nlohmann::ordered_json fingerprint = Fingerprint(options);
  if (setup.teacher)
    fingerprint["--teacher"] = "of SHA-256 " + ParametersSha256(*setup.teacher->model);
  return fingerprint;
}

InputContent InputsOf(const DataSplits& data) {
  InputContent inputs;
  const auto add = [&](const std::string& name, const std::vector<std::uint8_t>& bytes) {
    AddInput(inputs, name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  add("the training images", data.train.pixels);
  add("the training labels", data.train.labels);
  add("the test images", data.test.pixels);
  add("the test labels", data.test.labels);
  return inputs;
}

Result<Outcome> TrainUnguarded(const Options& options, const DataSplits& data) {
  EBB_ASSIGN_OR_RETURN(Setup setup, Prepare(options, data));
  EBB_ASSIGN_OR_RETURN(
      Ranks ranks, Ranks::Join(setup.place, options.rank_share.weight, std::move(setup.devices)));
  const TensorMemoryScope memory(setup.device.type());
  ClassifierTask task(options, data, setup);
  return RunTraining(task, LoopOf(options, {FingerprintOf(options, setup), InputsOf(data)}, ranks),
                     memory);
}

}  // namespace

Status CheckTraining(const Options& options, const DataSplits& data) {
  const auto fit = WithLibraryErrors([&] { return FitOf(options, data); });
  if (!fit) return Fail(fit.error());
  const bool in_run_dir = options.model_save_path.starts_with(options.run_dir + "/");
  return in_run_dir ? Status{} : EnsureModelFolder(options);
}

Result<Outcome> Train(const Options& options, const DataSplits& data) {
  return WithLibraryErrors([&] { return TrainUnguarded(options, data); });
}

}  // namespace ebb::train
