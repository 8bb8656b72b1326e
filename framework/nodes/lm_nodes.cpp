#include "framework/nodes/lm_nodes.h"

#include "framework/nodes/model_block.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/mapping.h"
#include "framework/options/yaml.h"

namespace lvtext {
namespace {

/// The keys that are not the model's.
struct GraphKeys {
  std::string model = LmBlock{}.model;
  Node train = Node::mapping({});

  template <class V>
  void visit(V& v) {
    v.field("model", model, "a model that scores text without a code (`lvtext list models`)",
            not_empty());
    v.field("train", train, "how it is trained");
  }
};

}  // namespace

LmBlock LmBlock::parse(const Node& lm, Errors& errors, const std::string& path) {
  const DividedMapping parts = divide_mapping<GraphKeys>(lm);
  const auto keys = parse_options<GraphKeys>(parts.declared, errors, {}, path);
  return {keys.model, keys.train, parts.others};
}

void check_lm(const Node& lm, const Registries& registries, Errors& errors,
              const std::string& path) {
  const LmBlock block = LmBlock::parse(lm, errors, path);
  const ModelPurpose purpose = {
      [](const ModelEntry& model) { return model.can("scores_text") && !model.can("encodes"); },
      "does not score text without a code"};
  check_model_block(lm, block.model, block.own, purpose, registries, errors, path);
  parse_options<TrainOptions>(block.train, errors, {}, path + ".train");
}

std::string add_lm(Graph& graph, const Registries& registries, const std::string& name,
                   const LmBlock& block, const Node& train, int64_t seed, const LmText& text,
                   const std::string& config) {
  const Node usual = merge(train.without("schedules_for"),
                           parse_yaml_or_throw("{stop: 30e, patience: 3, select: best}", "lm"));
  TrainOptions options = read_train_options(merge(usual, block.train));
  options.seed = seed;
  return add_training(
      graph, registries,
      {name, block.model, block.own, options, text.train, text.valid, config, text.sentences});
}

}  // namespace lvtext
