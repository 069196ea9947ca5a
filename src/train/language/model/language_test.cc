// Tests the computation of language models against independent arithmetic: finite differences,
// attention row by row, Gemma by LibTorch's own operations; and that checkpoints change no bit.

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "train/devices/tensor_memory.h"
#include "train/files/tensor_of_bytes.h"
#include "train/language/model/attention.h"
#include "train/language/model/chunked_loss.h"
#include "train/language/model/forward.h"
#include "train/language/model/language_for_test.h"
#include "train/learning/small_models_for_test.h"

namespace ebb::train {
namespace {

using torch::Tensor;

// d loss / d parameter by central differences, in fp64.
TEST_F(Language, GradientsAreThoseOfFiniteDifferences) {
  for (const nlohmann::json& config :
       {TinyConfig("qwen2"), TinyConfig("qwen3"), TinyConfig("llama"), TinyGemma()}) {
    for (const bool decomposed : {false, true}) {
      LoraSettings settings = SmallLora();
      settings.decomposed = decomposed;
      settings.dropout = 0.2;
      const Decoder decoder = Load(config);
      const Adapter adapter = Busy(decoder, settings);
      const Tensor ids = RandomIds(2, 9), targets = RandomIds(2, 9).flatten();
      const auto loss = [&] {
        const Tensor hidden =
            HiddenStates(decoder, &adapter, {ids, {}, {}}, {.dropout = true, .seed = 5});
        return ChunkedCrossEntropy(hidden.flatten(0, 1), decoder.output, targets).sum;
      };
      loss().backward();
      const torch::NoGradGuard no_grad;
      for (auto [name, tensor] : adapter.Tensors()) {
        // DoRA's norm counts as a constant, so only magnitudes have the derivative of the whole.
        if (decomposed && name.find("magnitude") == std::string::npos) continue;
        const std::int64_t index = tensor.numel() / 2;
        Tensor entry = tensor.view(-1)[index];
        const double step = 1e-5;
        entry += step;
        const double up = loss().item<double>();
        entry -= 2 * step;
        const double down = loss().item<double>();
        entry += step;
        const double expected = (up - down) / (2 * step);
        EXPECT_NEAR(tensor.grad().view(-1)[index].item<double>(), expected,
                    1e-5 * std::max(1.0, std::abs(expected)))
            << config["model_type"] << " " << name;
      }
    }
  }
}

// Computes the softmax over the keys that a row may see, one row at a time.
Tensor PlainAttention(const Tensor& query, const Tensor& key, const Tensor& value,
                      const Tensor& starts) {
  const std::int64_t heads = query.size(1), group = heads / key.size(1);
  const std::int64_t offset = key.size(2) - query.size(2);
  Tensor output =
      torch::zeros({query.size(0), query.size(2), heads, query.size(3)}, query.options());
  for (std::int64_t b = 0; b < query.size(0); ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t t = 0; t < query.size(2); ++t) {
        const std::int64_t end = offset + t + 1;
        const std::int64_t begin =
            starts.defined() ? starts[b][offset + t].item<std::int64_t>() : 0;
        const Tensor keys = key[b][h / group].slice(0, begin, end);
        const Tensor scores = torch::mv(keys, query[b][h][t]) / std::sqrt(query.size(3));
        output[b][t][h] =
            torch::mv(value[b][h / group].slice(0, begin, end).t(), torch::softmax(scores, 0));
      }
  return output;
}

TEST_F(Language, AttentionInBlocksIsAttentionRowByRow) {
  const auto options = torch::dtype(torch::kFloat64);
  // 300 rows are three blocks; 5 queries behind 40 keys are a cache.
  for (const auto& [queries, keys] : {std::pair{300, 300}, {5, 40}, {1, 7}}) {
    Tensor query = torch::randn({2, 4, queries, 6}, options).set_requires_grad(true);
    Tensor key = torch::randn({2, 2, keys, 6}, options).set_requires_grad(true);
    Tensor value = torch::randn({2, 2, keys, 6}, options).set_requires_grad(true);
    Tensor starts = torch::zeros({2, keys}, torch::dtype(torch::kInt64));
    starts.slice(1, 3).fill_(3);
    for (const Tensor& used : {Tensor(), starts}) {
      const Tensor weights = torch::randn({2, queries, 4, 6}, options);
      const auto ours = torch::autograd::grad(
          {(CausalAttention(query, key, value, used) * weights).sum()}, {query, key, value});
      const auto theirs = torch::autograd::grad(
          {(PlainAttention(query, key, value, used) * weights).sum()}, {query, key, value});
      EXPECT_LT(RelativeDifference({CausalAttention(query, key, value, used)},
                                   {PlainAttention(query, key, value, used)}),
                1e-12);
      EXPECT_LT(RelativeDifference(ours, theirs), 1e-11) << queries;
    }
  }
}

TEST_F(Language, PackedSequencesAreThoseAlone) {
  const Decoder decoder = Load(TinyConfig("qwen3"));
  const Tensor first = RandomIds(1, 5), second = RandomIds(1, 8);
  const Tensor positions = torch::cat({torch::arange(5), torch::arange(8)}).unsqueeze(0);
  const Tensor starts =
      torch::cat({torch::zeros(5, torch::kInt64), torch::full({8}, 5, torch::kInt64)});
  const Tensor packed = HiddenStates(
      decoder, nullptr, {torch::cat({first, second}, 1), positions, starts.unsqueeze(0)}, {});
  const Tensor alone = torch::cat({HiddenStates(decoder, nullptr, {first, {}, {}}, {}),
                                   HiddenStates(decoder, nullptr, {second, {}, {}}, {})},
                                  1);
  EXPECT_LT(RelativeDifference({packed}, {alone}), 1e-13);
}

// Expected values come from LibTorch's own operations, one after the other.
TEST_F(Language, GemmaIsWhatItsPaperSays) {
  const Decoder decoder = Load(TinyGemma());
  const ModelConfig& config = decoder.config;
  const Tensor ids = RandomIds(1, 7);
  const auto norm = [&](const Tensor& x, const Tensor& weight) {
    return x * (x.square().mean(-1, true) + config.norm_epsilon).rsqrt() * weight;
  };
  const auto turned = [&](const Tensor& x, double base, double factor) {
    const Tensor speeds = torch::tensor({1.0, 1 / std::sqrt(base)}, torch::kFloat64) / factor;
    const Tensor angles = torch::arange(7, torch::kFloat64).unsqueeze(1) * speeds;
    const auto halves = x.chunk(2, -1);
    return torch::cat({halves[0] * angles.cos() - halves[1] * angles.sin(),
                       halves[1] * angles.cos() + halves[0] * angles.sin()},
                      -1);
  };
  Tensor x = torch::embedding(decoder.embedding, ids) * 4;  // the root of the width
  for (std::size_t i = 0; i < 2; ++i) {
    const DecoderLayer& layer = decoder.layers[i];
    const auto project = [&](Projection projection, const Tensor& input) {
      return torch::matmul(input, layer.projections[Index(projection)].weight.Whole().t());
    };
    const auto heads = [&](Projection projection, std::int64_t count) {
      const Tensor all = project(projection, norm(x, layer.input_norm));
      return all.view({1, 7, count, 4}).transpose(1, 2);
    };
    const bool sees_all = i == 1;
    const double base = sees_all ? 10000 : 100, factor = sees_all ? 2 : 1;
    const Tensor query = turned(norm(heads(Projection::kQuery, 4), layer.query_norm), base, factor);
    const Tensor key = turned(norm(heads(Projection::kKey, 2), layer.key_norm), base, factor);
    const Tensor starts =
        (torch::arange(7) - (sees_all ? 7 : 2)).clamp_min(0).unsqueeze(0).to(torch::kInt64);
    // PlainAttention divides scores by the root of 4, not of 6.
    const Tensor attended =
        PlainAttention(query * std::sqrt(4.0 / 6), key, heads(Projection::kValue, 2), starts);
    x = x + norm(project(Projection::kOutput, attended.flatten(2)), layer.attention_output_norm);
    const Tensor into_mlp = norm(x, layer.mlp_norm);
    const Tensor gate = project(Projection::kGate, into_mlp);
    const Tensor activated =
        0.5 * gate * (1 + (std::sqrt(2 / M_PI) * (gate + 0.044715 * gate.pow(3))).tanh());
    const Tensor out = project(Projection::kDown, activated * project(Projection::kUp, into_mlp));
    x = x + norm(out, layer.mlp_output_norm);
  }
  // Angles are fp32, the precision in which models are trained.
  EXPECT_LT(RelativeDifference({HiddenStates(decoder, nullptr, {ids, {}, {}}, {})},
                               {norm(x, decoder.final_norm)}),
            1e-6);
}

// Through two layers with a window of three, a token depends on itself and the four before it.
TEST_F(Language, ATokenSeesItsWindowOnly) {
  nlohmann::json config = TinyConfig("mistral");
  config["sliding_window"] = 3;
  const Decoder decoder = Load(config);
  const torch::Tensor ids = RandomIds(1, 200);
  const torch::Tensor hidden = HiddenStates(decoder, nullptr, {ids, {}, {}}, {});
  const auto changed = [&](std::int64_t at) {
    torch::Tensor others = ids.clone();
    others[0][at] = (others[0][at] + 1) % 48;
    const torch::Tensor other = HiddenStates(decoder, nullptr, {others, {}, {}}, {});
    return (other - hidden).abs().amax(2)[0] > 1e-12;
  };
  for (const std::int64_t at : {0, 20, 126}) {
    const torch::Tensor seen = changed(at);
    EXPECT_EQ(seen.sum().item<std::int64_t>(), 5) << at;
    EXPECT_TRUE(seen.narrow(0, at, 5).all().item<bool>()) << at;
  }
  // In generation, the earlier tokens are in the cache.
  KeyValueCache cache(decoder, 1, 200);
  const torch::Tensor first = NextHiddenStates(decoder, nullptr, ids.narrow(1, 0, 10), cache);
  const torch::Tensor rest = NextHiddenStates(decoder, nullptr, ids.narrow(1, 10, 1), cache);
  EXPECT_LT((torch::cat({first, rest}, 1) - hidden.narrow(1, 0, 11)).abs().max().item<double>(),
            1e-12);
}

TEST_F(Language, CheckpointedGradientsHaveTheSameBits) {
  LoraSettings settings = SmallLora();
  settings.dropout = 0.3;
  const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  const Adapter adapter = Busy(decoder, settings);
  ExpectSameBitsWithCheckpoints(decoder, adapter, {.dropout = true, .seed = 8});
}

TEST_F(Language, CheckpointingNeedsLessMemory) {
  nlohmann::json config = TinyConfig("qwen2");
  config["num_hidden_layers"] = 8;
  // The ratio of width to length is like that of real models: otherwise the weights of attention,
  // which no layer keeps, hide the rest.
  config["hidden_size"] = 64;
  config["intermediate_size"] = 176;
  config["head_dim"] = 16;
  const Decoder decoder = Load(config, torch::kFloat32);
  const Adapter adapter = MakeAdapter(decoder, SmallLora(), 1);
  const auto peak = [&](Recompute recompute) {
    const TensorMemoryScope memory(torch::kCPU);
    HiddenStates(decoder, &adapter, {RandomIds(4, 32), {}, {}}, {.recompute = recompute})
        .sum()
        .backward();
    return memory.peak_bytes();
  };
  const auto all = static_cast<double>(peak(Recompute::kNothing));
  EXPECT_LT(static_cast<double>(peak(Recompute::kLayers)), 0.4 * all);
  EXPECT_LT(static_cast<double>(peak(Recompute::kMlp)), 0.6 * all);
}

}  // namespace
}  // namespace ebb::train
