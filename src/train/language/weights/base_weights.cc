#include "train/language/weights/base_weights.h"

#include "train/options/flags.h"
#include "train/options/options.h"

namespace ebb::train {
namespace {

const Names<BaseWeights> kNames = {{"bf16", BaseWeights::kBf16},
                                   {"int8", BaseWeights::kInt8},
                                   {"nf4", BaseWeights::kNf4},
                                   {"nf4-double", BaseWeights::kNf4Double}};
const Names<BaseWeights> kChoices = {{"bf16", BaseWeights::kBf16},
                                     {"fp32", BaseWeights::kPlain},
                                     {"int8", BaseWeights::kInt8},
                                     {"nf4", BaseWeights::kNf4},
                                     {"nf4-double", BaseWeights::kNf4Double}};

}  // namespace

std::string Name(BaseWeights weights, Precision precision) {
  return weights == BaseWeights::kPlain ? Name(precision) : Name(weights);
}

std::string Name(BaseWeights weights) {
  return weights == BaseWeights::kPlain ? "" : NameOf(kNames, weights);
}

std::optional<BaseWeights> BaseWeightsNamed(std::string_view name) {
  for (const auto& [known, weights] : kNames)
    if (known == name) return weights;
  return std::nullopt;
}

Result<BaseWeights> ParseBaseWeights(const std::string& text, Precision precision) {
  if (text.empty() || text == Name(precision)) return BaseWeights::kPlain;
  BaseWeights weights = BaseWeights::kPlain;
  EBB_RETURN_IF_ERROR(LookUp("--base-weights", kChoices, text, weights));
  if (weights == BaseWeights::kPlain)
    return UsageError("--base-weights fp32 is for --precision fp32: arithmetic in " +
                      Name(precision) + " uses no more of a weight");
  return weights;
}

}  // namespace ebb::train
