#include "train/files/compress.h"

#include <cmath>
#include <filesystem>
#include <vector>

#include "train/files/model_file.h"
#include "train/library_errors.h"

namespace ebb::train {
namespace {

Result<Compressed> CompressUnguarded(const CompressOptions& options) {
  EBB_ASSIGN_OR_RETURN(const LoadedModel loaded, LoadModel(options.model));
  if (options.pruned > 0) Prune(*loaded.model, options.pruned);
  const bool int8 = options.int8 || loaded.form == WeightForm::kInt8;
  EBB_RETURN_IF_ERROR(SaveModel(options.output, *loaded.model, loaded.info.name,
                                int8 ? WeightForm::kInt8 : WeightForm::kPlain));
  std::error_code code;
  return Compressed{loaded.file_bytes, std::filesystem::file_size(options.output, code)};
}

}  // namespace

std::int64_t Prune(Classifier& model, double share) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> weights, magnitudes;
  for (const torch::Tensor& parameter : model.parameters()) {
    if (!IsWeight(parameter)) continue;
    weights.push_back(parameter);
    magnitudes.push_back(parameter.abs().flatten());
  }
  const torch::Tensor all = torch::cat(magnitudes);
  const auto count =
      static_cast<std::int64_t>(std::floor(share * static_cast<double>(all.numel())));
  torch::Tensor kept = torch::ones_like(all);
  kept.index_fill_(0, std::get<1>(all.topk(count, 0, /*largest=*/false, /*sorted=*/false)), 0);
  std::int64_t first = 0, zero = 0;
  for (torch::Tensor& weight : weights) {
    weight.mul_(kept.narrow(0, first, weight.numel()).view(weight.sizes()));
    first += weight.numel();
    zero += weight.numel() - weight.count_nonzero().item<std::int64_t>();
  }
  return zero;
}

Result<Compressed> Compress(const CompressOptions& options) {
  return WithLibraryErrors([&] { return CompressUnguarded(options); });
}

}  // namespace ebb::train
