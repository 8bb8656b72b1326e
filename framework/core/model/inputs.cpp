#include "framework/core/model/inputs.h"

namespace lvtext {

const Text& Inputs::text(const std::string& input) const {
  const auto found = texts_.find(input);
  LVT_ASSERT(found != texts_.end() && found->second.size() == 1,
             "the input '" + input + "' is not one text");
  return found->second.front();
}

std::vector<Text> Inputs::texts(const std::string& input) const {
  const auto found = texts_.find(input);
  return found == texts_.end() ? std::vector<Text>() : found->second;
}

const LoadedModel& Inputs::model(const std::string& input) const {
  const auto found = models_.find(input);
  LVT_ASSERT(found != models_.end(), "the input '" + input + "' is not a model");
  return found->second;
}

const std::vector<int64_t>& Inputs::rows(const std::string& input) const {
  static const std::vector<int64_t> none;
  const auto found = rows_.find(input);
  return found == rows_.end() ? none : found->second;
}

std::vector<Dataset> Inputs::datasets(const std::string& input) const {
  const auto found = datasets_.find(input);
  return found == datasets_.end() ? std::vector<Dataset>() : found->second;
}

Dataset Inputs::dataset(const std::string& input) const {
  const auto found = datasets_.find(input);
  LVT_ASSERT(found != datasets_.end(), "there is no dataset '" + input + "'");
  return Dataset::join(found->second, of_parents_.at(input));
}

const std::map<std::string, at::Tensor>& Inputs::tensors(const std::string& input) const {
  const auto found = tensors_.find(input);
  LVT_ASSERT(found != tensors_.end(), "the input '" + input + "' has no tensors");
  return found->second;
}

const InputScores& Inputs::scores(const std::string& input) const {
  const auto found = scores_.find(input);
  LVT_ASSERT(found != scores_.end(), "the input '" + input + "' has no scores");
  return found->second;
}

MemoryTraining Inputs::train(std::shared_ptr<Trainable> model, const TrainOptions& options,
                             const DataLoaders& train, const DataLoaders& validation) const {
  LVT_ASSERT(train_, "only evaluators can train models");
  return train_(std::move(model), options, train, validation);
}

std::vector<TokenIds> ids_for(const LoadedModel& model, const Text& text) {
  if (text.has_ids() && text.tokenizer()->sha256() == model.tokenizer->sha256()) {
    return {text.ids().begin(), text.ids().end()};
  }
  std::vector<TokenIds> sentences;
  sentences.reserve(text.size());
  for (const auto& line : text.lines()) sentences.push_back(model.tokenizer->encode(line));
  return sentences;
}

}  // namespace lvtext
