#include "framework/core/model/inputs.h"

#include <algorithm>

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
  LVT_ASSERT(found != models_.end() && found->second.size() == 1,
             "the input '" + input + "' is not one model");
  return found->second.front();
}

const std::vector<LoadedModel>& Inputs::models(const std::string& input) const {
  static const std::vector<LoadedModel> none;
  const auto found = models_.find(input);
  return found == models_.end() ? none : found->second;
}

const std::vector<int64_t>& Inputs::rows(const std::string& input) const {
  static const std::vector<int64_t> none;
  const auto found = rows_.find(input);
  return found == rows_.end() ? none : found->second;
}

std::vector<Dataset> Inputs::datasets(const std::string& input) const {
  std::vector<Dataset> datasets;
  if (const auto found = datasets_.find(input); found != datasets_.end()) {
    for (const GivenDataset& each : found->second) datasets.push_back(each.dataset);
  }
  return datasets;
}

Dataset Inputs::dataset(const std::string& input) const {
  const auto found = datasets_.find(input);
  LVT_ASSERT(found != datasets_.end(), "there is no dataset '" + input + "'");
  std::vector<bool> of_parents;
  for (const GivenDataset& each : found->second) of_parents.push_back(each.of_parents);
  return Dataset::join(datasets(input), of_parents);
}

Text Inputs::text(const std::string& input, const std::string& column) const {
  const DatasetColumn joined = dataset(input).column(column);
  const auto& parts = datasets_.at(input);
  const auto part = std::find_if(parts.begin(), parts.end(), [&](const GivenDataset& each) {
    const auto names = each.dataset.names();
    return std::find(names.begin(), names.end(), column) != names.end();
  });
  LVT_ASSERT(part->tokenizer, "the texts of '" + input + "' have no tokenizer");
  Text text = text_of(joined, part->tokenizer);
  if (!part->texts) return text;
  const Text whole = part->texts(column);
  if (!part->of_parents || whole.is_decoded()) return part->of_parents ? text : whole;
  // The joined rows are those of the derived data; select the lines of their parents.
  const auto derived =
      std::find_if(parts.begin(), parts.end(), [](const auto& each) { return !each.of_parents; });
  const DatasetColumn& all = part->dataset.column(column);
  std::vector<int64_t> first = {0};
  for (int64_t row = 0; row < all.size(); ++row) first.push_back(first.back() + all.items(row));
  std::vector<std::string> lines;
  for (const int64_t row : derived->dataset.parents()) {
    const auto of_row = whole.lines().subspan(first[row], first[row + 1] - first[row]);
    lines.insert(lines.end(), of_row.begin(), of_row.end());
  }
  return Text(std::move(lines), {text.ids().begin(), text.ids().end()}, part->tokenizer);
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

const SplitRecords& Inputs::records(const std::string& input) const {
  const auto found = records_.find(input);
  LVT_ASSERT(found != records_.end(), "the input '" + input + "' has no records");
  return found->second;
}

MemoryTraining Inputs::train(std::shared_ptr<Trainable> model, const TrainOptions& options,
                             const DataLoaders& train, const DataLoaders& validation) const {
  LVT_ASSERT(train_, "only evaluators can train models");
  return train_(std::move(model), options, train, validation);
}

Text text_of(const DatasetColumn& column, std::shared_ptr<const Tokenizer> tokenizer) {
  if (column.decl().kind != ColumnKind::kText) {
    throw DataError("the column '" + column.decl().name + "' is not a text column");
  }
  std::vector<TokenIds> sentences;
  for (int64_t row = 0; row < column.size(); ++row) {
    for (int64_t item = 0; item < column.items(row); ++item) {
      sentences.push_back(column.tokens(row, item));
    }
  }
  return Text(std::move(sentences), std::move(tokenizer));
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
