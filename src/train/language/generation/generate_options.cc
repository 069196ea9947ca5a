#include "train/language/generation/generate_options.h"

#include "train/language/generation/tokenizer_flag.h"
#include "train/options/flags.h"

namespace ebb::train {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb-train generate --base models/qwen --prompt "def add(a, b):"
  ebb-train generate --base models/qwen --chat --prompt "Which hours are clean?"
  ebb-train generate --base models/qwen --adapter runs/a/adapter --prompt "Hello" --temperature 0.8 --top-p 0.95

The text goes to standard output as it comes; Ctrl-C ends it. Exit codes: 0 done, 2 usage, 3 model, adapter or prompt,
4 unavailable (device, memory).
)";

// The text of the choices, before their names are looked up.
struct Choices {
  std::string precision = "bf16";
  std::string base_weights;
  std::string tokenizer_rules = "transformers-5";
  std::string device = "auto";
  std::string format = "text";
};

const Names<bool> kFormats = {{"text", false}, {"json", true}};

void AddFlags(CLI::App& app, GenerateOptions& options, Choices& choices) {
  const auto number = [&](const char* name, auto& value, Range range, const char* help) {
    app.add_option(name, value, help)->check(Between(range))->capture_default_str();
  };
  app.add_option("--base", options.base, "folder of the model, with its tokenizer.json")
      ->required();
  app.add_option("--adapter", options.adapter, "folder of an adapter in PEFT's format");
  app.add_option("--prompt", options.prompt, "the text to complete")->required();
  CLI::Option* chat =
      app.add_flag("--chat", options.chat,
                   "the prompt is a user's message: the tokenizer's chat template writes the text");
  app.add_option("--system", options.system_message, "with --chat: the system's message before it")
      ->needs(chat);
  app.add_option(kTokenizerRulesFlag, choices.tokenizer_rules, kTokenizerRulesHelp)
      ->capture_default_str();
  number("--max-new-tokens", options.max_new_tokens, {1, 1e6}, "end after so many tokens");
  number("--temperature", options.temperature, {0, 100},
         "0: the most likely token each time; higher: more varied");
  number("--top-k", options.top_k, kLimit, "draw from the K most likely tokens; 0: from all");
  number("--top-p", options.top_p, {1e-6, 1},
         "draw from the most likely tokens that together have this probability");
  number("--seed", options.seed, kSeed, "of what is drawn");
  number("--threads", options.threads, {0, 4096}, "CPU threads; 0: one per available core");
  app.add_option("--precision", choices.precision, "bf16 | fp32")->capture_default_str();
  app.add_option("--base-weights", choices.base_weights, kBaseWeightsHelp);
  app.add_option("--device", choices.device, "auto | cpu | cuda")->capture_default_str();
  app.add_option("--format", choices.format, "text | json")->capture_default_str();
}

}  // namespace

Result<GenerateRequest> ParseGenerateOptions(std::span<const std::string> arguments) {
  GenerateOptions options;
  Choices choices;
  CLI::App app("ebb-train generate: completes a prompt with a language model.",
               "ebb-train generate");
  SetRules(app);
  app.footer(kExamples);
  AddFlags(app, options, choices);
  EBB_ASSIGN_OR_RETURN(const auto text, ParseFlags(app, arguments));
  if (text) return *text;
  EBB_RETURN_IF_ERROR(LookUp("--precision", kPrecisions, choices.precision, options.precision));
  EBB_RETURN_IF_ERROR(LookUp("--device", kDevices, choices.device, options.device));
  EBB_RETURN_IF_ERROR(LookUp(kTokenizerRulesFlag, kTokenizerRules, choices.tokenizer_rules,
                             options.tokenizer_rules));
  EBB_RETURN_IF_ERROR(LookUp("--format", kFormats, choices.format, options.json));
  if (options.precision == Precision::kFp16)
    return UsageError("--precision of a language model is bf16 or fp32, not \"fp16\"");
  EBB_ASSIGN_OR_RETURN(options.base_weights,
                       ParseBaseWeights(choices.base_weights, options.precision));
  return options;
}

}  // namespace ebb::train
