#pragma once
// The flag --tokenizer-rules of the commands that read texts.

#include "train/options/flags.h"
#include "train/text/tokenizer/tokenizer.h"

namespace ebb::train {

inline const Names<TokenizerRules> kTokenizerRules = {
    {"transformers-5", TokenizerRules::kTransformers5},
    {"transformers-4", TokenizerRules::kTransformers4}};

inline constexpr const char* kTokenizerRulesFlag = "--tokenizer-rules";
inline constexpr const char* kTokenizerRulesHelp =
    "transformers-5 (tokenizer.json) | transformers-4 (Llama and Gemma: add_bos_token and "
    "add_eos_token): which tokens stand around every text";

}  // namespace ebb::train
