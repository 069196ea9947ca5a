#pragma once
// The section lora: the options that only the fine-tuning of a language model has. The options of
// every training are in the section training. Each key is a flag of `ebb-train lora` with the same
// name and default (docs/language-models.md).

#include <string>
#include <vector>

#include "config/run/train_config.h"
#include "config/yaml/key_reader.h"

namespace ebb::config {

struct LoraKeys {
  int line = 0;  ///< line of the section; 0 if there is none
  Given<std::string> base;
  Given<std::vector<std::string>> data;
  Given<std::string> tokens;
  Given<std::vector<std::string>> targets;
  Given<std::string> adapter_dir;
  std::vector<std::string> flags;  ///< the other keys
};

/// The rules write into `keys`, which must outlive them.
std::vector<KeyRule> LoraRules(LoraKeys& keys);

/// The file must have a section lora.
LoraConfig ResolveLora(const LoraKeys& keys, Problems& problems);

}  // namespace ebb::config
