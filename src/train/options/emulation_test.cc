#include "train/options/emulation.h"

#include <gmock/gmock.h>

#include <limits>

namespace ebb::train {
namespace {

using ::testing::HasSubstr;

TEST(Emulation, FlagsOfProcessorsWithAndWithoutTheArithmetic) {
  EXPECT_TRUE(CpuHasArithmetic("fpu avx2 avx512f avx512_bf16 amx_tile", Precision::kBf16));
  EXPECT_TRUE(CpuHasArithmetic("fp asimd i8mm bf16 dgh", Precision::kBf16));
  EXPECT_FALSE(CpuHasArithmetic("fpu sse4_2 avx avx2 f16c fma", Precision::kBf16));
  EXPECT_FALSE(CpuHasArithmetic("fpu avx512f avx512_bf16x", Precision::kBf16)) << "whole words";
  EXPECT_TRUE(CpuHasArithmetic("avx512_fp16", Precision::kFp16));
  EXPECT_FALSE(CpuHasArithmetic("avx512_bf16", Precision::kFp16));
}

TEST(Emulation, WhatIsSlowerWithoutTheArithmeticIsEmulated) {
  const auto notice = EmulationNotice(Precision::kBf16, {0.002, 0.0126, false});
  ASSERT_TRUE(notice);
  EXPECT_THAT(*notice, HasSubstr("bf16 is emulated here, and slower and dirtier than fp32: 6.3"));
  EXPECT_THAT(*notice, HasSubstr("the processor has no bf16 arithmetic"));
}

TEST(Emulation, ALibraryThatDoesNotUseTheArithmeticIsFoundOut) {
  const auto notice = EmulationNotice(Precision::kBf16, {0.002, 0.012, true});
  ASSERT_TRUE(notice);
  EXPECT_THAT(*notice, HasSubstr("the library does not use it"));
}

TEST(Emulation, WhatTheLibraryCannotDoIsSaid) {
  const auto notice =
      EmulationNotice(Precision::kBf16, {0.002, std::numeric_limits<double>::infinity(), true});
  ASSERT_TRUE(notice);
  EXPECT_THAT(*notice, HasSubstr("bf16 does not work here"));
}

TEST(Emulation, WhatIsFasterOrOnlyNoisyIsNot) {
  EXPECT_FALSE(EmulationNotice(Precision::kBf16, {0.002, 0.001, true}));
  EXPECT_FALSE(EmulationNotice(Precision::kBf16, {0.002, 0.003, true}));
  EXPECT_FALSE(EmulationNotice(Precision::kBf16, {0.002, 0.0019, false})) << "it pays all the same";
  EXPECT_FALSE(EmulationNotice(Precision::kFp32, {0.002, 0.02, false}));
}

}  // namespace
}  // namespace ebb::train
