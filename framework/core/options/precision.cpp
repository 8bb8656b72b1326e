#include "framework/core/options/precision.h"

namespace lvtext {

const std::vector<EnumName<Precision>>& enum_names(Precision) {
  static const std::vector<EnumName<Precision>> names = {
      {"fp32", Precision::kFp32, "float32 throughout"},
      {"tf32", Precision::kTf32, "float32 with TensorFloat-32 products on CUDA"},
      {"bf16", Precision::kBf16,
       "bfloat16 operands, float32 sums; fast on CUDA, on CPUs with AMX, and on AMD's with "
       "avx512_bf16"}};
  return names;
}

}  // namespace lvtext
