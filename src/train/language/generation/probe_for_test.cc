// Writes results of the language models to files, which a test in Python compares with transformers
// and PEFT. Each line of the input is a case, a JSON list:
//   ["logits", MODEL, INPUT, OUT, TYPE, [ADAPTER, ["merged"]]]
//   ["gradients", MODEL, INPUT, OUT, TYPE, ADAPTER, ["checkpointed"]]
//   ["tokens", FOLDER, RULES, TEXT]
// INPUT is a safetensors file with "ids" and, for gradients, "targets" (int64, -1: no loss there).
// Each case is answered with a line, an object: "error" if it failed, "ids" of tokens.

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "train/files/tensor_of_bytes.h"
#include "train/language/adapter/merged_for_test.h"
#include "train/language/generation/tokenizer_flag.h"
#include "train/language/model/chunked_loss.h"
#include "train/language/model/forward.h"
#include "train/language/weights/weight_files.h"

namespace ebb::train {
namespace {

torch::Tensor Input(const WeightFiles& files, const std::string& name) {
  const auto& weight = files.weights().at(name);
  return torch::from_blob(const_cast<char*>(weight.tensor.data.data()), weight.tensor.shape,
                          torch::dtype(torch::kInt64))
      .clone();
}

Status Write(const std::string& path, const NamedTensors& tensors) {
  NamedTensors portable = tensors;
  std::vector<TensorBytes> views;
  for (auto& [name, tensor] : portable) {
    tensor = tensor.detach().contiguous();
    views.push_back(BytesOf(name, tensor));
  }
  return platform::WriteFileAtomically(path, EncodeSafetensors(std::move(views), {}));
}

torch::ScalarType TypeNamed(const std::string& name) {
  return name == "bf16" ? torch::kBFloat16 : name == "fp64" ? torch::kFloat64 : torch::kFloat32;
}

Status Probe(const std::vector<std::string>& words) {
  const bool gradients = words[0] == "gradients";
  const std::string mode = words.size() > 6 ? words[6] : "";
  EBB_ASSIGN_OR_RETURN(Decoder decoder, LoadDecoder(words[1], torch::dtype(TypeNamed(words[4]))));
  EBB_ASSIGN_OR_RETURN(const WeightFiles input, WeightFiles::OpenFile(words[2]));
  std::optional<Adapter> adapter;
  if (words.size() > 5) {
    OuterWeights outer;
    EBB_ASSIGN_OR_RETURN(adapter, LoadAdapter(words[5], decoder, &outer));
    Use(outer, decoder);
  }
  const TokenBatch batch{Input(input, "ids"), {}, {}};
  if (!gradients) {
    const torch::NoGradGuard no_grad;
    if (mode == "merged") decoder = Merged(decoder, *adapter);
    const Adapter* used = adapter && mode != "merged" ? &*adapter : nullptr;
    return Write(words[3], {{"logits", Logits(decoder, HiddenStates(decoder, used, batch, {}))}});
  }
  const torch::Tensor targets = Input(input, "targets").flatten();
  const torch::Tensor with_loss = targets.ge(0).nonzero().flatten();
  const torch::Tensor hidden =
      HiddenStates(decoder, &*adapter, batch,
                   {.recompute = mode == "checkpointed" ? Recompute::kLayers : Recompute::kNothing})
          .flatten(0, 1);
  const torch::Tensor loss = ChunkedCrossEntropy(hidden.index_select(0, with_loss), decoder.output,
                                                 targets.index_select(0, with_loss))
                                 .sum /
                             static_cast<double>(with_loss.numel());
  loss.backward();
  NamedTensors results = {{"loss", loss}};
  for (const auto& [name, tensor] : adapter->Tensors()) results.emplace_back(name, tensor.grad());
  return Write(words[3], results);
}

Result<std::vector<TokenId>> TokensOf(const std::vector<std::string>& words) {
  TokenizerRules rules{};
  EBB_RETURN_IF_ERROR(LookUp(kTokenizerRulesFlag, kTokenizerRules, words[2], rules));
  EBB_ASSIGN_OR_RETURN(const Tokenizer tokenizer, Tokenizer::Load(words[1], rules));
  return tokenizer.Encode(words[3]);
}

nlohmann::json AnswerTo(const std::vector<std::string>& words) {
  if (words[0] == "tokens") {
    const auto ids = TokensOf(words);
    return ids ? nlohmann::json{{"ids", *ids}} : nlohmann::json{{"error", ids.error().Message()}};
  }
  const Status done = Probe(words);
  return done ? nlohmann::json::object() : nlohmann::json{{"error", done.error().Message()}};
}

}  // namespace
}  // namespace ebb::train

int main() {
  for (std::string line; std::getline(std::cin, line);)
    std::cout << ebb::train::AnswerTo(nlohmann::json::parse(line)) << std::endl;
}
