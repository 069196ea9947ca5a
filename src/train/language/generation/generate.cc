#include "train/language/generation/generate.h"

#include <algorithm>

#include "base/random.h"
#include "train/language/model/forward.h"
#include "train/loop/stop_request.h"

namespace ebb::train {
namespace {

using torch::Tensor;

bool Ends(const GenerateSettings& settings, std::int64_t token) {
  return std::find(settings.end_tokens.begin(), settings.end_tokens.end(), token) !=
         settings.end_tokens.end();
}

}  // namespace

std::int64_t ChooseToken(const Tensor& logits, const GenerateSettings& settings, double draw) {
  if (settings.temperature <= 0) return logits.argmax().item<std::int64_t>();
  const std::int64_t kept =
      settings.top_k > 0 ? std::min(settings.top_k, logits.size(0)) : logits.size(0);
  const auto [values, tokens] = logits.to(torch::kFloat64).div(settings.temperature).topk(kept);
  const Tensor probabilities = torch::softmax(values, 0).to(torch::kCPU);
  const double* p = probabilities.data_ptr<double>();
  // The nucleus (Holtzman et al. 2020) is the fewest tokens, most likely first, that reach top_p.
  double mass = 0;
  std::int64_t count = 0;
  while (count < kept && (count == 0 || mass < settings.top_p)) mass += p[count++];
  double left = draw * mass;
  std::int64_t chosen = 0;
  while (chosen + 1 < count && left >= p[chosen]) left -= p[chosen++];
  return tokens[chosen].item<std::int64_t>();
}

std::vector<std::int64_t> Generate(const Decoder& decoder, const Adapter* adapter,
                                   const std::vector<std::int64_t>& prompt,
                                   const GenerateSettings& settings, const OnToken& on_token) {
  const torch::NoGradGuard no_grad;
  const auto options = torch::dtype(torch::kInt64).device(decoder.device());
  KeyValueCache cache(decoder, 1,
                      static_cast<std::int64_t>(prompt.size()) + settings.max_new_tokens);
  Random random(settings.seed);
  Tensor next =
      torch::tensor(prompt, torch::dtype(torch::kInt64)).to(decoder.device()).unsqueeze(0);
  const AdapterWeights weights =
      adapter == nullptr ? AdapterWeights() : AdapterWeights(*adapter, decoder.type());
  const ForwardSettings forward{
      .paths = PathsFor(KernelsChoice::kAuto, AttentionChoice::kAuto, decoder.device()),
      .weights = &weights};
  std::vector<std::int64_t> tokens;
  while (static_cast<std::int64_t>(tokens.size()) < settings.max_new_tokens && !StopRequested()) {
    const Tensor hidden = NextHiddenStates(decoder, adapter, next, cache, forward);
    const Tensor logits = Logits(decoder, hidden.select(1, hidden.size(1) - 1)).squeeze(0);
    const std::int64_t token = ChooseToken(logits, settings, random.Uniform());
    if (Ends(settings, token)) break;
    tokens.push_back(token);
    if (!on_token(token)) break;
    next = torch::full({1, 1}, token, options);
  }
  return tokens;
}

}  // namespace ebb::train
