// Options in updates, which schedules scale.
#include "framework/pipeline/plan/schedules.h"

#include "framework/core/options/yaml.h"
#include "models/vae/vae_options.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("schedules: options in updates are recognized by their unit", "[plan]") {
  const auto found = [](const std::string& options) {
    return options_in_updates(describe<AnnealingOptions>(), parse_yaml_or_throw(options, "test"));
  };
  using Found = std::vector<std::pair<std::string, double>>;
  CHECK(found("{type: linear, steps: 500, k: 3, center: 40}") == Found{{"steps", 500}});
  CHECK(found("{type: tanh, steps: 500, center: 40, scale: 9}") ==
        Found{{"center", 40}, {"scale", 9}});
}

namespace {

enum class Shape { kRamp, kStep };
const std::vector<EnumName<Shape>>& enum_names(Shape) {
  static const std::vector<EnumName<Shape>> names{{"ramp", Shape::kRamp, "grows"},
                                                  {"step", Shape::kStep, "jumps"}};
  return names;
}

struct ShapeOptions {
  Shape type = Shape::kRamp;
  int64_t length = 10, start = 5;

  template <class V>
  void visit(V& v) {
    v.field("type", type, "shape");
    v.field("length", length, "updates of growth", unit("updates"), only_for("type", {"ramp"}));
    v.field("start", start, "step: a word of help that decides nothing", unit("updates"));
  }
};

}  // namespace

TEST_CASE("schedules: declarations decide which options are unused, not help texts", "[plan]") {
  const auto schema = describe<ShapeOptions>();
  CHECK(schema.fields[1].help == "ramp: updates of growth");
  using Found = std::vector<std::pair<std::string, double>>;
  CHECK(options_in_updates(schema,
                           parse_yaml_or_throw("{type: ramp, length: 7, start: 3}", "test")) ==
        Found{{"length", 7}, {"start", 3}});
  CHECK(options_in_updates(schema, parse_yaml_or_throw("{type: step, length: 7, start: 3}",
                                                       "test")) == Found{{"start", 3}});
}
