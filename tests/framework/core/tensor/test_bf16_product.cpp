// Which processors multiply bfloat16 matrices, by what CPUID reports.
#include "framework/core/tensor/bf16_product.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

Bf16Support::Kernel kernel(const ProcessorFeatures& features) {
  return bf16_support(features).kernel;
}

// Leaf 7: EDX of subleaf 0, EAX of subleaf 1.
const ProcessorFeatures kSapphireRapids = {"GenuineIntel", 0xffdd4432, 0x00001c30, true, true};
const ProcessorFeatures kVirtualXeonWithAmx = {"GenuineIntel", 0x23c14010, 0x00001c30, true, true};
const ProcessorFeatures kSapphireRapidsWithoutAmx = {"GenuineIntel", 0xfc9d4432, 0x00001c30, true,
                                                     false};
const ProcessorFeatures kCooperLake = {"GenuineIntel", 0xbc000400, 0x00000020, true, false};
const ProcessorFeatures kIceLake = {"GenuineIntel", 0xbc040412, 0x00000000, true, false};
const ProcessorFeatures kHaswell = {"GenuineIntel", 0x9c000400, 0x00000000, false, false};
const ProcessorFeatures kZen3 = {"AuthenticAMD", 0x00000010, 0x00000000, false, false};
const ProcessorFeatures kZen4 = {"AuthenticAMD", 0x10000010, 0x00000020, true, false};
const ProcessorFeatures kZen5 = {"AuthenticAMD", 0x10000110, 0x00000030, true, false};

}  // namespace

TEST_CASE("bf16: processors with AMX, and AMD's with avx512_bf16, multiply in bfloat16",
          "[tensor]") {
  CHECK(kernel(kSapphireRapids) == Bf16Support::kMkl);
  CHECK(kernel(kVirtualXeonWithAmx) == Bf16Support::kMkl);
  CHECK(kernel(kZen4) == Bf16Support::kOneDnn);
  CHECK(kernel(kZen5) == Bf16Support::kOneDnn);
  for (const ProcessorFeatures& features :
       {kSapphireRapidsWithoutAmx, kCooperLake, kIceLake, kHaswell, kZen3, ProcessorFeatures{}}) {
    INFO(features.vendor << " " << features.leaf7_edx << " " << features.leaf7_1_eax);
    CHECK(kernel(features) == Bf16Support::kNone);
    CHECK_FALSE(bf16_support(features).is_fast());
  }
}

TEST_CASE("bf16: instructions that the operating system does not enable are not used", "[tensor]") {
  ProcessorFeatures features = kSapphireRapids;
  features.amx_enabled = false;
  CHECK(kernel(features) == Bf16Support::kNone);
  features = kZen4;
  features.avx512_enabled = false;
  CHECK(kernel(features) == Bf16Support::kNone);
}

TEST_CASE("bf16: the decision names its reason", "[tensor]") {
  using Catch::Contains;
  CHECK_THAT(bf16_support(kSapphireRapids).reason, Contains("AMX"));
  CHECK(bf16_support(kZen4).reason == "avx512_bf16 on AuthenticAMD");
  CHECK_THAT(bf16_support(kCooperLake).reason, Contains("avx512_bf16 without AMX on GenuineIntel"));
  CHECK_THAT(bf16_support(kZen3).reason, Contains("neither AMX nor avx512_bf16"));
  CHECK_FALSE(cpu_bf16_support().reason.empty());
}
