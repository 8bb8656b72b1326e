#include "framework/core/tensor/philox.h"

#include <cmath>
#include <limits>

#include "framework/core/base/error.h"
#include "framework/core/tensor/torch.h"

namespace lvtext {
namespace {

constexpr uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
constexpr int64_t kMaxElements = int64_t{1} << 34;  // four per value of a 32-bit counter
constexpr double kTwoPi = 6.283185307179586476925;
// Id of per-step draws. No example has it: as int64 it is -1, and example ids are not negative.
constexpr uint64_t kWholeStep = std::numeric_limits<uint64_t>::max();

/// The fields of a NoiseKey, mixed into Philox's key and one word of its counter.
struct MixedKey {
  explicit MixedKey(const NoiseKey& key) {
    const auto mixed =
        philox4x32({static_cast<uint32_t>(key.step), static_cast<uint32_t>(key.step >> 32),
                    key.stream, key.use},
                   {static_cast<uint32_t>(key.seed), static_cast<uint32_t>(key.seed >> 32)});
    philox_key = {mixed[0], mixed[1]};
    tag = mixed[2];
  }
  std::array<uint32_t, 4> words(uint64_t example, int64_t block) const {
    return philox4x32({static_cast<uint32_t>(block), tag, static_cast<uint32_t>(example),
                       static_cast<uint32_t>(example >> 32)},
                      philox_key);
  }
  std::array<uint32_t, 2> philox_key;
  uint32_t tag;
};

struct Uniform {
  template <typename T>
  void operator()(const std::array<uint32_t, 4>& words, T* values) const {
    for (int i = 0; i < 4; ++i) {
      values[i] = (static_cast<T>(words[i] >> 9) + T(0.5)) * T(0x1p-23);
    }
  }
};

struct Normal {
  template <typename T>
  void operator()(const std::array<uint32_t, 4>& words, T* values) const {
    for (int i = 0; i < 4; i += 2) {
      const T radius =
          std::sqrt(T(-2) * std::log((static_cast<T>(words[i]) + T(0.5)) * T(0x1p-32)));
      const T angle = static_cast<T>(words[i + 1]) * T(kTwoPi * 0x1p-32);
      values[i] = radius * std::cos(angle);
      values[i + 1] = radius * std::sin(angle);
    }
  }
};

struct Keep {
  uint64_t threshold;  // probability of 1, x 2^32
  template <typename T>
  void operator()(const std::array<uint32_t, 4>& words, T* values) const {
    for (int i = 0; i < 4; ++i) {
      values[i] = words[i] < threshold ? T(1) : T(0);
    }
  }
};

template <typename T, typename Draw>
void fill(const MixedKey& key, const uint64_t* examples, int64_t rows, int64_t width, T* out,
          const Draw& draw) {
  const int64_t blocks = (width + 3) / 4;
  at::parallel_for(0, rows * blocks, 4096, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      const int64_t row = i / blocks, block = i % blocks;
      T values[4];
      draw(key.words(examples[row], block), values);
      const int64_t first = block * 4, count = std::min<int64_t>(4, width - first);
      std::copy(values, values + count, out + row * width + first);
    }
  });
}

int64_t element_count(at::IntArrayRef shape) {
  int64_t result = 1;
  for (int64_t size : shape) {
    result *= size;
  }
  LVT_ASSERT(result <= kMaxElements, "more than 2^34 random numbers for one example");
  return result;
}

template <typename Draw>
at::Tensor filled(const NoiseKey& key, const std::vector<uint64_t>& examples,
                  const std::vector<int64_t>& shape, int64_t width,
                  const at::TensorOptions& options, const Draw& draw) {
  const auto type = options.has_dtype() ? c10::typeMetaToScalarType(options.dtype()) : at::kFloat;
  const bool is_double = type == at::kDouble;
  at::Tensor out = at::empty(shape, at::dtype(is_double ? at::kDouble : at::kFloat));
  const MixedKey mixed(key);
  const int64_t rows = static_cast<int64_t>(examples.size());
  if (out.numel() > 0 && is_double) {
    fill(mixed, examples.data(), rows, width, out.mutable_data_ptr<double>(), draw);
  } else if (out.numel() > 0) {
    fill(mixed, examples.data(), rows, width, out.mutable_data_ptr<float>(), draw);
  }
  return out.to(options.device(), type);
}

template <typename Draw>
at::Tensor per_example(const NoiseKey& key, const at::Tensor& example_ids, at::IntArrayRef shape,
                       const at::TensorOptions& options, const Draw& draw) {
  LVT_ASSERT(example_ids.dim() == 1 && example_ids.scalar_type() == at::kLong,
             "example ids must be [B] int64");
  const at::Tensor ids = example_ids.cpu().contiguous();
  std::vector<uint64_t> examples(ids.numel());
  std::vector<int64_t> full{ids.numel()};
  full.insert(full.end(), shape.begin(), shape.end());
  for (int64_t i = 0; i < ids.numel(); ++i) {
    LVT_ASSERT(ids.const_data_ptr<int64_t>()[i] >= 0, "negative example id");
    examples[i] = static_cast<uint64_t>(ids.const_data_ptr<int64_t>()[i]);
  }
  return filled(key, examples, full, element_count(shape), options, draw);
}

template <typename Draw>
at::Tensor per_step(const NoiseKey& key, at::IntArrayRef shape, const at::TensorOptions& options,
                    const Draw& draw) {
  return filled(key, {kWholeStep}, shape.vec(), element_count(shape), options, draw);
}

Keep keep_draw(double p) {
  LVT_ASSERT(p >= 0 && p <= 1, "a dropout probability must be in [0, 1]");
  return Keep{static_cast<uint64_t>(std::llround((1 - p) * 0x1p32))};
}

}  // namespace

uint32_t noise_use(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  return hash;
}

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = kMultiplier0 * counter[0], product1 = kMultiplier1 * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

at::Tensor normal(const NoiseKey& key, const at::Tensor& example_ids,
                  at::IntArrayRef per_example_shape, const at::TensorOptions& options) {
  return per_example(key, example_ids, per_example_shape, options, Normal());
}

at::Tensor uniform(const NoiseKey& key, const at::Tensor& example_ids,
                   at::IntArrayRef per_example_shape, const at::TensorOptions& options) {
  return per_example(key, example_ids, per_example_shape, options, Uniform());
}

at::Tensor dropout_mask(const NoiseKey& key, const at::Tensor& example_ids,
                        at::IntArrayRef per_example_shape, double p,
                        const at::TensorOptions& options) {
  return per_example(key, example_ids, per_example_shape, options, keep_draw(p));
}

at::Tensor normal_step(const NoiseKey& key, at::IntArrayRef shape,
                       const at::TensorOptions& options) {
  return per_step(key, shape, options, Normal());
}

at::Tensor uniform_step(const NoiseKey& key, at::IntArrayRef shape,
                        const at::TensorOptions& options) {
  return per_step(key, shape, options, Uniform());
}

}  // namespace lvtext
