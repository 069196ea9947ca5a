#include "train/options/compress_options.h"

#include "train/options/flags.h"

namespace ebb::train {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb-train compress runs/a/model.safetensors --int8 --output a-int8.safetensors
  ebb-train compress runs/a/model.safetensors --prune 0.8 --output a-pruned.safetensors

Both change the file, not what an inference uses: weights in 8 bits are decoded when the file is read, and zeros are
multiplied like other weights. ebb-train evaluate tells what accuracy remains. Exit codes: 0 done, 2 usage, 3 model,
4 unavailable (disk, memory).
)";

}  // namespace

Result<CompressRequest> ParseCompressOptions(std::span<const std::string> arguments) {
  CompressOptions options;
  CLI::App app("ebb-train compress: makes the file of a trained image classifier smaller.",
               "ebb-train compress");
  SetRules(app);
  app.footer(kExamples);
  app.add_option("model", options.model, "model file of a training")->required();
  app.add_flag("--int8", options.int8, "8 bits for each weight, and a scale for each output");
  app.add_option("--prune", options.pruned,
                 "set this share of the weights to zero, the smallest of all layers")
      ->check(Between({0, 0.9999}));
  app.add_option("--output", options.output, "file of the smaller model")->required();
  EBB_ASSIGN_OR_RETURN(const auto text, ParseFlags(app, arguments));
  if (text) return *text;
  if (!options.int8 && options.pruned == 0)
    return UsageError("nothing to do: --int8, --prune SHARE or both say how");
  return options;
}

}  // namespace ebb::train
