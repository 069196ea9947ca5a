// Tests language models whose frozen weights are kept in fewer bits against the same weights as
// numbers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <limits>

#include "train/devices/tensor_memory.h"
#include "train/language/adapter/merge.h"
#include "train/language/generation/generate.h"
#include "train/language/model/chunked_loss.h"
#include "train/language/model/forward.h"
#include "train/language/model/language_for_test.h"
#include "train/learning/small_models_for_test.h"

namespace ebb::train {
namespace {

using torch::Tensor;

constexpr BaseWeights kFewerBits[] = {BaseWeights::kBf16, BaseWeights::kInt8, BaseWeights::kNf4,
                                      BaseWeights::kNf4Double};

class FrozenWeights : public Language {
 protected:
  // The same decoder with decoded weights.
  static Decoder Decoded(Decoder decoder) {
    for (DecoderLayer& layer : decoder.layers)
      for (Linear& linear : layer.projections) linear.weight = FrozenMatrix(linear.weight.Whole());
    return decoder;
  }
  static Tensor LogitsOf(const Decoder& decoder, const Adapter* adapter, const Tensor& ids) {
    return Logits(decoder, HiddenStates(decoder, adapter, {ids, {}, {}}, {}));
  }
};

// The matrix is larger than a chunk, and its last block is short.
TEST_F(FrozenWeights, ProductsAreThoseOfTheWholeMatrix) {
  const Tensor weight = torch::randn({1500, 1000});
  for (const torch::ScalarType type : {torch::kFloat64, torch::kFloat32, torch::kBFloat16}) {
    const double tolerance = type == torch::kFloat64   ? 1e-13
                             : type == torch::kFloat32 ? 1e-5
                                                       : 1e-2;
    for (const BaseWeights as : kFewerBits) {
      const auto matrix = FrozenMatrix::Stored(weight, as, torch::dtype(type));
      const Tensor whole = matrix.Whole();
      EXPECT_EQ(whole.scalar_type(), type);
      EXPECT_TRUE(torch::equal(matrix.Rows(700, 300), whole.narrow(0, 700, 300)));
      for (const std::int64_t rows : {1, 5}) {
        const Tensor x = torch::randn({rows, 1000}).to(type);
        const Tensor y = torch::randn({rows, 1500}).to(type);
        EXPECT_LT(RelativeDifference({matrix.Times(x)}, {torch::mm(x, whole.t())}), tolerance);
        EXPECT_LT(RelativeDifference({matrix.TransposedTimes(y)}, {torch::mm(y, whole)}),
                  tolerance);
        Tensor sum = torch::ones({rows, 1000}, type);
        matrix.AddTransposedTimes(y, sum);
        EXPECT_LT(RelativeDifference({sum}, {torch::mm(y, whole) + 1}), tolerance);
      }
    }
  }
}

// The bound is half a step of int8, or half of the widest gap between two levels of NF4.
TEST_F(FrozenWeights, NoWeightIsFurtherOffThanItsScaleAllows) {
  const Tensor weight = torch::randn({64, 256}, torch::dtype(torch::kFloat64));
  const auto error = [&](BaseWeights as) {
    return (FrozenMatrix::Stored(weight, as, torch::dtype(torch::kFloat64)).Whole() - weight).abs();
  };
  EXPECT_TRUE(
      (error(BaseWeights::kInt8) <= 0.5001 / 127 * weight.abs().amax(1, true)).all().item<bool>());
  const Tensor blocks = weight.view({64, 4, 64});
  EXPECT_TRUE((error(BaseWeights::kNf4).view({64, 4, 64}) <= 0.152 * blocks.abs().amax(2, true))
                  .all()
                  .item<bool>());
  // The scales' own codes move a weight by at most half a step of these codes.
  const auto whole = [&](BaseWeights as) {
    return FrozenMatrix::Stored(weight, as, torch::dtype(torch::kFloat64)).Whole();
  };
  const Tensor scales = blocks.abs().amax(2);
  const double step = (scales - scales.mean()).abs().max().item<double>() / 127;
  const Tensor moved = (whole(BaseWeights::kNf4Double) - whole(BaseWeights::kNf4)).abs();
  EXPECT_LE(moved.max().item<double>(), 0.5001 * step);
  EXPECT_GT(moved.max().item<double>(), 0.3 * step);
}

TEST_F(FrozenWeights, LogitsAreThoseOfTheDecodedWeightsAndNearTheModels) {
  nlohmann::json config = TinyConfig("qwen2");
  config["hidden_size"] = 128;
  config["intermediate_size"] = 192;
  config["head_dim"] = 32;
  const Tensor ids = RandomIds(2, 20);
  const torch::NoGradGuard no_grad;
  const Decoder exact = Load(config);
  const Adapter adapter = Busy(exact, SmallLora());
  const Tensor wanted = LogitsOf(exact, &adapter, ids);
  for (const auto& [as, bound] : {std::pair{BaseWeights::kBf16, 0.02},
                                  {BaseWeights::kInt8, 0.05},
                                  {BaseWeights::kNf4, 0.5},
                                  {BaseWeights::kNf4Double, 0.5}}) {
    const Decoder decoder = Load(config, torch::kFloat64, as);
    const Tensor logits = LogitsOf(decoder, &adapter, ids);
    EXPECT_LT(RelativeDifference({logits}, {LogitsOf(Decoded(decoder), &adapter, ids)}), 1e-12);
    const double off = (logits - wanted).norm().item<double>() / wanted.norm().item<double>();
    EXPECT_GT(off, 1e-6) << "these are not the model's own weights";
    EXPECT_LT(off, bound) << Name(as);
  }
}

// Gradients pass through layers with and without an adapter, to the adapter and to the layers below
// it.
TEST_F(FrozenWeights, GradientsAreThoseOfFiniteDifferences) {
  for (const BaseWeights as : kFewerBits) {
    for (const bool decomposed : {false, true}) {
      LoraSettings settings = SmallLora();
      settings.decomposed = decomposed;
      settings.dropout = 0.2;
      settings.targets = {Projection::kQuery, Projection::kDown};
      const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat64, as);
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
        Tensor entry = tensor.view(-1)[tensor.numel() / 2];
        const double step = 1e-5;
        entry += step;
        const double up = loss().item<double>();
        entry -= 2 * step;
        const double down = loss().item<double>();
        entry += step;
        const double expected = (up - down) / (2 * step);
        EXPECT_NEAR(tensor.grad().view(-1)[tensor.numel() / 2].item<double>(), expected,
                    1e-5 * std::max(1.0, std::abs(expected)))
            << Name(as) << " " << name;
      }
    }
  }
}

TEST_F(FrozenWeights, CheckpointedGradientsHaveTheSameBits) {
  const Decoder decoder = Load(TinyConfig("qwen3"), torch::kFloat32, BaseWeights::kNf4);
  const Adapter adapter = Busy(decoder, SmallLora());
  ExpectSameBitsWithCheckpoints(decoder, adapter, {});
}

// LibTorch's allocators count loading and an update together: the bits of the weights, and little
// more.
TEST_F(FrozenWeights, FewerBitsTakeLessMemory) {
  nlohmann::json config = TinyConfig("qwen2");
  config["hidden_size"] = 256;
  config["intermediate_size"] = 1024;
  config["num_hidden_layers"] = 6;
  config["head_dim"] = 64;
  WriteModel(directory_, config);
  struct Bytes {
    double peak, weights;
  };
  const auto measure = [&](BaseWeights as) {
    const TensorMemoryScope memory(torch::kCPU);
    const auto decoder = LoadDecoder(directory_, {torch::dtype(torch::kBFloat16), as});
    EXPECT_TRUE(decoder);
    const Adapter adapter = MakeAdapter(*decoder, SmallLora(), 1);
    HiddenStates(*decoder, &adapter, {RandomIds(1, 8), {}, {}}, {}).sum().backward();
    return Bytes{static_cast<double>(memory.peak_bytes()),
                 static_cast<double>(WeightBytes(*decoder))};
  };
  const Bytes bf16 = measure(BaseWeights::kPlain);
  const Bytes int8 = measure(BaseWeights::kInt8), nf4 = measure(BaseWeights::kNf4);
  const Bytes twice = measure(BaseWeights::kNf4Double);
  EXPECT_LT(int8.weights, 0.51 * bf16.weights);
  EXPECT_LT(nf4.weights, 0.29 * bf16.weights);
  EXPECT_LT(twice.weights, 0.93 * nf4.weights) << "4.13 bits instead of 4.5";
  EXPECT_LT(int8.peak, 0.65 * bf16.peak);
  EXPECT_LT(nf4.peak, 0.43 * bf16.peak);
  EXPECT_LT(twice.peak, nf4.peak);
}

TEST_F(FrozenWeights, AMergedModelIsTheModelThatTheAdapterLearnedOn) {
  const torch::NoGradGuard no_grad;
  for (const BaseWeights as : kFewerBits) {
    const Decoder decoder = Load(TinyConfig("llama"), torch::kFloat32, as);
    LoraSettings settings = SmallLora();
    settings.targets = {Projection::kValue, Projection::kUp};
    const Adapter adapter = Busy(decoder, settings);
    ASSERT_TRUE(SaveAdapter(directory_ / "adapter", adapter, "base"));
    const platform::Path output = ScratchDirectory("merged") / "model";
    const Status done =
        Merge({directory_.string(), (directory_ / "adapter").string(), output.string()});
    ASSERT_TRUE(done) << done.error().Message();
    const auto merged = LoadDecoder(output, torch::dtype(torch::kFloat32));
    ASSERT_TRUE(merged) << merged.error().Message();
    const Tensor ids = RandomIds(1, 10);
    EXPECT_LT(
        RelativeDifference({LogitsOf(*merged, nullptr, ids)}, {LogitsOf(decoder, &adapter, ids)}),
        1e-5)
        << Name(as);
  }
}

TEST_F(FrozenWeights, GreedyGenerationIsThatOfTheDecodedWeights) {
  const Decoder decoder = Load(TinyConfig("qwen3"), torch::kFloat64, BaseWeights::kNf4);
  const auto generated = [&](const Decoder& used) {
    return Generate(used, nullptr, {5, 9, 31}, {.max_new_tokens = 12, .end_tokens = {}},
                    [](std::int64_t) { return true; });
  };
  EXPECT_EQ(generated(decoder), generated(Decoded(decoder)));
}

TEST_F(FrozenWeights, AWeightThatIsNotFiniteIsNamed) {
  const nlohmann::json config = TinyConfig("qwen2");
  WriteModel(directory_, config);
  const platform::Path file = directory_ / "model.safetensors";
  std::string bytes = *platform::ReadFile(file);
  const float infinite = std::numeric_limits<float>::infinity();
  // The middle of the file is inside a projection.
  std::memcpy(bytes.data() + bytes.size() / 2 / 4 * 4, &infinite, sizeof infinite);
  ASSERT_TRUE(platform::WriteFileAtomically(file, bytes));
  for (const BaseWeights as : {BaseWeights::kPlain, BaseWeights::kBf16, BaseWeights::kInt8,
                               BaseWeights::kNf4, BaseWeights::kNf4Double}) {
    const auto refused = LoadDecoder(directory_, {torch::dtype(torch::kFloat32), as});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().Message(),
                testing::HasSubstr("_proj.weight has values that are not finite"));
  }
}

}  // namespace
}  // namespace ebb::train
