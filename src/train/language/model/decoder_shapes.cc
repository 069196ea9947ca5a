#include "train/language/model/decoder_shapes.h"

#include <functional>
#include <numeric>

namespace ebb::train {
namespace {

void AddLayer(const ModelConfig& config, std::int64_t index, std::vector<NamedShape>& shapes) {
  const std::string prefix = LayerPrefix(index);
  shapes.push_back({prefix + "input_layernorm.weight", {config.hidden}});
  shapes.push_back({prefix + "post_attention_layernorm.weight", {config.hidden}});
  if (config.output_norms) {
    shapes.push_back({prefix + "pre_feedforward_layernorm.weight", {config.hidden}});
    shapes.push_back({prefix + "post_feedforward_layernorm.weight", {config.hidden}});
  }
  if (config.query_key_norm) {
    shapes.push_back({prefix + "self_attn.q_norm.weight", {config.head_size}});
    shapes.push_back({prefix + "self_attn.k_norm.weight", {config.head_size}});
  }
  for (std::size_t i = 0; i < kProjectionCount; ++i) {
    const auto projection = static_cast<Projection>(i);
    const auto shape = ShapeOf(config, projection);
    const std::string name = prefix + kProjectionNames[i].path;
    shapes.push_back({name + ".weight", {shape[0], shape[1]}});
    if (HasBias(config, projection)) shapes.push_back({name + ".bias", {shape[0]}});
  }
}

}  // namespace

std::array<std::int64_t, 2> ShapeOf(const ModelConfig& config, Projection projection) {
  const std::int64_t query = config.heads * config.head_size;
  const std::int64_t key_value = config.key_value_heads * config.head_size;
  switch (projection) {
    case Projection::kQuery:
      return {query, config.hidden};
    case Projection::kKey:
    case Projection::kValue:
      return {key_value, config.hidden};
    case Projection::kOutput:
      return {config.hidden, query};
    case Projection::kGate:
    case Projection::kUp:
      return {config.intermediate, config.hidden};
    case Projection::kDown:
      break;
  }
  return {config.hidden, config.intermediate};
}

bool HasBias(const ModelConfig& config, Projection projection) {
  switch (projection) {
    case Projection::kQuery:
    case Projection::kKey:
    case Projection::kValue:
      return config.query_key_value_bias;
    case Projection::kOutput:
      return config.output_bias;
    default:
      return config.mlp_bias;
  }
}

std::string LayerPrefix(std::int64_t layer) {
  return "model.layers." + std::to_string(layer) + ".";
}

std::vector<NamedShape> ShapesOf(const ModelConfig& config) {
  std::vector<NamedShape> shapes = {
      {"model.embed_tokens.weight", {config.vocabulary, config.hidden}}};
  for (std::int64_t i = 0; i < config.layers; ++i) AddLayer(config, i, shapes);
  shapes.push_back({"model.norm.weight", {config.hidden}});
  if (!config.tied_embeddings)
    shapes.push_back({"lm_head.weight", {config.vocabulary, config.hidden}});
  return shapes;
}

std::int64_t ParameterCount(const ModelConfig& config) {
  std::int64_t count = 0;
  for (const NamedShape& tensor : ShapesOf(config))
    count += std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1},
                             std::multiplies<>());
  return count;
}

}  // namespace ebb::train
