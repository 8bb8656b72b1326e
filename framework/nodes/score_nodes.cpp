#include "framework/nodes/score_nodes.h"

#include <algorithm>

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/json.h"

namespace lvtext {
namespace {

std::vector<TokenIds> read_sentences(const std::filesystem::path& folder) {
  const auto corpus = read_dataset(folder).column("text");
  std::vector<TokenIds> sentences(corpus.size());
  for (int64_t i = 0; i < corpus.size(); ++i) sentences[i] = corpus.tokens(i);
  return sentences;
}

nlohmann::ordered_json line_of(const Score& score) {
  nlohmann::ordered_json line = to_json(score);
  line["rows"] = {{"functional", score.rows.functional},
                  {"width", score.rows.width},
                  {"values", score.rows.values}};
  return line;
}

Direction direction_of(const std::string& name) {
  for (Direction each : {Direction::kHigher, Direction::kLower}) {
    if (direction_name(each) == name) return each;
  }
  return Direction::kNone;
}

Score score_of(const nlohmann::json& line) {
  Score score;
  score.id = line.at("id").get<std::string>();
  // JSON has no infinity or NaN: null stands for a value that is not finite.
  score.value = line.at("value").is_null() ? std::nan("") : line.at("value").get<double>();
  score.unit = line.value("unit", "");
  score.direction = direction_of(line.value("better", "none"));
  score.n = line.value("n", int64_t{0});
  score.signature = line.value("signature", "");
  score.title = line.value("title", "");
  if (line.contains("lo") && line.at("lo").is_number()) {
    score.interval = Interval{line.at("lo").get<double>(), line.at("hi").get<double>()};
  }
  const auto& rows = line.at("rows");
  score.rows.functional = rows.at("functional").get<std::string>();
  score.rows.width = rows.at("width").get<size_t>();
  for (const auto& value : rows.at("values")) {
    score.rows.values.push_back(value.is_null() ? std::nan("") : value.get<double>());
  }
  return score;
}

/// `devices`: where the trained models among the inputs compute, by slot.
void run_score(NodeRun& run, const Registries& registries, const Evaluator& evaluator,
               const std::vector<std::string>& declared,
               const std::map<std::string, std::string>& devices) {
  const auto tokenizer = read_tokenizer(run.input("tokenizer"));
  std::map<std::string, std::vector<TokenIds>> sentences;
  for (const char* slot : {"test", "train", "samples", "reconstructions"}) {
    if (run.inputs.contains(slot)) sentences[slot] = read_sentences(run.input(slot));
  }
  TrainedModel model, language_model;
  EvalInputs inputs;
  if (run.inputs.contains("model")) {
    model = read_trained(run.input("model"), registries, {}, devices.at("model"));
    inputs.encodes = dynamic_cast<Encodes*>(model.model.get());
    inputs.scores_text = dynamic_cast<ScoresText*>(model.model.get());
  }
  if (run.inputs.contains("language_model")) {
    language_model =
        read_trained(run.input("language_model"), registries, {}, devices.at("language_model"));
    const FinishedRun training(run.input("language_model"));
    inputs.language_model = {dynamic_cast<ScoresText*>(language_model.model.get()),
                             training.identity().substr(0, 8),
                             training.facts().value("sentences", int64_t{0})};
  }
  TrainedModel encoder;
  std::optional<Words> words;
  if (run.inputs.contains("encoder")) {
    const FinishedRun training(run.input("encoder"));
    encoder = read_trained(training.folder(), registries, {}, devices.at("encoder"));
    words = read_words(run.input("words"));
    inputs.encoder = {dynamic_cast<EmbedsSentences*>(encoder.model.get()), encoder.name,
                      training.identity().substr(0, 8), training.facts().value("published", false),
                      [&words](const std::string& text) { return words->encode(text); }};
  }
  inputs.test = sentences["test"];
  inputs.train = sentences["train"];
  inputs.samples = sentences["samples"];
  inputs.reconstructions = sentences["reconstructions"];
  inputs.pieces = tokenizer->sha256().substr(0, 8);
  inputs.to_text = [&tokenizer](std::span<const int32_t> ids) { return tokenizer->decode(ids); };
  const torch::NoGradGuard no_grad;
  std::string text;
  for (const Score& score : evaluator.evaluate(inputs)) {
    LVT_ASSERT(std::find(declared.begin(), declared.end(), score.id) != declared.end(),
               "the score '" + score.id + "' is not among the evaluator's score_ids()");
    auto line = nlohmann::ordered_json::object();
    if (text.empty()) line["schema"] = "lvtext.scores/1";
    line.update(line_of(score));
    text += line.dump() + "\n";
  }
  write_file_atomic(run.folder.path() / "scores.jsonl", text);
  run.outputs = {"scores.jsonl"};
}

}  // namespace

std::string add_score(Graph& graph, const Registries& registries, const std::string& name,
                      const std::string& evaluator, const Node& options,
                      std::map<std::string, std::string> inputs) {
  const EvaluatorEntry& entry = registries.evaluators.get(evaluator);
  const std::shared_ptr<const Evaluator> built = entry.build(options);
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kScore;
  node.component = evaluator;
  node.revision = built->revision();
  node.plugin = entry.about.plugin;
  node.options = canonical_json(entry.canonical(options));
  node.inputs = std::move(inputs);
  std::map<std::string, std::string> devices;
  for (const auto& [slot, input] : node.inputs) {
    const bool is_model = graph.at(input).kind == NodeKind::kTrain || slot == "encoder";
    if (is_model) devices[slot] = device_of(graph.at(input));
  }
  node.run = [&registries, &entry, built, devices](NodeRun& run) {
    run_score(run, registries, *built, entry.scores, devices);
  };
  return graph.add(std::move(node));
}

std::vector<Score> read_scores(const std::filesystem::path& folder) {
  std::vector<Score> scores;
  for (const auto& line : read_written_lines(FinishedRun(folder), "scores.jsonl")) {
    scores.push_back(score_of(nlohmann::json::parse(line)));
  }
  return scores;
}

}  // namespace lvtext
