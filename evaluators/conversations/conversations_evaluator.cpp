#include "evaluators/conversations/conversations_evaluator.h"

#include <array>
#include <set>
#include <string>
#include <utility>

#include "framework/core/base/error.h"
#include "framework/core/model/registration.h"

namespace lvtext {
namespace {

/// In the order of the classes of the column "ending".
constexpr std::array<const char*, 4> kEndings = {"empty", "repeats_self", "repeats_partner",
                                                 "limit"};

/// Number of utterances of a row that equal an earlier one of the row.
int64_t repetitions(const DatasetColumn& turns, int64_t row) {
  std::set<TokenIds> said;
  for (int64_t item = 0; item < turns.items(row); ++item) said.insert(turns.tokens(row, item));
  return turns.items(row) - std::ssize(said);
}

}  // namespace

std::vector<InputDecl> ConversationsEvaluator::inputs() const {
  return {{.name = "conversations",
           .help = "result of `dialogues`",
           .type = ArtifactType::kDataset,
           .by_default = reference("row.outputs")}};
}

std::vector<Score> ConversationsEvaluator::evaluate(const Inputs& inputs) const {
  const Dataset dataset = inputs.dataset("conversations");
  const DatasetColumn &turns = dataset.column("turns"), &ending = dataset.column("ending");
  if (turns.decl().kind != ColumnKind::kText ||
      ending.decl().classes != static_cast<int32_t>(kEndings.size())) {
    throw DataError(
        "conversations: the columns `turns` and `ending` of the input are not those of `dialogues`");
  }
  const std::string end = "|n_conversations:" + std::to_string(dataset.size()) +
                          "|version:" + std::to_string(kRevision);
  const auto score = [&](const std::string& id, const std::string& unit, SentenceRows rows) {
    return summarized({.id = id,
                       .reason = "there are no utterances",
                       .unit = unit,
                       .signature = "conversations|" + id + end,
                       .rows = std::move(rows)});
  };
  SentenceRows lengths, repeated{"ratio", 2, {}};
  for (int64_t row = 0; row < dataset.size(); ++row) {
    const auto length = static_cast<double>(turns.items(row));
    lengths.values.push_back(length);
    repeated.values.insert(repeated.values.end(),
                           {100 * static_cast<double>(repetitions(turns, row)), length});
  }
  std::vector<Score> scores = {score("length", "utterances", std::move(lengths))};
  for (size_t rule = 0; rule < kEndings.size(); ++rule) {
    SentenceRows shares;
    for (int64_t row = 0; row < dataset.size(); ++row) {
      const bool is_rule = ending.tokens(row).front() == static_cast<int32_t>(rule);
      shares.values.push_back(is_rule ? 100 : 0);
    }
    scores.push_back(score(kEndings[rule], "%", std::move(shares)));
  }
  scores.push_back(score("repeated", "%", std::move(repeated)));
  return scores;
}

void register_conversations(Registries& registries) {
  add_evaluator<ConversationsEvaluator, NoOptions>(
      registries, "conversations", "Length and ends of conversations",
      {"Martins, Marinho and Martins 2020", "https://aclanthology.org/2020.emnlp-main.348"});
}

}  // namespace lvtext
