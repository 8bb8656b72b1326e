// Models that can be built and trained with their options and the fields of their data.
#include "framework/pipeline/check/training_check.h"

#include "framework/core/options/yaml.h"
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const std::string kSmall = "{embedding: 4, decoder: {hidden: 4}}";

Configured small_lm() {
  return registries().models.get("rnn_lm").configure(parse_yaml_or_throw(kSmall, "own"));
}

std::string report_of(const Errors& errors) {
  return errors.empty() ? "" : errors.report();
}

}  // namespace

TEST_CASE("training check: options that the model does not support, at their lines", "[check]") {
  const auto problem = [](const Configured& model, const std::string& train) {
    const Node written = parse_yaml_or_throw(train, "r");
    Errors errors;
    check_training(model, read_train_options(written), {Node::mapping({}), written, {}}, errors);
    return report_of(errors);
  };
  CHECK(problem(small_lm(), "{stop: 1u, batch: {size: 1}}").empty());
  CHECK_THAT(problem(small_lm(), "{stop: 1u, optimizers: {critic: {lr: 0.1}}}"),
             Contains("r:1:25: error: model 'rnn_lm': train.optimizers.critic: the model has no "
                      "optimizer of this name") &&
                 Contains("1 error;"));
  const Configured thought = registries().models.get("quick_thought").configure();
  CHECK(problem(thought, "{stop: 1u, batch: {size: 2}}").empty());
  CHECK_THAT(problem(thought, "{stop: 1u, batch: {size: 1}}"),
             Contains("r:1:20: error: model 'quick_thought': train.batch.size: this model uses "
                      "batch statistics and needs at least 2 examples per batch, got 1"));
}

TEST_CASE("training check: fields of the records, unless they are unknown", "[check]") {
  const auto problem = [](const std::vector<std::string>& fields, const std::string& train) {
    Records records;
    records.fields = fields;
    StreamRecords stream{.source = "the data set 'pairs'", .sides = {}};
    if (!fields.empty()) stream.sides.emplace_back().push_back(records);
    Errors errors;
    check_fields(small_lm(), read_train_options(parse_yaml_or_throw(train, "r")),
                 {{"train", stream}}, {}, errors);
    return report_of(errors);
  };
  CHECK(problem({"text"}, "{stop: 1u}").empty());
  CHECK_THAT(problem({"premise", "hypothesis"}, "{stop: 1u}"),
             Contains("model 'rnn_lm' reads the field 'text'; the data set 'pairs' has hypothesis, "
                      "premise") &&
                 Contains("`columns: [") && Contains("1 error;"));
  const std::string critic = "{stop: 1u, optimizers: {critic: {lr: 0.1}}}";
  CHECK_THAT(problem({"text"}, critic),
             Contains("model 'rnn_lm': train.optimizers.critic: the model has no optimizer"));
  // Streams of unknown records are checked when the model is trained.
  CHECK(problem({}, critic).empty());
}
