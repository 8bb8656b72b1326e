// A change that alters bytes or numbers must raise its component's revision: otherwise finished
// results of the old revision would be reused as results of the new one.
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "evaluators/evaluator.h"
#include "evaluators/register.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/model/fitted.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/core/sources/grammar.h"
#include "framework/core/sources/synthcxr.h"
#include "framework/core/text/sentencepiece.h"
#include "framework/core/text/words.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/store/finished_data.h"
#include "models/register.h"
#include "tests/contract/contract_parts.h"
#include "tests/contract/toy_parts.h"
#include "tests/fixed_tokenizer.h"
#include "tests/golden/fixed_model.h"
#include "tests/golden/golden.h"

using namespace lvtext;
using namespace lvtext::testing;
namespace fs = std::filesystem;

namespace {

constexpr const char* kFile = "tests/golden/golden.json";

/// Sentences of the grammar with all cases that splitting drops: blanks, duplicates, long lines.
std::string own_text() {
  std::string text;
  for (uint64_t i = 0; i < 300; ++i) {
    const std::string sentence = Grammar::news().sample(5, i).text;
    text += sentence + "\n";
    if (i % 10 == 0) text += "  " + sentence + "  \n\n";
  }
  return text;
}

/// Data nodes: grammar, splits, tokenizers and packs.
void add_data_components(std::vector<GoldenComponent>& components) {
  const TemporaryFolder folder;
  write_file_synced(folder / "own.txt", own_text());
  DataBlock embedded, own;
  embedded.source.train_at_most = 200;
  embedded.tokenizer = Choice<TokenizerFit>("unigram", parse_yaml_or_throw("vocab: 100"));
  own.source.train = folder / "own.txt";
  own.source.max_words = 9;
  own.source.shares = {{"reverse", 0.3}};
  own.tokenizer = Choice<TokenizerFit>("bpe", parse_yaml_or_throw("vocab: 100"));
  std::map<std::string, nlohmann::json> metadata;
  std::map<std::string, int> revisions;
  for (const auto& [kind, block] : {std::pair("grammar", embedded), std::pair("splits", own)}) {
    Graph graph("golden", kind);
    const DataNodes nodes = add_data(graph, "data", block, {});
    const auto status = run_graph(graph, {nodes.tokenizer}, folder / kind);
    const auto folder_of = [&](const std::string& node) {
      INFO(status.at(node).reason);
      REQUIRE(status.at(node).state == NodeState::kFinished);
      return status.at(node).folder;
    };
    GoldenComponent source{std::string("source ") + kind, graph.at(nodes.source).revision, {}};
    for (const char* split : {"train", "valid", "test", "reverse"}) {
      std::string text;
      for (const auto& line : read_split(folder_of(nodes.source), split)) text += line + "\n";
      source.metadata[split] = sha256(text);
    }
    components.push_back(source);
    const auto pieces = SentencePiece::load(folder_of(nodes.tokenizer) / "tokenizer.model");
    std::string text;
    for (int32_t id = 0; id < pieces.size(); ++id) text += pieces.piece(id) + "\n";
    GoldenComponent fit{
        "fit sentencepiece " + block.tokenizer.name(), graph.at(nodes.tokenizer).revision, {}};
    fit.metadata["tokens"] = sha256(text);
    text.clear();
    for (uint64_t i = 0; i < 20; ++i) {
      for (int32_t id : pieces.encode(Grammar::news().sample(9, i).text)) {
        text += std::to_string(id) + " ";
      }
    }
    fit.metadata["ids"] = sha256(text);
    components.push_back(fit);
    revisions["pack"] = graph.at(nodes.packs.at("train")).revision;
  }
  GoldenComponent pack{"pack text", revisions.at("pack"), {}};
  for (const int32_t vocabulary : {1000, 100000}) {
    write_text_dataset(folder / kDatasetFile, {{4, 5, 999}, {}, {6}},
                       {.size = vocabulary, .bos = 1, .eos = 2, .pad = 0, .unk = 3});
    pack.metadata["vocabulary " + std::to_string(vocabulary)] = sha256_file(folder / kDatasetFile);
  }
  components.push_back(pack);
}

/// Validation before and after three steps, and the number of parameters of each group.
void add_model_components(const Registries& registries, std::vector<GoldenComponent>& components) {
  for (const auto& name : registries.models.names()) {
    const Component& entry = registries.models.get(name);
    if (entry.is_fitted) continue;
    const Configured configured = entry.configure(small_options(entry));
    const auto model = configured.model(toy_inputs(registries, configured, 7));
    TrainOptions options;
    options.device = "cpu";
    options.seed = 7;
    options.stop = {{Period::updates(3)}};
    OptimizerOptions plain;  // differences of parameters are proportional to those of gradients
    plain.type = OptimizerType::kSgd;
    plain.lr = 0.1;
    plain.clip_norm = 5;
    options.optimizers = {{"default", plain}};
    MemoryHost host;
    Trainer trainer(model, options, toy_streams(*model, 5, 3, 8), toy_validation(*model, 7, 1, 8),
                    host);
    GoldenComponent component{"train " + name, entry.revision, {}};
    const auto note = [&](const std::string& when) {
      for (const auto& [term, value] : trainer.validate().terms) {
        component.metadata[when + " " + term] = value;
      }
      for (const auto& group : model->groups()) {
        double size = 0;
        for (const auto& [parameter, value] : group.params) {
          size += value.detach().to(at::kDouble).abs().sum().item<double>();
        }
        component.metadata[when + " group " + group.name] = size;
      }
    };
    note("before");
    for (int step = 0; step < 3; ++step) trainer.step();
    note("after");
    components.push_back(component);
  }
}

/// The tensors that fits compute from a text. Models that are only imported have no inputs.
void add_fit_components(const Registries& registries, std::vector<GoldenComponent>& components) {
  const auto words =
      std::make_shared<Words>(std::vector<std::string>{"a", "b", "c", "d", "e"}, WordEncoding{});
  std::vector<TokenIds> sentences;
  for (int i = 0; i < 40; ++i) sentences.push_back({4 + i % 3, 5 + i % 4, 4 + i / 20, 6 + i % 2});
  for (const auto& name : registries.models.names()) {
    const Component& entry = registries.models.get(name);
    const Configured configured = entry.configure(small_options(entry));
    if (!entry.is_fitted || configured.inputs.empty()) continue;
    INFO("fit " << name);
    ModelInputs shapes{.seed = 7};
    Inputs inputs;
    for (const InputDecl& input : configured.inputs) {
      if (input.type == ArtifactType::kModel) {
        inputs.add(input.name, LoadedModel{.component = "fixed",
                                           .model = std::make_shared<FixedModel>(),
                                           .tokenizer = words});
        continue;
      }
      shapes.streams[input.name] = {{.name = "text", .vocabulary = words->vocabulary()}};
      inputs.add(input.name, Text(sentences, words));
    }
    const auto model = configured.fit(shapes);
    model->fit(inputs, [](const std::string&) {});
    GoldenComponent component{"fit " + name, entry.revision, {}};
    for (const auto& buffer : model->named_buffers()) {
      component.metadata[buffer.key()] = buffer.value().to(at::kDouble).abs().sum().item<double>();
    }
    components.push_back(component);
  }
}

constexpr int kScoredSentences = 30;

/// One or two metrics of some rows, with several sentences each.
InputScores fixed_scores(const InputDecl& input, int rows) {
  InputScores all;
  const auto first = static_cast<double>(input.name.back() % 7);
  for (int metric = 0; metric < (input.arity == InputDecl::Arity::kMany ? 2 : 1); ++metric) {
    all.metrics.push_back("metric");
    all.lines.clear();
    all.scores.emplace_back();
    for (int row = 0; row < rows; ++row) {
      std::vector<double> values;
      for (int i = 0; i < kScoredSentences; ++i) {
        values.push_back(0.8 + 0.1 * std::sin(first + metric + (row + 1.0) * i));
      }
      all.lines.push_back("row");
      all.scores.back().push_back(
          summarized({.id = "mean", .direction = Direction::kHigher, .rows = {"mean", 1, values}}));
    }
  }
  return all;
}

/// A rating of each sentence of fixed_scores(), and a preference for one of two texts.
void add_ratings(const fs::path& folder, Inputs& inputs) {
  DatasetWriter ratings(folder / "ratings", {{.name = "rating", .kind = ColumnKind::kNumber}});
  DatasetWriter preferred(folder / "preferred",
                          {{.name = "preference", .kind = ColumnKind::kLabel, .classes = 2}});
  for (int i = 0; i < kScoredSentences; ++i) {
    const auto rating = static_cast<float>(i % 4 + 1);
    ratings.add_numbers(0, {&rating, 1});
    ratings.end_row();
    preferred.add_label(0, i % 3 == 0 ? 1 : 0);
    preferred.end_row();
  }
  ratings.finish();
  preferred.finish();
  for (const char* name : {"ratings", "preferred"}) inputs.add(name, Dataset(folder / name));
}

/// A chest radiograph with these opacities and nodules, without noise.
std::vector<uint8_t> radiograph_of(const ChestAttributes& attributes) {
  ChestScene scene;
  for (size_t i = 0; i < 12; ++i) {
    if (!attributes[i]) continue;
    scene.findings.push_back({.kind = i % 2 == 0 ? FindingKind::kOpacity : FindingKind::kNodule,
                              .side = i < 6 ? Side::kLeft : Side::kRight,
                              .zone = i / 2 % 3});
  }
  return image_bytes(clean_chest_image(scene, 64));
}

/// Chest radiographs: three drawn for each of four captions of two swapped pairs, and real ones.
/// The first shows the findings of the caption, in row 2 those of the other caption of its pair.
void add_chest_images(const fs::path& folder, Inputs& inputs) {
  const ColumnDecl image = {
      .name = "image", .kind = ColumnKind::kImage, .shape = {1, 64, 64}, .ragged = true};
  const auto vector = [](const std::string& name, int64_t size) {
    return ColumnDecl{.name = name, .kind = ColumnKind::kVector, .shape = {size}};
  };
  DatasetWriter drawn(folder / "drawn", {image});
  DatasetWriter real(folder / "real", {image, vector("attributes", kChestAttributes)});
  DatasetWriter others(folder / "others", {image});
  DatasetWriter embeddings(folder / "embeddings", {vector("embedding", 2)});
  const auto radiograph = [](uint64_t patient) {
    return image_bytes(chest_image(chest_scene(7, patient), 64, 7, patient));
  };
  for (uint64_t row = 0; row < 4; ++row) {
    drawn.add_image(0, radiograph_of(swap_caption(row == 2 ? 3 : row).attributes));
    for (const uint64_t patient : {2 * row, 2 * row + 1}) drawn.add_image(0, radiograph(patient));
    real.add_image(0, radiograph(20 + row));
    const ChestAttributes attributes = swap_caption(row).attributes;
    real.add_numbers(1, std::vector<float>(attributes.begin(), attributes.end()));
    others.add_image(0, radiograph(40 + row));
    embeddings.add_numbers(0, std::vector<float>{1, row == 3 ? 2.F : 1.F});
    for (DatasetWriter* writer : {&drawn, &real, &others, &embeddings}) writer->end_row();
  }
  for (DatasetWriter* writer : {&drawn, &real, &others, &embeddings}) writer->finish();
  for (const char* name : {"drawn", "real", "others", "embeddings"}) {
    inputs.add(name, Dataset(folder / name));
  }
}

/// Two texts of each row, with their vectors.
void add_vectors(const fs::path& folder, Inputs& inputs) {
  const fs::path file = folder / "embeddings";
  DatasetWriter writer(
      file, {{.name = "embedding", .kind = ColumnKind::kVector, .shape = {2}, .ragged = true}});
  std::vector<std::string> lines;
  for (int row = 0; row < 4; ++row) {
    const auto x = static_cast<float>(row);
    writer.add_numbers(0, std::vector<float>{1, x});
    writer.add_numbers(0, std::vector<float>{x + 1, 0.5F});
    writer.end_row();
    lines.insert(lines.end(), {"a b c", row == 2 ? "a b b" : "c b a"});
  }
  writer.finish();
  inputs.add("embeddings", Dataset(file));
  inputs.add("texts", Text(std::move(lines)));
  inputs.add_rows("texts", {0, 2, 4, 6, 8});
}

/// Records of the tokens of five texts of a vocabulary of 20, and of two to which epsilon is
/// fitted.
void add_token_records(const fs::path& folder, const std::shared_ptr<const Tokenizer>& pieces,
                       Inputs& inputs) {
  for (const auto& [name, texts] : {std::pair("tokens", 5), std::pair("fitted_on", 2)}) {
    std::vector<ColumnDecl> columns = {{.name = "vocabulary", .kind = ColumnKind::kNumber}};
    for (const char* each : {"probability", "squares", "support"}) {
      columns.push_back({.name = each, .kind = ColumnKind::kNumber, .ragged = true});
    }
    for (const char* each : {"context", "target", "drawn"}) {
      columns.push_back({.name = each, .vocabulary = pieces->vocabulary()});
    }
    for (const char* each : {"repeated_16", "repeated_32", "repeated_128", "repeated_512"}) {
      columns.push_back({.name = each, .kind = ColumnKind::kNumber, .ragged = true});
    }
    DatasetWriter writer(folder / name, columns);
    for (int text = 0; text < texts; ++text) {
      const auto number = [&](size_t column, double value) {
        const auto stored = static_cast<float>(value);
        writer.add_numbers(column, {&stored, 1});
      };
      TokenIds target, drawn;
      number(0, 20);
      for (int t = 0; t < 40 + text; ++t) {
        const double p = std::max(0.0, std::sin(0.7 * t + text));
        number(1, p);
        number(2, p * p + (1 - p) * (1 - p) / 4);
        number(3, 5 + (t * text) % 4);
        for (int k = 0; k < 4; ++k) number(7 + k, (t % 7 + k) / 20.0);
        target.push_back(4 + (t * t + t / 20) % 13);
        drawn.push_back(4 + (t * 5 + text) % 14);
      }
      writer.add_text(4, std::vector<int32_t>{5});
      writer.add_text(5, target);
      writer.add_text(6, drawn);
      writer.end_row();
    }
    writer.finish();
    inputs.add(name, Dataset(folder / name), /*of_parents=*/false, pieces);
  }
}

/// Two conversations: in the first an agent repeats itself, the second ends with an empty
/// utterance.
void add_conversations(const fs::path& folder, const std::shared_ptr<const Tokenizer>& pieces,
                       Inputs& inputs) {
  const fs::path file = folder / "conversations";
  DatasetWriter writer(file, {{.name = "turns", .vocabulary = pieces->vocabulary(), .ragged = true},
                              {.name = "ending", .kind = ColumnKind::kLabel, .classes = 4}});
  const std::vector<std::vector<TokenIds>> conversations = {{{5}, {6}, {5}}, {{7}, {}}};
  for (size_t i = 0; i < conversations.size(); ++i) {
    for (const TokenIds& turn : conversations[i]) writer.add_text(0, turn);
    writer.add_label(1, i == 0 ? 1 : 0);
    writer.end_row();
  }
  writer.finish();
  inputs.add("conversations", Dataset(file), /*of_parents=*/false, pieces);
}

/// Real images, and two drawn ones per row, with conditions of two numbers; and two critics.
void add_images(const fs::path& folder, const LoadedModel& critic, Inputs& inputs) {
  for (const bool drawn : {false, true}) {
    const fs::path file = folder / (drawn ? "drawn" : "real");
    DatasetWriter writer(
        file, {{.name = "image", .kind = ColumnKind::kImage, .shape = {1, 2, 2}, .ragged = drawn},
               {.name = "condition", .kind = ColumnKind::kVector, .shape = {2}}});
    for (int row = 0; row < 5; ++row) {
      for (int item = 0; item < (drawn ? 2 : 1); ++item) {
        std::vector<uint8_t> pixels;
        for (int i = 0; i < 4; ++i) {
          pixels.push_back(static_cast<uint8_t>((drawn ? 30 : 120) + 20 * row + 7 * i + 3 * item));
        }
        writer.add_image(0, pixels);
      }
      const std::vector<float> condition = {0.1F * static_cast<float>(row), 0.05F};
      writer.add_numbers(1, condition);
      writer.end_row();
    }
    writer.finish();
    inputs.add(drawn ? "drawn" : "real", Dataset(file));
  }
  for (int i = 0; i < 2; ++i) inputs.add("critics", critic);
}

/// Real images whose attributes differ in each kind of finding alone.
void add_matching_images(const fs::path& folder, const LoadedModel& critic, Inputs& inputs) {
  DatasetWriter writer(
      folder / "real",
      {{.name = "image", .kind = ColumnKind::kImage, .shape = {1, 2, 2}},
       {.name = "condition", .kind = ColumnKind::kVector, .shape = {2}},
       {.name = "attributes", .kind = ColumnKind::kVector, .shape = {kChestAttributes}}});
  const std::vector<std::vector<size_t>> findings = {{}, {0}, {1}, {12}, {14}, {0, 12}};
  for (size_t row = 0; row < findings.size(); ++row) {
    writer.add_image(0, std::vector<uint8_t>(4, static_cast<uint8_t>(40 * row)));
    writer.add_numbers(1, std::vector<float>{0.4F * static_cast<float>(row), 0.05F});
    std::vector<float> attributes(kChestAttributes);
    for (const size_t each : findings[row]) attributes[each] = 1;
    writer.add_numbers(2, attributes);
    writer.end_row();
  }
  writer.finish();
  inputs.add("real", Dataset(folder / "real"));
  inputs.add("critics", critic);
}

void add_evaluator_components(const Registries& registries,
                              std::vector<GoldenComponent>& components) {
  const std::vector<TokenIds> test = {{4, 5, 6, 7}, {8, 9}, {10, 4, 4, 5, 11}, {12}, {5, 6, 7, 8}};
  const std::vector<TokenIds> other = {{4, 5, 6}, {8, 9}, {10, 4, 5, 5, 11}, {}, {5, 6, 7, 9}};
  const std::vector<TokenIds> train = {{4, 5, 6}, {8, 8}, {12, 11}};
  const auto words = [](std::span<const int32_t> ids) {
    std::string text;
    for (int32_t id : ids) text += (text.empty() ? "w" : " w") + std::to_string(id) + ".";
    return text;
  };
  // The word w12. is unknown.
  const auto ids = [](std::string_view text) {
    TokenIds all;
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) {
      const int32_t id = std::stoi(word.substr(1));
      all.push_back(id == 12 ? 3 : id);
    }
    return all;
  };
  const auto characters = [](std::string_view text) {
    TokenIds ids;
    for (const char c : text) ids.push_back(c);
    return ids;
  };
  const auto pieces = fixed_tokenizer(words, ids);
  const auto model = std::make_shared<FixedModel>();
  const LoadedModel fixed{
      .component = "fixed", .model = model, .identity = "00000000", .tokenizer = pieces};
  Inputs inputs;
  inputs.add("model", fixed);
  LoadedModel language_model = fixed;
  language_model.sentences = 3;
  inputs.add("language_model", language_model);
  LoadedModel encoder = fixed;
  encoder.tokenizer = fixed_tokenizer({}, characters, "characters");
  inputs.add("encoder", encoder);
  inputs.add("text", Text(test, pieces));
  inputs.add("references", Text(test, pieces));
  inputs.add("train", Text(train, pieces));
  inputs.add("seen", Text(train, pieces));
  inputs.add("samples", Text(other, pieces));
  inputs.add("outputs", Text(other, pieces));
  inputs.add("contexts", Text(other, pieces));
  inputs.add("replies", Text(test, pieces));
  inputs.add("distractors", Text({test.rbegin(), test.rend()}, pieces));
  inputs.add("classifier", fixed);
  LoadedModel of_words = fixed;
  std::vector<std::string> vocabulary;
  for (int32_t id = 4; id < 13; ++id) vocabulary.push_back("w" + std::to_string(id) + ".");
  of_words.tokenizer = std::make_shared<Words>(std::move(vocabulary),
                                               WordEncoding{.tokenize = WordTokens::kWhitespace});
  for (const char* name : {"vectors", "idf", "embedder"}) inputs.add(name, of_words);
  Records task{.fields = {"text", "label"}, .labels = {{"label", {"no", "yes"}}}};
  for (int64_t i = 0; i < 30; ++i) {
    task.rows.push_back(
        {std::string(i % 3 == 0 ? "a b c" : "c b d e"), std::string(i % 2 == 0 ? "no" : "yes")});
  }
  inputs.add("task", SplitRecords{{"train", task}});
  inputs.add("records", SplitRecords{{"train", task}, {"valid", task}, {"test", task}});
  const TemporaryFolder folder;
  for (const auto& [name, sentences] : {std::pair("outputs", other), std::pair("records", test)}) {
    DatasetWriter writer(folder / name,
                         {{.name = "text", .vocabulary = pieces->vocabulary()},
                          {.name = "source", .vocabulary = pieces->vocabulary()},
                          {.name = "style", .kind = ColumnKind::kLabel, .classes = 2}});
    for (size_t i = 0; i < sentences.size(); ++i) {
      writer.add_text(0, sentences[i]);
      writer.add_text(1, test[i]);
      writer.add_label(2, static_cast<int32_t>(i % 2));
      writer.end_row();
    }
    writer.finish();
    inputs.add(name, Dataset(folder / name), /*of_parents=*/false, pieces);
  }
  const TemporaryFolder embedded;
  const Inputs without_embeddings = inputs;
  add_vectors(embedded.path, inputs);
  const TemporaryFolder rated;
  add_ratings(rated.path, inputs);
  const TemporaryFolder drawn;
  add_images(drawn.path, fixed, inputs);
  const TemporaryFolder recorded;
  add_token_records(recorded.path, pieces, inputs);
  const TemporaryFolder spoken;
  add_conversations(spoken.path, pieces, inputs);
  const TemporaryFolder radiographs;
  Inputs chest_images;
  add_chest_images(radiographs.path, chest_images);
  const TemporaryFolder matched;
  Inputs matching_images;
  add_matching_images(matched.path, fixed, matching_images);
  const std::map<std::string, const Inputs*> own_inputs = {
      {"image_frechet", &chest_images},        {"image_spread", &chest_images},
      {"swap_probe", &chest_images},           {"synthcxr_attributes", &chest_images},
      {"reconstruction", &without_embeddings}, {"synthcxr_matching", &matching_images}};
  const std::map<std::string, std::vector<std::string>> more_options = {
      {"bleu", {"level: document", "level: fused"}}, {"diversity", {"definition: distinct_seq"}}};
  for (const auto& name : registries.evaluators.names()) {
    INFO("evaluator " << name);
    const Component& entry = registries.evaluators.get(name);
    const auto evaluate = [&](const std::string& options) {
      const Configured configured = entry.configure(parse_yaml_or_throw(options));
      const auto own = own_inputs.find(name);
      return configured.evaluator->evaluate(own == own_inputs.end() ? inputs : *own->second);
    };
    // METEOR without synonyms: WordNet is not installed everywhere.
    const std::string options = name == "meteor" ? "modules: [exact, stem]" : "{}";
    const Configured configured = entry.configure(parse_yaml_or_throw(options));
    for (const InputDecl& input : configured.inputs) {
      if (input.type != ArtifactType::kScores) continue;
      inputs.add(input.name, fixed_scores(input, entry.scores_of == ScoresOf::kRow ? 1 : 6));
    }
    GoldenComponent component{"score " + name, entry.revision, {}};
    std::vector<std::string> ids;
    const std::vector<Score> scores = evaluate(options);
    // Scores that need options.
    GoldenComponent further{"further of score " + name, entry.revision, {}};
    if (const auto found = more_options.find(name); found != more_options.end()) {
      for (const std::string& more : found->second) {
        for (const Score& score : evaluate(more)) {
          const auto has_id = [&](const Score& each) { return each.id == score.id; };
          if (std::any_of(scores.begin(), scores.end(), has_id)) continue;
          ids.push_back(score.id);
          further.metadata[score.id] = score.value;
          further.metadata[score.id + " signature"] = score.signature;
        }
      }
      components.push_back(further);
    }
    // The fixed model has all capabilities, so no declared score may be missing, unless records
    // decide which there are.
    for (const Score& score : scores) {
      if (score.line.value_or(0) == 0) ids.push_back(score.id);
    }
    const auto reads_records = [](const InputDecl& input) {
      return input.type == ArtifactType::kRecords;
    };
    if (std::none_of(configured.inputs.begin(), configured.inputs.end(), reads_records)) {
      CHECK_THAT(ids, Catch::Matchers::UnorderedEquals(entry.score_ids()));
    }
    for (const Score& score : scores) {
      const std::string id = score.id + (score.line ? " " + std::to_string(*score.line) : "");
      component.metadata[id] = score.value;
      component.metadata[id + " signature"] = score.signature;
      if (score.interval) component.metadata[id + " low"] = score.interval->lo;
      if (score.interval) component.metadata[id + " high"] = score.interval->hi;
    }
    components.push_back(component);
  }
}

}  // namespace

TEST_CASE("golden: every component has the results of its revision", "[golden]") {
  Registries registries;
  register_all_models(registries);
  register_all_evaluators(registries);
  std::vector<GoldenComponent> components;
  add_data_components(components);
  add_model_components(registries, components);
  add_fit_components(registries, components);
  add_evaluator_components(registries, components);
  auto stored = nlohmann::json::object();
  if (fs::exists(kFile)) stored = nlohmann::json::parse(read_file(kFile));
  if (std::getenv("LVTEXT_GOLDEN_WRITE") != nullptr) {
    stored = golden_update(stored, components);
    write_file_atomic(kFile, stored.dump(1) + "\n");
  }
  for (const auto& problem : golden_problems(stored, components)) FAIL_CHECK(problem);
}

TEST_CASE("golden: changed bytes, a raised revision and a removed component are detected",
          "[golden]") {
  const nlohmann::json stored = {{"fit a@1", {{"sum", "ab"}, {"loss", 20.0}, {"tiny", 0.0}}}};
  const auto problems = [&](const std::vector<GoldenComponent>& now) {
    return golden_problems(stored, now);
  };
  CHECK(problems({{"fit a", 1, {{"sum", "ab"}, {"loss", 20.0001}, {"tiny", 9e-6}}}}).empty());
  const auto changed = problems({{"fit a", 1, {{"sum", "ac"}, {"loss", 20.001}, {"tiny", 2e-5}}}});
  REQUIRE(changed.size() == 3);
  for (const auto& problem : changed) {
    CHECK(problem.find("bytes of fit a@1 changed") == 0);
    CHECK(problem.find("raise its revision or find the mistake") != std::string::npos);
  }
  CHECK(problems({{"fit a", 1, {{"sum", "ab"}, {"loss", 20.0}}}}).size() == 1);
  CHECK(problems({{"fit a", 1, {{"sum", "ab"}, {"loss", "20"}, {"tiny", 0.0}}}}).size() == 1);
  const auto raised = problems({{"fit a", 2, {{"sum", "ac"}, {"loss", 20.0}, {"tiny", 0.0}}}});
  REQUIRE(raised.size() == 2);
  CHECK(raised[0].find("no 'fit a@2'") != std::string::npos);
  CHECK(raised[1].find("'fit a@1', which nothing makes") != std::string::npos);
  // Writing never changes the results of a revision.
  const auto kept =
      golden_update(stored, {{"fit a", 1, {{"sum", "ac"}}}, {"fit b", 1, {{"x", 1}}}});
  CHECK(kept["fit a@1"] == stored["fit a@1"]);
  CHECK(kept["fit b@1"]["x"] == 1);
  CHECK(golden_update(stored, {{"fit a", 2, {{"sum", "ac"}}}}).size() == 1);
}
