// Kernels that NVRTC compiles for the GPU at hand (device_program.h), embedded in the program as
// text. Each reads and writes every number once, eight bf16 numbers of 16 bytes in each thread.
// device_kernels_test.cc runs the same text on the CPU, thread by thread.

typedef unsigned short Bf16Bits;

struct __align__(16) Eight {
  Bf16Bits bits[8];
};

static __device__ float FloatOf(Bf16Bits bits) { return __uint_as_float((unsigned)bits << 16); }

// Rounds to the nearest, ties to even; NaN stays NaN.
static __device__ Bf16Bits Bf16Of(float value) {
  const unsigned bits = __float_as_uint(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return (Bf16Bits)((bits >> 16) | 0x40u);
  return (Bf16Bits)((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

static __device__ float Sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

static __device__ unsigned long long ThreadNumber() {
  return (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
}

// silu(gate) * up. `count` is in groups of eight.
extern "C" __global__ void ebb_gated_silu(const Eight* gate, const Eight* up, Eight* out,
                                          unsigned long long count) {
  const unsigned long long i = ThreadNumber();
  if (i >= count) return;
  const Eight gates = gate[i], ups = up[i];
  Eight result;
  for (int k = 0; k < 8; ++k) {
    const float g = FloatOf(gates.bits[k]);
    result.bits[k] = Bf16Of(g * Sigmoid(g) * FloatOf(ups.bits[k]));
  }
  out[i] = result;
}

// Its gradients with respect to gate and up.
extern "C" __global__ void ebb_gated_silu_backward(const Eight* gate, const Eight* up,
                                                   const Eight* gradient, Eight* of_gate,
                                                   Eight* of_up, unsigned long long count) {
  const unsigned long long i = ThreadNumber();
  if (i >= count) return;
  const Eight gates = gate[i], ups = up[i], gradients = gradient[i];
  Eight gate_result, up_result;
  for (int k = 0; k < 8; ++k) {
    const float g = FloatOf(gates.bits[k]), y = FloatOf(gradients.bits[k]);
    const float sigmoid = Sigmoid(g);
    gate_result.bits[k] =
        Bf16Of(y * FloatOf(ups.bits[k]) * sigmoid * (1.0f + g * (1.0f - sigmoid)));
    up_result.bits[k] = Bf16Of(y * g * sigmoid);
  }
  of_gate[i] = gate_result;
  of_up[i] = up_result;
}

// The levels of weight_codes.h.
static __device__ const float kLevels[16] = {-1.0f,
                                             -0.6961928009986877f,
                                             -0.5250730514526367f,
                                             -0.39491748809814453f,
                                             -0.28444138169288635f,
                                             -0.18477343022823334f,
                                             -0.09105003625154495f,
                                             0.0f,
                                             0.07958029955625534f,
                                             0.16093020141124725f,
                                             0.24611230194568634f,
                                             0.33791524171829224f,
                                             0.44070982933044434f,
                                             0.5626170039176941f,
                                             0.7229568362236023f,
                                             1.0f};

// NF4 codes and the scales of blocks of 64 weights -> weights. A thread decodes the four bytes of a
// word; the upper half of a byte comes first.
extern "C" __global__ void ebb_nf4_decode(const unsigned* words, const float* scales, Eight* out,
                                          unsigned long long count) {
  const unsigned long long i = ThreadNumber();
  if (i >= count) return;
  const unsigned word = words[i];
  const float scale = scales[i / 8];
  Eight result;
  for (int k = 0; k < 8; ++k) {
    const unsigned byte = (word >> (8 * (k / 2))) & 255u;
    result.bits[k] = Bf16Of(kLevels[k % 2 == 0 ? byte >> 4 : byte & 15u] * scale);
  }
  out[i] = result;
}
