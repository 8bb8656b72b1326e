#include "evaluators/token_scores/records.h"

#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

constexpr const char* kContext = "context";
constexpr const char* kTarget = "target";
constexpr const char* kDrawn = "drawn";
constexpr const char* kRepeated = "repeated_";  // and the number of tokens of the window

DataError not_records(const std::string& input, const Dataset& dataset, const std::string& lacks) {
  return DataError("the dataset of the input '" + input + "' has no " + lacks +
                   ", so that it is not a result of token_records or spread_records; its columns "
                   "are " +
                   join(dataset.names()));
}

bool has_column(const Dataset& dataset, const std::string& name) {
  const auto names = dataset.names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// All numbers of a column, row by row. `rows`: set to the index of the first number of each row,
/// or compared with it unless it is empty.
std::vector<double> numbers_of(const Dataset& dataset, const std::string& input,
                               const std::string& name, std::vector<int64_t>& rows) {
  if (!has_column(dataset, name) || dataset.column(name).decl().kind != ColumnKind::kNumber) {
    throw not_records(input, dataset, "column of numbers '" + name + "'");
  }
  const DatasetColumn& column = dataset.column(name);
  std::vector<int64_t> begins = {0};
  for (int64_t row = 0; row < column.size(); ++row) {
    begins.push_back(begins.back() + column.items(row));
  }
  std::vector<double> numbers(static_cast<size_t>(begins.back()));
  for (int64_t row = 0; row < column.size(); ++row) {
    for (int64_t item = 0; item < column.items(row); ++item) {
      column.copy(row, item, &numbers[begins[row] + item]);
    }
  }
  if (rows.empty()) {
    rows = std::move(begins);
  } else if (rows != begins) {
    throw not_records(input, dataset, "'" + name + "' for each token");
  }
  return numbers;
}

}  // namespace

const std::vector<EnumName<MeanOver>>& enum_names(MeanOver) {
  static const std::vector<EnumName<MeanOver>> names = {
      {"tokens", MeanOver::kTokens, "all tokens have the same weight"},
      {"texts", MeanOver::kTexts,
       "all texts have the same weight: the mean of the means of texts"}};
  return names;
}

std::vector<double> TokenRecords::weights(MeanOver over) const {
  std::vector<double> all;
  for (size_t text = 0; over == MeanOver::kTexts && text < texts(); ++text) {
    all.insert(all.end(), static_cast<size_t>(rows[text + 1] - rows[text]), 1 / length(text));
  }
  return all;
}

InputDecl tokens_input() {
  return {.name = "tokens",
          .help = "token records, a part of the result of `token_records`",
          .type = ArtifactType::kDataset,
          .by_default = reference("row.tokens")};
}

TokenRecords read_token_records(const Inputs& inputs, const std::string& input) {
  const Dataset dataset = inputs.dataset(input);
  TokenRecords records;
  records.probability = numbers_of(dataset, input, "probability", records.rows);
  records.squares = numbers_of(dataset, input, "squares", records.rows);
  records.support = numbers_of(dataset, input, "support", records.rows);
  for (const std::string& name : dataset.names()) {
    if (!name.starts_with(kRepeated)) continue;
    records.repeated[std::stoll(name.substr(std::string_view(kRepeated).size()))] =
        numbers_of(dataset, input, name, records.rows);
  }
  std::vector<int64_t> once;
  for (const double vocabulary : numbers_of(dataset, input, "vocabulary", once)) {
    records.vocabulary = vocabulary;
  }
  int64_t longest = 0, given = 0;
  std::string tokenizer = "none";
  if (has_column(dataset, kTarget)) {
    const DatasetColumn& context = dataset.column(kContext);
    for (int64_t row = 0; row < context.size(); ++row) {
      given = row == 0 ? context.length(row) : std::min(given, context.length(row));
      longest = std::max(longest, context.length(row) + dataset.column(kTarget).length(row));
    }
    tokenizer = inputs.text(input, kTarget).tokenizer()->sha256().substr(0, 8);
  }
  records.signature = "vocabulary:" + std::to_string(static_cast<int64_t>(records.vocabulary)) +
                      "|n_texts:" + std::to_string(records.texts()) +
                      "|n_tokens:" + std::to_string(records.probability.size()) +
                      "|longest:" + std::to_string(longest) +
                      "|context:text,given:" + std::to_string(given) + "|tok:subword," + tokenizer;
  return records;
}

bool has_recorded_texts(const Inputs& inputs, const std::string& input) {
  return has_column(inputs.dataset(input), kTarget);
}

RecordedTexts read_recorded_texts(const Inputs& inputs, const std::string& input) {
  const Dataset dataset = inputs.dataset(input);
  for (const char* name : {kContext, kTarget, kDrawn}) {
    if (!has_column(dataset, name)) {
      throw not_records(input, dataset, "column of texts '" + std::string(name) + "'");
    }
  }
  return {inputs.text(input, kContext), inputs.text(input, kTarget), inputs.text(input, kDrawn)};
}

}  // namespace lvtext
