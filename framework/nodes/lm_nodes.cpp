#include "framework/nodes/lm_nodes.h"

#include "framework/nodes/model_block.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/mapping.h"
#include "framework/options/yaml.h"

namespace lvtext {
void check_lm(const Node& lm, const Registries& registries, Errors& errors,
              const std::string& path) {
  const LmBlock block = parse_block<LmBlock>(lm, errors, path);
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
