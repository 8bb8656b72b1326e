#include "framework/core/sources/split_mix.h"

namespace lvtext {

SplitMix64::SplitMix64(uint64_t seed, uint64_t index, RandomStream stream)
    : state_(SplitMix64(seed * 0xD1342543DE82EF95U + index).next() +
             static_cast<uint64_t>(stream)) {}

uint64_t SplitMix64::next() {
  state_ += 0x9E3779B97F4A7C15U;
  uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

double SplitMix64::uniform() {
  return static_cast<double>(next() >> 11U) * 0x1p-53;
}

size_t SplitMix64::below(size_t n) {
  return static_cast<size_t>(uniform() * static_cast<double>(n));
}

}  // namespace lvtext
