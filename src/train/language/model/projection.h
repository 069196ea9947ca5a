#pragma once
// The seven matrices of a decoder layer, under the names that Hugging Face and PEFT give them.

#include <array>
#include <cstddef>

namespace ebb::train {

enum class Projection { kQuery, kKey, kValue, kOutput, kGate, kUp, kDown };

inline constexpr std::size_t kProjectionCount = 7;

struct ProjectionName {
  const char* name;  ///< name in target_modules
  const char* path;  ///< path inside a layer
};

inline constexpr std::array<ProjectionName, kProjectionCount> kProjectionNames{
    {{"q_proj", "self_attn.q_proj"},
     {"k_proj", "self_attn.k_proj"},
     {"v_proj", "self_attn.v_proj"},
     {"o_proj", "self_attn.o_proj"},
     {"gate_proj", "mlp.gate_proj"},
     {"up_proj", "mlp.up_proj"},
     {"down_proj", "mlp.down_proj"}}};

constexpr std::size_t Index(Projection projection) { return static_cast<std::size_t>(projection); }

}  // namespace ebb::train
