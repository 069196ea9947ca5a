#include "config/run/lora_section.h"

#include <algorithm>
#include <memory>

#include "config/yaml/list_reader.h"

namespace ebb::config {
namespace {

using Words = std::vector<std::string>;

constexpr double kMostRecords = 1e9;
constexpr double kLargestSeed = 9e15;
constexpr long long kLargestMicroBatch = 65536;

const Words kProjections{"q_proj",    "k_proj",  "v_proj",   "o_proj",
                         "gate_proj", "up_proj", "down_proj"};

std::string FlagOf(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

// A rule that keeps its value as the words of a flag. `rule_of` makes the rule for a given place to
// write to.
template <typename T, typename MakeRule, typename MakeWords>
KeyRule AsFlag(LoraKeys& keys, const MakeRule& rule_of, const MakeWords& words_of) {
  const auto given = std::make_shared<Given<T>>();
  const KeyRule rule = rule_of(*given);
  return {rule.name, [&keys, given, rule, words_of](const YamlNode& value, Problems& problems) {
            rule.read(value, problems);
            if (!*given) return;
            const Words words = words_of(FlagOf(rule.name), **given);
            keys.flags.insert(keys.flags.end(), words.begin(), words.end());
          }};
}

KeyRule Number(LoraKeys& keys, const std::string& name, Range range) {
  return AsFlag<double>(
      keys, [&](auto& out) { return ReadNumber(name, out, range); },
      [](const std::string& flag, double value) {
        return Words{flag, FormatExact(value)};
      });
}

KeyRule Integer(LoraKeys& keys, const std::string& name, Range range) {
  return AsFlag<std::int64_t>(
      keys, [&](auto& out) { return ReadInteger(name, out, range); },
      [](const std::string& flag, std::int64_t value) {
        return Words{flag, std::to_string(value)};
      });
}

KeyRule Text(LoraKeys& keys, const std::string& name) {
  return AsFlag<std::string>(
      keys, [&](auto& out) { return ReadText(name, out); },
      [](const std::string& flag, const std::string& value) {
        return Words{flag, value};
      });
}

KeyRule Choice(LoraKeys& keys, const std::string& name, const Words& choices) {
  return AsFlag<std::string>(
      keys, [&](auto& out) { return ReadChoice(name, out, choices); },
      [](const std::string& flag, const std::string& value) {
        return Words{flag, value};
      });
}

KeyRule Texts(LoraKeys& keys, const std::string& name) {
  return AsFlag<Words>(
      keys, [&](auto& out) { return ReadTexts(name, out); },
      [](const std::string& flag, const Words& values) {
        Words words;
        for (const std::string& value : values) words.insert(words.end(), {flag, value});
        return words;
      });
}

// `no`: the flag that turns the option off; empty if the option is off without a flag.
KeyRule Switch(LoraKeys& keys, const std::string& name, const std::string& no = "") {
  return AsFlag<bool>(
      keys, [&](auto& out) { return ReadBool(name, out); },
      [no](const std::string& flag, bool on) {
        if (on) return Words{flag};
        return no.empty() ? Words{} : Words{no};
      });
}

KeyRule MicroBatch(LoraKeys& keys) {
  const std::string name = "micro_batch";
  return {name, [&keys, name](const YamlNode& value, Problems& problems) {
            const auto number = ParseInteger(value.text);
            if (value.text != "auto" && (!number || *number < 1 || *number > kLargestMicroBatch))
              return problems.Add(value.line, name + " must be auto or a whole number from 1 to " +
                                                  std::to_string(kLargestMicroBatch));
            keys.flags.insert(keys.flags.end(), {FlagOf(name), value.text});
          }};
}

void CheckTargets(const Given<Words>& targets, Problems& problems) {
  if (!targets || *targets == Words{"all"}) return;
  for (const std::string& target : *targets)
    if (std::find(kProjections.begin(), kProjections.end(), target) == kProjections.end())
      problems.Add(targets.line, "targets must be all, or a list of some of " +
                                     Join(kProjections, ", ") + ", and " + Quoted(target) +
                                     " is not" + SuggestionText(target, kProjections));
}

}  // namespace

std::vector<KeyRule> LoraRules(LoraKeys& keys) {
  return {
      ReadText("base", keys.base),
      Switch(keys, "random_weights"),
      Choice(keys, "base_weights", {"bf16", "fp32", "int8", "nf4", "nf4-double"}),
      ReadTexts("data", keys.data),
      ReadText("tokens", keys.tokens),
      Choice(keys, "preset",
             {"prompt-response", "text", "helpsteer2", "chat", "chat-prompt-response"}),
      Text(keys, "pattern"),
      Texts(keys, "filter"),
      Integer(keys, "first_records", {1, kMostRecords}),
      Choice(keys, "loss_on", {"text", "answer", "everything"}),
      Switch(keys, "append_end", "--no-append-end"),
      Texts(keys, "ignore_fields"),
      Choice(keys, "tokenizer_rules", {"transformers-5", "transformers-4"}),
      Switch(keys, "skip_bad_records"),
      Switch(keys, "pack"),
      Integer(keys, "max_length", {2, 1e7}),
      Switch(keys, "pad_to_max", "--no-pad-to-max"),
      Number(keys, "validation_share", {0, 0.9}),
      Integer(keys, "data_seed", {0, kLargestSeed}),
      Integer(keys, "rank", {1, 65536}),
      Number(keys, "alpha", {1e-9, 1e9}),
      Number(keys, "dropout", {0, 0.95}),
      ReadTexts("targets", keys.targets),
      Text(keys, "start_adapter"),
      Switch(keys, "rslora"),
      Switch(keys, "dora"),
      Text(keys, "teacher"),
      Text(keys, "teacher_adapter"),
      Number(keys, "temperature", {1e-3, 1e3}),
      Number(keys, "distillation_mix", {0, 1}),
      Number(keys, "warm_up", {0, 1}),
      Number(keys, "lr_floor", {0, 1}),
      Number(keys, "weight_decay", {0, 100}),
      Number(keys, "clip_norm", {0, 1e9}),
      MicroBatch(keys),
      Switch(keys, "gradient_checkpointing"),
      Choice(keys, "recompute", {"nothing", "mlp", "layers"}),
      Choice(keys, "kernels", {"auto", "plain", "fused"}),
      Choice(keys, "attention", {"auto", "blocks", "library"}),
      ReadText("adapter_dir", keys.adapter_dir),
  };
}

LoraConfig ResolveLora(const LoraKeys& keys, Problems& problems) {
  if (!keys.base) problems.Add(keys.line, "lora needs the key base, the folder of the model");
  if (keys.data.value.has_value() == keys.tokens.value.has_value())
    problems.Add(keys.line, "lora needs data (files of texts) or tokens, and not both");
  CheckTargets(keys.targets, problems);
  LoraConfig config;
  config.base = keys.base.value_or("");
  config.data = keys.data.value_or({});
  config.tokens = keys.tokens.value_or("");
  config.adapter_dir = keys.adapter_dir.value_or("");
  config.flags = keys.flags;
  if (keys.targets)
    config.flags.insert(config.flags.end(), {"--targets", Join(*keys.targets, ",")});
  return config;
}

}  // namespace ebb::config
