#include "train/language/adapter/merge_options.h"

#include "train/options/flags.h"

namespace ebb::train {
namespace {

constexpr const char* kExamples = R"(
Example:
  ebb-train merge --base models/qwen --adapter runs/a/adapter --output models/qwen-tuned

The folder has the model's own files but for the weights, which keep their types. Exit codes: 0 done, 2 usage,
3 model or adapter, 4 unavailable (disk, memory).
)";

}  // namespace

Result<MergeRequest> ParseMergeOptions(std::span<const std::string> arguments) {
  MergeOptions options;
  CLI::App app("ebb-train merge: adds an adapter into the weights of its model.",
               "ebb-train merge");
  SetRules(app);
  app.footer(kExamples);
  app.add_option("--base", options.base, "folder of the model")->required();
  app.add_option("--adapter", options.adapter, "folder of an adapter in PEFT's format")->required();
  app.add_option("--output", options.output, "folder of the merged model; it must not be there yet")
      ->required();
  EBB_ASSIGN_OR_RETURN(const auto text, ParseFlags(app, arguments));
  if (text) return *text;
  return options;
}

}  // namespace ebb::train
