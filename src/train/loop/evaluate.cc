#include "train/loop/evaluate.h"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "train/data/batch.h"
#include "train/devices/autocast.h"
#include "train/devices/device.h"
#include "train/learning/learning.h"
#include "train/library_errors.h"
#include "train/loop/stop_request.h"

namespace ebb::train {
namespace {

using nlohmann::ordered_json;
using Found = std::optional<ordered_json>;

ordered_json Described(const LoadedModel& loaded) {
  std::int64_t parameters = 0, used = 0;
  for (const torch::Tensor& parameter : loaded.model->parameters()) {
    parameters += parameter.numel();
    used += parameter.count_nonzero().item<std::int64_t>();
  }
  return {{"model", loaded.info.name},
          {"weights", loaded.form == WeightForm::kInt8 ? "int8" : "fp32"},
          {"file_bytes", loaded.file_bytes},
          {"parameters", parameters},
          {"nonzero_parameters", used}};
}

Result<Found> EvaluateUnguarded(const EvaluateOptions& options, const LoadedModel& loaded,
                                const Dataset& test) {
  EBB_ASSIGN_OR_RETURN(const torch::Device device, SelectDevice(options.device));
  EBB_RETURN_IF_ERROR(RequirePrecisionSupported(options.precision, device.type()));
  EBB_RETURN_IF_ERROR(RequireShape(loaded.info, test, options.model));
  const std::int64_t threads = UseThreads(options.threads);
  ordered_json found = Described(loaded);
  loaded.model->to(device);
  UseFastMemoryFormat(*loaded.model, device, options.precision);
  const BatchSource source(test, device);
  Evaluation evaluation;
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t pass = 0; pass < options.repeat; ++pass) {
    if (StopRequested()) return std::nullopt;
    evaluation = Evaluate(*loaded.model, source,
                          {.micro_batch = static_cast<std::size_t>(options.batch_size),
                           .precision = options.precision});
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::int64_t inferences = static_cast<std::int64_t>(test.size()) * options.repeat;
  found.update(ordered_json{
      {"test_accuracy_percent", std::round(1e8 * evaluation.accuracy) / 1e6},
      {"test_loss", evaluation.loss},
      {"threads", threads},
      {"inferences", inferences},
      {"seconds", seconds},
      {"inferences_per_second", seconds > 0 ? static_cast<double>(inferences) / seconds : 0}});
  return found;
}

}  // namespace

Result<Found> EvaluateModel(const EvaluateOptions& options, const LoadedModel& loaded,
                            const Dataset& test) {
  return WithLibraryErrors([&] { return EvaluateUnguarded(options, loaded, test); });
}

}  // namespace ebb::train
