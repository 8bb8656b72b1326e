// Settings of floating-point arithmetic that the whole process has from its start.
#include <cmath>
#include <cstring>
#include <string>
#include <thread>

#include "framework/core/base/json.h"
#include "framework/core/tensor/torch.h"
#include "tests/catch.h"

using namespace lvtext;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

constexpr float kMin = std::numeric_limits<float>::min();  // the smallest normal number

/// Whether the calling thread flushes results below the smallest normal number to zero and reads
/// such operands as zero.
bool flushes() {
  const volatile float smallest = kMin;
  const volatile float half = smallest * 0.5f;
  uint32_t bits = 0x00400000;  // 2^-127
  float subnormal = 0;
  std::memcpy(&subnormal, &bits, sizeof bits);
  const volatile float operand = subnormal;
  return half == 0 && !std::signbit(half) && operand * 4.0f == 0;
}

/// Sets `backward_flushes` in its backward pass.
bool backward_flushes = false;
class Probe : public torch::autograd::Function<Probe> {
 public:
  static at::Tensor forward(AutogradContext*, const at::Tensor& x) { return x.clone(); }
  static variable_list backward(AutogradContext*, variable_list grads) {
    backward_flushes = flushes();
    return {grads[0]};
  }
};

}  // namespace

TEST_CASE("arithmetic: all threads flush subnormal numbers", "[tensor]") {
  CHECK(flushes());
  bool thread = false;
  std::thread([&thread] {
    bool inner = false;
    std::thread([&inner] { inner = flushes(); }).join();
    thread = inner && flushes();
  }).join();
  CHECK(thread);
  const int threads = at::get_num_threads();
  at::set_num_threads(3);
  std::vector<char> parallel(3, 0);
  at::parallel_for(0, 3, 1, [&parallel](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) parallel[i] = flushes() ? 1 : 0;
  });
  for (const char each : parallel) CHECK(each == 1);
  // A thread that starts an OpenMP team of its own.
  std::vector<char> second(3, 0);
  std::thread([&second] {
    at::parallel_for(0, static_cast<int64_t>(second.size()), 1,
                     [&second](int64_t from, int64_t to) {
                       for (int64_t i = from; i < to; ++i) second[i] = flushes() ? 1 : 0;
                     });
  }).join();
  for (const char each : second) CHECK(each == 1);
  at::set_num_threads(threads);
  const at::Tensor x = at::ones({2}).requires_grad_();
  torch::autograd::backward({Probe::apply(x).sum()}, {});
  CHECK(backward_flushes);
}

TEST_CASE("arithmetic: operations on tensors flush subnormal numbers", "[tensor]") {
  const at::Tensor small = at::full({100000}, kMin);
  CHECK((small * 0.25).count_nonzero().item<int64_t>() == 0);
  CHECK(
      at::mm(small.view({100, 1000}), at::full({1000, 2}, 1e-4)).count_nonzero().item<int64_t>() ==
      0);
  CHECK((small.to(at::kDouble) * 0.25).count_nonzero().item<int64_t>() == 100000);
}

TEST_CASE("arithmetic: numbers in text keep their value", "[tensor]") {
  using nlohmann::json;
  for (const double value : {1e-300, 2.2250738585072014e-308, 0.1, 1.7976931348623157e308}) {
    CHECK(json::parse(json(value).dump()).get<double>() == value);
    CHECK(std::stod(json(value).dump()) == value);
  }
  // A subnormal number is read exactly, and zero in all computations.
  const double subnormal = json::parse("1e-310").get<double>();
  CHECK(std::bit_cast<uint64_t>(subnormal) == 0x000012688b70e62b);
  CHECK(subnormal == 0);
  CHECK(json(subnormal).dump() == "0.0");
}
