#include "framework/nodes/lm_nodes.h"

#include "framework/nodes/model_block.h"
#include "framework/nodes/produce_nodes.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/mapping.h"
#include "framework/options/yaml.h"

namespace lvtext {

const std::vector<EnumName<LmValidation>>& enum_names(LmValidation) {
  static const std::vector<EnumName<LmValidation>> names = {
      {"real", LmValidation::kReal, "the recipe's validation text"},
      {"own", LmValidation::kOwn, "the last 5 % of its own text, which is then not trained on"}};
  return names;
}

std::string validation_text(const LmBlock& block) {
  if (const Node* select = block.train.find("select"); select && select->text() != "best")
    return "";
  for (const auto& name : enum_names(block.validate_on)) {
    if (name.value == block.validate_on) return name.help;
  }
  return "";
}

void check_lm(const Node& lm, const Registries& registries, Errors& errors,
              const std::string& path) {
  const LmBlock block = parse_block<LmBlock>(lm, errors, path);
  const ModelPurpose purpose = {
      [](const ModelEntry& model) { return model.can("scores_text") && !model.can("encodes"); },
      "does not score text without a code"};
  check_model_block(lm, block.model, block.own, purpose, registries, errors, path);
  parse_options<TrainOptions>(block.train, errors, {}, path + ".train");
  if (const ModelEntry* entry = registries.models.find(block.model);
      entry && purpose.fits(*entry)) {
    check_training(*entry, block.own, block.train, lm.mark(), errors);
  }
}

std::string add_lm(Graph& graph, const Registries& registries, const std::string& name,
                   const LmBlock& block, const Node& train, int64_t seed, const LmText& text,
                   const DataNodes& data, const std::string& config) {
  const Node usual = merge(
      shared_train(train),
      parse_yaml_or_throw("{stop: 30e, stop_when: [{type: patience, validations: 3}]}", "lm"));
  TrainOptions options = read_train_options(merge(usual, block.train));
  options.seed = seed;
  const auto part = [&](const char* of, const SentenceRange& range) {
    return add_sentences(graph, name + "-" + of, text.pack, data.tokenizer, range);
  };
  std::string own = text.pack, valid = data.packs.at("valid");
  const int64_t used = text.at_most > 0 && text.at_most < text.sentences ? text.at_most : 0;
  double share = 1;
  if (block.validate_on == LmValidation::kOwn) {
    share = 1 - kLmHeldOut;
    valid = part("valid", {.at_most = used, .from_share = share});
    own = part("text", {.at_most = used, .to_share = share});
  } else if (used > 0) {
    own = part("text", {.at_most = used});
  }
  const auto sentences =
      static_cast<int64_t>(static_cast<double>(used > 0 ? used : text.sentences) * share);
  return add_training(graph, registries,
                      {name, block.model, block.own, options, own, valid, config, sentences});
}

}  // namespace lvtext
