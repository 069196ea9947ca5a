// Tests the computation of language models against independent arithmetic: finite differences,
// attention row by row, LibTorch's own cross-entropy, a whole forward pass for each generated
// token.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <torch/csrc/autograd/autograd.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <set>

#include "train/language/attention.h"
#include "train/language/chunked_loss.h"
#include "train/language/forward.h"
#include "train/language/generate.h"
#include "train/language/language_for_test.h"
#include "train/language/lora_task.h"
#include "train/language/merge.h"
#include "train/language/merged_for_test.h"
#include "train/language/token_file.h"
#include "train/small_models_for_test.h"
#include "train/tensor_memory.h"
#include "train/tensor_of_bytes.h"

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

TEST_F(Language, ChunkedLossIsCrossEntropy) {
  // The vocabulary is so large that the tokens are several chunks.
  const auto options = torch::dtype(torch::kFloat64);
  Tensor hidden = torch::randn({300, 4}, options).set_requires_grad(true);
  const Tensor output = torch::randn({70000, 4}, options);
  const Tensor targets = torch::randint(0, 70000, {300}, torch::dtype(torch::kInt64));
  const TokenLoss ours = ChunkedCrossEntropy(hidden, output, targets);
  const Tensor logits = torch::mm(hidden, output.t());
  const Tensor theirs =
      torch::nll_loss(torch::log_softmax(logits, 1), targets, {}, torch::Reduction::Sum);
  EXPECT_NEAR(ours.sum.item<double>(), theirs.item<double>(), 1e-9);
  EXPECT_EQ(ours.correct.item<std::int64_t>(),
            logits.argmax(1).eq(targets).sum().item<std::int64_t>());
  EXPECT_LT(RelativeDifference(torch::autograd::grad({ours.sum * 3}, {hidden}),
                               torch::autograd::grad({theirs * 3}, {hidden})),
            1e-12);
}

// Expected values come from LibTorch's own operations, over the tokens that both vocabularies have.
// The tokens are several chunks.
TEST_F(Language, TheLossWithATeacherIsTheWeightedSumOfBoth) {
  const auto options = torch::dtype(torch::kFloat64);
  constexpr std::int64_t kStudent = 200000, kTeacher = 199990;
  Tensor hidden = torch::randn({40, 4}, options).set_requires_grad(true);
  const Tensor output = torch::randn({kStudent, 4}, options);
  const Tensor targets = torch::randint(0, kTeacher, {40}, torch::dtype(torch::kInt64));
  const TeacherStates teacher{torch::randn({40, 3}, options), torch::randn({kTeacher, 3}, options),
                              2.5, 0.3};
  const TokenLoss ours = ChunkedCrossEntropy(hidden, output, targets, &teacher);
  const Tensor logits = torch::mm(hidden, output.t());
  const Tensor wanted = torch::softmax(torch::mm(teacher.hidden, teacher.output.t()) / 2.5, 1);
  const Tensor found = torch::log_softmax(logits.narrow(1, 0, kTeacher) / 2.5, 1);
  const Tensor theirs =
      0.7 * torch::nll_loss(torch::log_softmax(logits, 1), targets, {}, torch::Reduction::Sum) +
      0.3 * 2.5 * 2.5 * torch::kl_div(found, wanted, torch::Reduction::Sum);
  EXPECT_NEAR(ours.sum.item<double>(), theirs.item<double>(), 1e-9);
  EXPECT_LT(RelativeDifference(torch::autograd::grad({ours.sum * 3}, {hidden}),
                               torch::autograd::grad({theirs * 3}, {hidden})),
            1e-12);
}

TEST_F(Language, ATeacherThatSaysWhatTheModelSaysTeachesNothing) {
  const Decoder decoder = Load(TinyConfig("llama"));
  const TextData data = TinyData(20);
  const Adapter adapter = Busy(decoder, SmallLora());
  const auto gradients = [&](const Teacher* teacher) {
    LoraTask task(decoder, data, adapter, {.micro_batch = 3, .teacher = teacher, .optimizer = {}},
                  {});
    const UpdateLoss loss = task.AddGradients({FirstSamples(7), 0, 1.0});
    return std::pair{loss.mean.item<double>(), GradientsOf(adapter)};
  };
  const auto [alone, gradient] = gradients(nullptr);
  Teacher teacher{decoder, adapter, 3, 0.25};
  const auto [taught, its] = gradients(&teacher);
  EXPECT_NEAR(taught, 0.75 * alone, 1e-12);
  for (std::size_t i = 0; i < its.size(); ++i)
    EXPECT_LT(RelativeDifference({its[i]}, {gradient[i] * 0.75}), 1e-10);
  // Another teacher changes the loss.
  torch::manual_seed(7);
  teacher.adapter = Busy(decoder, SmallLora());
  EXPECT_GT(gradients(&teacher).first, taught);
}

// If a model has only the teacher to learn from, its predictions become the teacher's.
TEST_F(Language, AModelLearnsWhatItsTeacherSays) {
  const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  const TextData data = TinyData(20);
  const Teacher teacher{decoder, Busy(decoder, SmallLora()), 2, 1};
  LoraTask task(decoder, data, MakeAdapter(decoder, SmallLora(), 4),
                {.micro_batch = 8, .teacher = &teacher, .optimizer = {}}, {});
  std::vector<double> losses;
  for (int step = 1; step <= 60; ++step) {
    losses.push_back(
        task.AddGradients({FirstSamples(task.samples()), step, 1.0}).mean.item<double>());
    task.optimizer().Step(0.01);
    task.optimizer().ClearGradients();
  }
  EXPECT_LT(losses.back(), 0.2 * losses.front());
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

TEST_F(Language, GradientsDoNotDependOnMicroBatches) {
  const Decoder decoder = Load(TinyConfig("llama"));
  const TextData data = TinyData(20);
  const auto samples = FirstSamples(7);
  std::vector<std::vector<Tensor>> gradients;
  for (const std::size_t micro_batch : {7U, 2U, 1U}) {
    torch::manual_seed(1);
    LoraTask task(decoder, data, Busy(decoder, SmallLora()),
                  {.micro_batch = micro_batch, .optimizer = {}}, {});
    const UpdateLoss loss = task.AddGradients({samples, 0, 1.0});
    EXPECT_GT(loss.weight, 7);
    gradients.push_back(GradientsOf(task.adapter()));
  }
  EXPECT_LT(RelativeDifference(gradients[1], gradients[0]), 1e-12);
  EXPECT_LT(RelativeDifference(gradients[2], gradients[0]), 1e-12);
}

TEST_F(Language, TryingMicroBatchesChangesNoLoss) {
  const Decoder decoder = Load(TinyConfig("qwen2"));
  const TextData data = TinyData(20);
  struct Run {
    std::vector<double> losses;
    std::vector<std::size_t> sizes;
    MicroBatchState early;  // after five updates
  };
  const auto run = [&](std::int64_t search_updates, const MicroBatchState* kept) {
    torch::manual_seed(1);
    LoraTask task(
        decoder, data, Busy(decoder, SmallLora()),
        {.micro_batch = 2, .search_updates = search_updates, .update_samples = 8, .optimizer = {}},
        {});
    if (kept != nullptr) task.UseMicroBatch(*kept);
    Run done;
    for (std::int64_t step = 0; step < 12; ++step) {
      done.sizes.push_back(task.micro_batch_state().size);
      done.losses.push_back(task.AddGradients({FirstSamples(8), step, 1.0}).mean.item<double>());
      task.optimizer().Step(0.01);
      task.optimizer().ClearGradients();
      if (step == 4) done.early = task.micro_batch_state();
    }
    EXPECT_FALSE(task.micro_batch_state().searching);
    return done;
  };
  const Run fixed = run(0, nullptr), searched = run(10, nullptr);
  ASSERT_TRUE(searched.early.searching);
  const Run resumed = run(10, &searched.early);
  EXPECT_THAT(fixed.sizes, testing::Each(2U));
  EXPECT_GT(std::set(searched.sizes.begin(), searched.sizes.end()).size(), 1U);
  EXPECT_EQ(resumed.sizes[0], searched.early.size);
  for (std::size_t i = 0; i < fixed.losses.size(); ++i) {
    EXPECT_NEAR(searched.losses[i], fixed.losses[i], 1e-11) << i;
    EXPECT_NEAR(resumed.losses[i], fixed.losses[i], 1e-11) << i;
  }
}

// An update with less memory is the same update in smaller micro-batches.
TEST_F(Language, MemoryThatRunsOutMakesMicroBatchesSmaller) {
  nlohmann::json config = TinyConfig("llama");
  config["intermediate_size"] = 100'000;  // some 10 MB for each of the tensors of a sequence
  config["num_hidden_layers"] = 1;
  const Decoder decoder = Load(config);
  const TextData data = TinyData(20);
  std::size_t used = 0;
  const auto gradients = [&](std::size_t micro_batch) {
    torch::manual_seed(1);
    LoraTask task(decoder, data, Busy(decoder, SmallLora()),
                  {.micro_batch = micro_batch, .optimizer = {}}, {});
    task.AddGradients({FirstSamples(8), 0, 1.0});
    used = task.micro_batch_state().size;
    return GradientsOf(task.adapter());
  };
  const auto wanted = gradients(1);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::size_t now = pages * static_cast<std::size_t>(::getpagesize());
  const rlimit limited{now + (200U << 20), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limited), 0);
  const auto found = gradients(8);
  ::setrlimit(RLIMIT_AS, &before);
  EXPECT_LT(used, 8U);
  EXPECT_LT(RelativeDifference(found, wanted), 1e-12);
}

// The loss of all sequences does not depend on how they are packed into rows.
TEST_F(Language, PackedRowsHaveTheGradientsOfTheirSequences) {
  const Decoder decoder = Load(TinyConfig("qwen3"));
  std::vector<std::vector<Tensor>> gradients;
  for (const bool packed : {false, true}) {
    const TextData data = TinyData(20, packed);
    torch::manual_seed(1);
    LoraTask task(decoder, data, Busy(decoder, SmallLora()), {.micro_batch = 3, .optimizer = {}},
                  {});
    task.AddGradients({FirstSamples(task.samples()), 0, 1.0});
    gradients.push_back(GradientsOf(task.adapter()));
  }
  EXPECT_LT(RelativeDifference(gradients[1], gradients[0]), 1e-12);
}

TEST_F(Language, ClippingIsOfTheWholeNorm) {
  std::vector<Tensor> gradients = {torch::full({2}, 3.0), torch::full({2}, 4.0)};
  ClipGradients(gradients, 1);
  EXPECT_NEAR(
      gradients[0].square().sum().item<double>() + gradients[1].square().sum().item<double>(), 1,
      1e-5);
  const Tensor before = gradients[1].clone();
  ClipGradients(gradients, 10);
  EXPECT_TRUE(torch::equal(gradients[1], before));
}

TEST_F(Language, AnAdapterReadsBackAndMerges) {
  for (const bool decomposed : {false, true}) {
    LoraSettings settings = SmallLora();
    settings.decomposed = decomposed;
    const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
    const Adapter adapter = Busy(decoder, settings);
    ASSERT_TRUE(SaveAdapter(directory_ / "adapter", adapter, "base"));
    const auto loaded = LoadAdapter(directory_ / "adapter", decoder);
    ASSERT_TRUE(loaded) << loaded.error().Message();
    EXPECT_EQ(AdapterSha256(*loaded), AdapterSha256(adapter));
    const torch::NoGradGuard no_grad;
    const TokenBatch batch{RandomIds(1, 10), {}, {}};
    EXPECT_LT(RelativeDifference({HiddenStates(Merged(decoder, adapter), nullptr, batch, {})},
                                 {HiddenStates(decoder, &adapter, batch, {})}),
              1e-5);
  }
}

TEST_F(Language, AMergedModelIsTheModelWithItsAdapter) {
  const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  const Adapter adapter = Busy(decoder, SmallLora());
  ASSERT_TRUE(SaveAdapter(directory_ / "adapter", adapter, "base"));
  ASSERT_TRUE(platform::WriteFileAtomically(directory_ / "tokenizer.json", "{}"));
  const torch::NoGradGuard no_grad;
  const TokenBatch batch{RandomIds(1, 10), {}, {}};
  const Tensor wanted = HiddenStates(Merged(decoder, adapter), nullptr, batch, {});
  for (const std::uint64_t shard_bytes : {kShardBytes, std::uint64_t{2000}}) {
    const platform::Path output = ScratchDirectory("merged") / "model";
    const MergeOptions options{directory_.string(), (directory_ / "adapter").string(),
                               output.string()};
    const Status done = Merge(options, shard_bytes);
    ASSERT_TRUE(done) << done.error().Message();
    const auto merged = LoadDecoder(output, torch::dtype(torch::kFloat32));
    ASSERT_TRUE(merged) << merged.error().Message();
    EXPECT_TRUE(torch::equal(HiddenStates(*merged, nullptr, batch, {}), wanted));
    EXPECT_TRUE(std::filesystem::exists(output / "tokenizer.json"));
    EXPECT_EQ(std::filesystem::exists(output / "model.safetensors"), shard_bytes == kShardBytes);
    EXPECT_FALSE(Merge(options)) << "it is there already";
  }
}

TEST_F(Language, AMergeThatFailsLeavesNothing) {
  const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  ASSERT_TRUE(SaveAdapter(directory_ / "adapter", Busy(decoder, SmallLora()), "base"));
  nlohmann::json other = TinyConfig("qwen2");
  other["intermediate_size"] = 28;
  Load(other, torch::kFloat32);
  const platform::Path parent = ScratchDirectory("merged");
  const Status refused =
      Merge({directory_.string(), (directory_ / "adapter").string(), (parent / "model").string()});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), testing::HasSubstr("gate_proj"));
  EXPECT_TRUE(std::filesystem::is_empty(parent));
  const Status missing = Merge({"no/model", (directory_ / "adapter").string(), "merged"});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().Message(), testing::HasSubstr("no/model: is not a folder"));
}

// Embedding and output as PEFT writes them, in both forms: learned whole (modules_to_save), and as
// two matrices.
class OuterAdapter : public Language {
 protected:
  OuterAdapter() { torch::manual_seed(5); }

  // Writes the folder of an adapter of q_proj with more keys and tensors.
  platform::Path Written(const Decoder& decoder, const nlohmann::json& keys,
                         const NamedTensors& more) {
    const platform::Path folder = directory_ / "adapter";
    LoraSettings settings = SmallLora();
    settings.targets = {Projection::kQuery};
    const Adapter adapter = MakeAdapter(decoder, settings, 1);
    NamedTensors tensors = adapter.Tensors();
    for (auto& [name, tensor] : tensors) tensor = tensor.detach();
    tensors.insert(tensors.end(), more.begin(), more.end());
    nlohmann::json config = nlohmann::json::parse(AdapterConfigJson(settings, "base"));
    config.update(keys);
    EXPECT_TRUE(platform::EnsureWritableDirectory(folder));
    EXPECT_TRUE(platform::WriteFileAtomically(folder / "adapter_config.json", config.dump()));
    EXPECT_TRUE(platform::WriteFileAtomically(folder / "adapter_model.safetensors",
                                              EncodeSafetensors(BytesOf(tensors), {})));
    return folder;
  }

  const Tensor saved_ = torch::randn({48, 16}), a_ = torch::randn({3, 16}),
               b_ = torch::randn({48, 3}), embedding_a_ = torch::randn({3, 48}),
               embedding_b_ = torch::randn({16, 3});
};

TEST_F(OuterAdapter, ChangesEmbeddingAndOutput) {
  Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  const Decoder base = decoder;
  const auto folder = Written(
      decoder, {{"target_modules", {"q_proj", "lm_head"}}, {"modules_to_save", {"embed_tokens"}}},
      {{"base_model.model.model.embed_tokens.weight", saved_},
       {"base_model.model.lm_head.base_layer.weight", decoder.output},
       {"base_model.model.lm_head.lora_A.weight", a_},
       {"base_model.model.lm_head.lora_B.weight", b_}});
  OuterWeights outer;
  const auto adapter = LoadAdapter(folder, decoder, &outer);
  ASSERT_TRUE(adapter) << adapter.error().Message();
  Use(outer, decoder);
  EXPECT_TRUE(torch::equal(decoder.embedding, saved_));
  EXPECT_LT(RelativeDifference({decoder.output}, {base.output + 2 * b_.mm(a_)}), 1e-6);
  const platform::Path merged = ScratchDirectory("merged") / "model";
  const Status done = Merge({directory_.string(), folder.string(), merged.string()});
  ASSERT_TRUE(done) << done.error().Message();
  const auto loaded = LoadDecoder(merged, torch::dtype(torch::kFloat32));
  ASSERT_TRUE(loaded) << loaded.error().Message();
  EXPECT_TRUE(torch::equal(loaded->embedding, decoder.embedding));
  EXPECT_TRUE(torch::equal(loaded->output, decoder.output));
  const auto trained = LoadAdapter(folder, base);
  ASSERT_FALSE(trained) << "it would go on without them";
  EXPECT_THAT(trained.error().Message(), testing::HasSubstr("which Ebb does not train"));
}

TEST_F(OuterAdapter, MayUntieAModelButIsNotMergedThen) {
  nlohmann::json config = TinyConfig("qwen2");
  config["tie_word_embeddings"] = true;
  Decoder decoder = Load(config, torch::kFloat32);
  const Tensor before = decoder.output;
  const auto folder =
      Written(decoder, {{"target_modules", {"q_proj", "embed_tokens"}}},
              {{"base_model.model.model.embed_tokens.lora_embedding_A", embedding_a_},
               {"base_model.model.model.embed_tokens.lora_embedding_B", embedding_b_}});
  OuterWeights outer;
  ASSERT_TRUE(LoadAdapter(folder, decoder, &outer));
  Use(outer, decoder);
  EXPECT_LT(
      RelativeDifference({decoder.embedding}, {before + 2 * embedding_b_.mm(embedding_a_).t()}),
      1e-6);
  EXPECT_TRUE(torch::equal(decoder.output, before));
  const Status merged =
      Merge({directory_.string(), folder.string(), (ScratchDirectory("merged") / "m").string()});
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().Message(), testing::HasSubstr("tie_word_embeddings"));
}

TEST_F(OuterAdapter, OfAnotherBaseIsRefused) {
  const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  const auto folder = Written(decoder, {{"target_modules", {"q_proj", "lm_head"}}},
                              {{"base_model.model.lm_head.base_layer.weight", saved_},
                               {"base_model.model.lm_head.lora_A.weight", a_},
                               {"base_model.model.lm_head.lora_B.weight", b_}});
  OuterWeights outer;
  const auto refused = LoadAdapter(folder, decoder, &outer);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), testing::HasSubstr("lm_head.base_layer.weight"));
}

TEST_F(Language, AnAdapterOfAnotherModelIsRefused) {
  const Decoder small = Load(TinyConfig("qwen2"), torch::kFloat32);
  ASSERT_TRUE(SaveAdapter(directory_ / "adapter", MakeAdapter(small, SmallLora(), 1), "base"));
  nlohmann::json config = TinyConfig("qwen2");
  config["intermediate_size"] = 28;
  const auto refused = LoadAdapter(directory_ / "adapter", Load(config, torch::kFloat32));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Message(), testing::HasSubstr("gate_proj"));
}

TEST_F(Language, WeightsAreTheMappedFile) {
  const Decoder decoder = Load(TinyConfig("qwen2"), torch::kFloat32);
  const TensorMemoryScope memory(torch::kCPU);
  const auto again = LoadDecoder(directory_, torch::dtype(torch::kFloat32));
  ASSERT_TRUE(again);
  EXPECT_LE(memory.peak_bytes(), 64) << "the sum by which they are found to be finite";
  // Writing into the borrowed tensor changes neither the file nor another mapping of it.
  torch::NoGradGuard no_grad;
  Tensor embedding = again->embedding;
  embedding.add_(1);
  EXPECT_FALSE(torch::equal(embedding, decoder.embedding));
  EXPECT_TRUE(torch::equal(LoadDecoder(directory_, torch::dtype(torch::kFloat32))->embedding,
                           decoder.embedding));
}

TEST_F(Language, UnknownMissingAndMisshapenTensorsAreNamed) {
  const auto refusal = [&](const nlohmann::json& written, const nlohmann::json& claimed) {
    WriteModel(directory_, written);
    EXPECT_TRUE(platform::WriteFileAtomically(directory_ / "config.json", claimed.dump()));
    const auto decoder = LoadDecoder(directory_, torch::dtype(torch::kFloat32));
    return decoder ? std::string("accepted") : decoder.error().Message();
  };
  nlohmann::json other = TinyConfig("qwen2");
  other["num_hidden_layers"] = 1;
  EXPECT_THAT(refusal(TinyConfig("qwen2"), other), testing::HasSubstr("model.layers.1."));
  EXPECT_THAT(refusal(other, TinyConfig("qwen2")), testing::HasSubstr("1 layers"));
  EXPECT_THAT(refusal(TinyConfig("qwen2"), TinyConfig("llama")),
              testing::HasSubstr("k_proj.bias is unknown"));
  EXPECT_THAT(refusal(TinyConfig("llama"), TinyConfig("qwen3")),
              testing::HasSubstr("lacks the tensor model.layers.0.self_attn.q_norm"));
  other = TinyConfig("qwen2");
  other["vocab_size"] = 50;
  EXPECT_THAT(refusal(TinyConfig("qwen2"), other),
              testing::HasSubstr("{48, 16}, but config.json says {50, 16}"));
}

class FamiliesThatGenerate : public Language, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Language, FamiliesThatGenerate, testing::Values("qwen3", "gemma3_text"));

TEST_P(FamiliesThatGenerate, GreedyGenerationIsThatOfWholePasses) {
  const std::string family = GetParam();
  const Decoder decoder = Load(family == "gemma3_text" ? TinyGemma() : TinyConfig(family));
  const Adapter adapter = Busy(decoder, SmallLora());
  const std::vector<std::int64_t> prompt = {5, 9, 31};
  const auto generated =
      Generate(decoder, &adapter, prompt, {.max_new_tokens = 12, .end_tokens = {}},
               [](std::int64_t) { return true; });
  std::vector<std::int64_t> tokens = prompt;
  const torch::NoGradGuard no_grad;
  for (int i = 0; i < 12; ++i) {
    const Tensor ids = torch::tensor(tokens, torch::dtype(torch::kInt64)).unsqueeze(0);
    const Tensor hidden = HiddenStates(decoder, &adapter, {ids, {}, {}}, {});
    tokens.push_back(Logits(decoder, hidden)[0][-1].argmax().item<std::int64_t>());
  }
  EXPECT_EQ(generated, std::vector<std::int64_t>(tokens.begin() + 3, tokens.end()));
}

TEST_F(Language, SamplingKeepsToTheNucleus) {
  const Tensor logits = torch::tensor({0.5, 0.3, 0.2}, torch::dtype(torch::kFloat64)).log();
  const auto choose = [&](double top_p, std::int64_t top_k, double draw) {
    return ChooseToken(logits, {.temperature = 1, .top_k = top_k, .top_p = top_p, .end_tokens = {}},
                       draw);
  };
  EXPECT_EQ(choose(1, 0, 0.49), 0);
  EXPECT_EQ(choose(1, 0, 0.51), 1);
  EXPECT_EQ(choose(1, 0, 0.99), 2);
  EXPECT_EQ(choose(0.6, 0, 0.99), 1);  // two tokens reach 0.6
  EXPECT_EQ(choose(0.4, 0, 0.99), 0);
  EXPECT_EQ(choose(1, 2, 0.99), 1);
  EXPECT_EQ(ChooseToken(logits, {}, 0.99), 0);
}

}  // namespace
}  // namespace ebb::train
