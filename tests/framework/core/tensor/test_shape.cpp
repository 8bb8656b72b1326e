// LVT_CHECK_SHAPE: accepted shapes, and its message.
#include "framework/core/tensor/shape.h"

#include <stdexcept>
#include <string>

#include "framework/core/tensor/torch.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

template <class Check>
std::string message_of(const Check& check) {
  try {
    check();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("shape: sizes, unspecified sizes and leading dimensions", "[tensor]") {
  const at::Tensor x = at::empty({2, 3, 4});
  CHECK(has_shape(x, {2, 3, 4}));
  CHECK(has_shape(x, {2, kAnySize, 4}));
  CHECK(has_shape(x, {kLeadingDims, 4}));
  CHECK(has_shape(x, {kLeadingDims, 2, 3, 4}));
  CHECK(has_shape(at::empty({}), {}));
  CHECK(has_shape(at::empty({0, 5}), {kAnySize, 5}));

  CHECK_FALSE(has_shape(x, {2, 3}));
  CHECK_FALSE(has_shape(x, {2, 3, 5}));
  CHECK_FALSE(has_shape(x, {1, 2, 3, 4}));
  CHECK_FALSE(has_shape(x, {kLeadingDims, 3}));
  CHECK_FALSE(has_shape(x, {kLeadingDims, kAnySize, 2, 3, 4}));
  CHECK_FALSE(has_shape(at::empty({}), {kAnySize}));
  CHECK_FALSE(has_shape(at::Tensor(), {}));
}

TEST_CASE("shape: the message contains the location, the tensor and both shapes", "[tensor]") {
  const int64_t B = 2, Z = 5;
  const at::Tensor mean = at::empty({2, 4}), unset;
  const std::string message = message_of([&] { LVT_CHECK_SHAPE(mean, {B, Z}); });
  CHECK_THAT(message, Contains("tests/framework/core/tensor/test_shape.cpp:"));
  CHECK_THAT(message, Contains(": mean has the shape [2, 4], expected {B, Z} = [2, 5]"));
  CHECK_THAT(message_of([&] { LVT_CHECK_SHAPE(mean, {-1}); }),
             Contains("mean has the shape [2, 4], expected {-1} = [*]"));
  CHECK_THAT(message_of([&] {
               LVT_CHECK_SHAPE(mean, {kLeadingDims, Z});
             }),
             Contains("expected {kLeadingDims, Z} = [..., 5]"));
  CHECK_THAT(message_of([&] {
               LVT_CHECK_SHAPE(unset, {B, Z});
             }),
             Contains("unset is undefined, expected {B, Z} = [2, 5]"));
  CHECK(message_of([&] { LVT_CHECK_SHAPE(mean, {B, -1}); }).empty());
}
