#include "train/options/evaluate_options.h"

#include "train/options/flags.h"

namespace ebb::train {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb-train evaluate runs/a/model.safetensors --data digits
  ebb run -- ebb-train evaluate runs/a/model.safetensors --data digits --repeat 20
                                                         what its inferences use

One JSON object goes to standard output: accuracy and loss, parameters, those that are not zero, bytes of the file, and
how many inferences took how long, reading apart. Exit codes: 0 done, 2 usage, 3 model or data, 4 unavailable (device,
memory), 75 ended by SIGINT or SIGTERM.
)";

struct Choices {
  std::string data = "mnist";
  std::string precision = "fp32";
  std::string device = "auto";
};

void AddFlags(CLI::App& app, EvaluateOptions& options, Choices& choices) {
  app.add_option("model", options.model, "model file of a training")->required();
  AddDataFlags(app, options, choices.data, "Data");
  const auto number = [&](const char* name, auto& value, Range range, const char* help) {
    app.add_option(name, value, help)->check(Between(range))->capture_default_str();
  };
  number("--batch-size", options.batch_size, {1, 1e6}, "images at a time");
  number("--repeat", options.repeat, kCount, "pass over the test images so often");
  number("--threads", options.threads, {0, 4096}, "CPU threads; 0: one per available core");
  app.add_option("--precision", choices.precision, "fp32 | bf16 | fp16")->capture_default_str();
  app.add_option("--device", choices.device, "auto | cpu | cuda")->capture_default_str();
}

}  // namespace

Result<EvaluateRequest> ParseEvaluateOptions(std::span<const std::string> arguments) {
  EvaluateOptions options;
  Choices choices;
  CLI::App app("ebb-train evaluate: how good a trained image classifier is, and how fast.",
               "ebb-train evaluate");
  SetRules(app);
  app.footer(kExamples);
  AddFlags(app, options, choices);
  EBB_ASSIGN_OR_RETURN(const auto text, ParseFlags(app, arguments));
  if (text) return *text;
  EBB_RETURN_IF_ERROR(LookUp("--data", kDataSources, choices.data, options.data));
  EBB_RETURN_IF_ERROR(LookUp("--precision", kPrecisions, choices.precision, options.precision));
  EBB_RETURN_IF_ERROR(LookUp("--device", kDevices, choices.device, options.device));
  return options;
}

}  // namespace ebb::train
