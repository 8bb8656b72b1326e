// Data nodes: typed records, derived sets, tokenizers fitted to them, columns as texts.
#include "framework/pipeline/nodes/data_nodes.h"
#include "framework/pipeline/store/finished_data.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/model/dataset_loader.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/graph/executor.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/joined_rows.h"
#include "framework/pipeline/store/loaded_inputs.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;
using Lines = std::vector<std::string>;

namespace {

DerivedDataOptions derived(const std::string& yaml) {
  return parse_options_or_throw<DerivedDataOptions>(parse_yaml_or_throw(yaml));
}

const Choice<TokenizerFit> kWords("words");
const Choice<Packer> kText("text"), kCaptions("captions");

/// A data block with a file of 100 images of 1x8x8, each with two captions, a sentence and a label.
struct Images {
  TemporaryFolder folder;
  DataBlock block;

  Images() {
    std::string lines;
    for (int i = 0; i < 100; ++i) {
      std::string image;
      for (int k = 0; k < 64; ++k) image += (k == 0 ? "" : ",") + std::to_string((i + k) % 256);
      const std::string n = std::to_string(i);
      lines += "{\"image\": [" + image + "], \"captions\": [\"heart " + n + "\", \"lungs clear " +
               n + "\"], \"note\": \"seen by doctor " + n + "\", \"sex\": \"" +
               (i % 4 == 0 ? "f" : "m") + "\"}\n";
    }
    write_file_synced(folder / "images.jsonl", lines);
    block.source.train = folder / "images.jsonl";
    block.source.fields = {"image", "captions", "note", "sex"};
    block.source.labels = {{"sex", {"f", "m"}}};
    block.source.reader = Choice<RecordReader>(
        "json_lines", parse_yaml_or_throw("types: {captions: {ragged: true}, image: {kind: image, "
                                          "shape: [1, 8, 8]}}"));
    block.tokenizer = kWords;
    block.pack = kCaptions;
  }
};

/// Adds a data set derived from others, with the tokenizer "words".
DataNodes derive_data(Graph& graph, const std::string& prefix,
                      const std::vector<SplitOfSource>& from, const DerivedDataOptions& options,
                      const Choice<Packer>& pack) {
  std::vector<std::string> splits = {"train", "valid", "test"};
  if (!from.front().split.empty()) splits = {"train"};
  return add_packs(graph, prefix, add_derived_source(graph, prefix + "-source", from, options),
                   "words", splits, pack);
}

/// Nodes of images and of a set of their captions, with a common vocabulary.
struct Made {
  Graph graph{"test", "smoke"};
  DataNodes cxr, captions;
  std::string words;

  explicit Made(const Images& images) {
    const std::string source = add_source(graph, "cxr-source", images.block.source, {});
    const std::string of_captions =
        add_derived_source(graph, "captions-source", {{.source = source}},
                           derived("{flatten: captions, columns: [captions]}"));
    words = add_tokenizer(graph, "words", of_captions, kWords, {});
    cxr = add_data(graph, "cxr", images.block, {}, words);
    captions = derive_data(graph, "captions", {{.source = cxr.source}},
                           derived("{flatten: captions, columns: [captions]}"), kText);
  }
  /// Folder of a node that is run together with its inputs.
  std::filesystem::path run(const std::string& name, const std::filesystem::path& runs) const {
    const auto status = run_graph(graph, {name}, runs);
    INFO(status.at(name).reason);
    REQUIRE(status.at(name).state == NodeState::kFinished);
    return status.at(name).folder;
  }
  /// Error message of a failed node.
  std::string failure(const std::string& name, const std::filesystem::path& runs) const {
    const auto status = run_graph(graph, {name}, runs);
    CHECK(status.at(name).state == NodeState::kFailed);
    return status.at(name).reason;
  }
};

}  // namespace

TEST_CASE("data nodes: a tokenizer fitted to captions is shared with the images", "[nodes]") {
  const Images images;
  const TemporaryFolder runs, fresh;
  const Made made(images);
  // Equal records are one node.
  CHECK(made.cxr.source == "cxr-source");
  CHECK(made.captions.source == "captions-source");
  CHECK(made.captions.tokenizer == "words");
  const auto tokenizer = read_tokenizer(made.run("words", runs.path));
  CHECK(tokenizer->encode("heart").size() == 1);
  CHECK(tokenizer->encode("doctor").empty());

  const Dataset cxr = read_dataset(made.run(made.cxr.packs.at("train"), runs.path));
  const Dataset captions = read_dataset(made.run(made.captions.packs.at("train"), runs.path));
  CHECK(cxr.size() == 90);
  CHECK(cxr.names() == Lines{"image", "captions", "note", "sex"});
  CHECK(cxr.parents().empty());
  CHECK(captions.size() == 180);
  CHECK(captions.names() == Lines{"text"});
  for (int64_t row = 0; row < captions.size(); ++row) {
    const int64_t parent = captions.parents()[row];
    CHECK(parent == row / 2);
    CHECK(captions.column("text").tokens(row) == cxr.column("captions").tokens(parent, row % 2));
  }
  // Images and their captions; a stream of the images has one of both captions.
  const Dataset joined = Dataset::join({captions, cxr.select(captions.parents())});
  const Batch batch = make_batch(joined, {0, 1, 2});
  CHECK(batch.field("image").sizes() == at::IntArrayRef{3, 1, 8, 8});
  CHECK(batch.field("image")[0].equal(batch.field("image")[1]));
  CHECK_FALSE(batch.field("image")[0].equal(batch.field("image")[2]));
  const DatasetLoader stream(cxr, {.order = Order::kRandom, .size = 90});
  CHECK(stream.batch(0, 0).field("captions").size(1) == 3);
  // Computed in another folder: the same bytes.
  for (const auto& node : {made.captions.packs.at("valid"), made.cxr.packs.at("valid")}) {
    CHECK(sha256_file(made.run(node, fresh.path) / kDatasetFile) ==
          sha256_file(made.run(node, runs.path) / kDatasetFile));
  }
}

TEST_CASE("data nodes: splits of several sets are joined in their order", "[nodes]") {
  const Images images;
  const TemporaryFolder runs;
  Made made(images);
  const DataNodes joined =
      derive_data(made.graph, "joined",
                  {{made.captions.source, "valid"}, {made.captions.source, "train"}}, {}, kText);
  REQUIRE(joined.packs.size() == 1);
  const Dataset train = read_dataset(made.run(joined.packs.at("train"), runs.path));
  const Dataset first = read_dataset(made.run(made.captions.packs.at("valid"), runs.path));
  const Dataset second = read_dataset(made.run(made.captions.packs.at("train"), runs.path));
  REQUIRE(train.size() == first.size() + second.size());
  CHECK(train.parents().empty());
  for (int64_t row = 0; row < train.size(); ++row) {
    const bool is_first = row < first.size();
    const auto& of = is_first ? first : second;
    CHECK(train.column("text").tokens(row) ==
          of.column("text").tokens(is_first ? row : row - first.size()));
  }
  // The order of the splits is part of the identity.
  const DataNodes other =
      derive_data(made.graph, "other",
                  {{made.captions.source, "train"}, {made.captions.source, "valid"}}, {}, kText);
  CHECK(other.source == "other-source");
}

TEST_CASE("data nodes: a tokenizer is fitted to a split and a column", "[nodes]") {
  const Images images;
  const TemporaryFolder runs;
  Made made(images);
  const auto vocabulary = [&](const std::string& split, const std::string& column) {
    const std::string name = "words-" + split + "-" + column;
    add_tokenizer(made.graph, name, made.cxr.source, kWords, {}, split, column);
    return read_tokenizer(made.run(name, runs.path))->vocabulary().size;
  };
  CHECK(vocabulary("train", "") == 4 + 6 + 90);      // all words of notes and captions
  CHECK(vocabulary("train", "note") == 4 + 3 + 90);  // seen, by, doctor
  CHECK(vocabulary("test", "note") == 4 + 3 + 5);
  // The identity of older forms of recipes is unchanged.
  const std::string same = add_tokenizer(made.graph, "same", made.cxr.source, kWords, {});
  CHECK(same == "words-train-");
  CHECK(made.graph.at(same).options ==
        nlohmann::json{{"most", 50000}, {"min_count", 1}, {"lowercase", false}});
  add_tokenizer(made.graph, "none", made.cxr.source, kWords, {}, "train", "notes");
  CHECK(contains(made.failure("none", runs.path),
                 "no record has a text in the column 'notes'; the columns are image, captions"));
}

TEST_CASE("data nodes: derived sets depend on their options, not on names", "[nodes]") {
  const Images images;
  const TemporaryFolder runs;
  Made made(images);
  const auto derive = [&](const std::string& name, const std::string& options) {
    return derive_data(made.graph, name, {{.source = made.cxr.source}}, derived(options),
                       kCaptions);
  };
  const DataNodes women = derive("women", "where: {sex: f}");
  CHECK(derive("ladies", "where: {sex: f}").packs == women.packs);
  CHECK(derive("men", "where: {sex: m}").source == "men-source");
  const std::string few =
      derive_data(made.graph, "few", {{.source = women.source}}, derived("at_most: 3"), kCaptions)
          .packs.at("train");
  const Dataset three = read_dataset(made.run(few, runs.path));
  CHECK(three.size() == 3);
  CHECK(three.column("sex").tokens(2) == std::vector<int32_t>{0});
  CHECK(three.parents()[2] == 2);  // in the set of women
  const Records records = read_records(made.run(women.source, runs.path), "train");
  const Records all = read_records(made.run(made.cxr.source, runs.path), "train");
  REQUIRE(records.rows.size() == records.parents.size());
  for (size_t i = 0; i < records.rows.size(); ++i) {
    CHECK((records.rows[i] == all.rows[records.parents[i]]));
    CHECK(text_of(records.rows[i][3]) == "f");
  }
  CHECK(read_run_manifest(made.run(women.source, runs.path))
            ->at("metadata")
            .at("sentences")
            .at("train") == records.rows.size());

  CHECK(contains(made.failure(derive("x", "where: {sex: x}").source, runs.path),
                 "where.sex: the data set 'own_text' has no label 'x' in 'sex'"));
  const DataNodes wrong = derive_data(made.graph, "wrong", {{.source = women.source}},
                                      derived("flatten: caption"), kText);
  CHECK(contains(made.failure(wrong.source, runs.path),
                 "flatten: the data set 'women-source' has no column 'caption'"));
}

TEST_CASE("data nodes: a column is a text with the set's tokenizer", "[nodes]") {
  const Images images;
  const TemporaryFolder runs;
  Made made(images);
  const auto column = [&](const std::string& source, const std::string& of) {
    return add_column(made.graph, "column-" + source + "-" + of, source, "test", of, "words");
  };
  const std::string notes = column(made.cxr.source, "note");
  CHECK(tokenizer_of(made.graph, notes) == "words");
  const auto folder = made.run(notes, runs.path);
  const Lines lines = read_records(made.run(made.cxr.source, runs.path), "test").column("note");
  const auto tokenizer = read_tokenizer(made.run("words", runs.path));
  const Text text = read_column(folder, tokenizer);
  REQUIRE(text.size() == lines.size());
  CHECK(text.ids()[0] == tokenizer->encode(lines[0]));
  CHECK(Lines(text.lines().begin(), text.lines().end()) == lines);  // independent of the tokenizer
  CHECK(tokenizer->decode(text.ids()[0]) != lines[0]);  // the vocabulary lacks words of the notes
  // It can be read like any other text, and so can labels.
  const std::string first = add_sentences(made.graph, "first", notes, {.at_most = 2});
  CHECK(read_text(made.run(first, runs.path)) == Lines(lines.begin(), lines.begin() + 2));
  // Only the whole text has a line for each record.
  const std::string all = add_sentences(made.graph, "all", notes, {});
  CHECK(rows_of(made.graph, all) == rows_of(made.graph, notes));
  CHECK_FALSE(rows_of(made.graph, first) == rows_of(made.graph, notes));
  const Lines sexes = read_text(made.run(column(made.cxr.source, "sex"), runs.path));
  CHECK(sexes.size() == lines.size());
  CHECK((sexes[0] == "f" || sexes[0] == "m"));
  // Of several texts of a record, the first.
  const Lines captions = read_text(made.run(column(made.cxr.source, "captions"), runs.path));
  const Records records = read_records(made.run(made.cxr.source, runs.path), "test");
  const auto field =
      std::find(records.fields.begin(), records.fields.end(), "captions") - records.fields.begin();
  REQUIRE(captions.size() == records.rows.size());
  for (size_t row = 0; row < captions.size(); ++row) {
    CHECK(captions[row] == std::get<std::vector<std::string>>(records.rows[row][field]).front());
  }
  CHECK(contains(made.failure(column(made.cxr.source, "image"), runs.path),
                 "'image' contains an image"));
  CHECK(contains(made.failure(column(made.cxr.source, "notes"), runs.path),
                 "no column 'notes'; did you mean 'note'?"));
}

namespace {

/// The nodes of a block, all of them finished.
struct Finished {
  TemporaryFolder folder;
  Graph graph{"test", "smoke"};
  DataNodes nodes;
  GraphStatus status;

  /// `options`: keys of the block besides `train`, whose file has the content `text`.
  Finished(const std::string& text, const std::string& options) {
    write_file_synced(folder / "train.txt", text);
    const auto block = parse_options_or_throw<DataBlock>(
        parse_yaml_or_throw("{train: '" + (folder / "train.txt").string() + "', valid: '" +
                            (folder / "train.txt").string() + "', test: '" +
                            (folder / "train.txt").string() + "', " + options + "}"));
    nodes = add_data(graph, "data", block, {});
    std::vector<std::string> expected;
    for (const auto& [split, node] : nodes.packs) expected.push_back(node);
    status = run_graph(graph, expected, folder / "runs");
  }
  nlohmann::ordered_json metadata(const std::string& node) const {
    INFO(status.at(node).reason);
    REQUIRE(status.at(node).state == NodeState::kFinished);
    return FinishedRun(status.at(node).folder).metadata();
  }
};

}  // namespace

TEST_CASE("data nodes: running text keeps every line, and its tokens are counted", "[nodes]") {
  const std::string text = "= one =\n\nsaid the cat .\n \nsaid the cat .\n\n";
  const Finished all(text,
                     "tokenizer: {type: words, tokenize: whitespace}, pack: {type: blocks, "
                     "length: 4}");
  CHECK(all.metadata(all.nodes.source).at("sentences").at("train") == 6);
  const auto train = all.metadata(all.nodes.packs.at("train"));
  CHECK(train.at("lines") == 6);
  CHECK(train.at("tokens") == 8);  // of 11, in blocks of 4
  CHECK(train.at("dropped") == 3);
  CHECK(train.at("sentences") == 2);
  CHECK(read_split(all.status.at(all.nodes.source).folder, "train") ==
        Lines{"= one =", "", "said the cat .", " ", "said the cat .", ""});
}

TEST_CASE("data nodes: texts without a token, and <unk> that is read as text, are counted",
          "[nodes]") {
  const std::string kept = "remove_test_overlap: false, remove_valid_overlap: false, tokenizer: ";
  const Finished words("a b\na <unk>\nb a\nrare\n\xE2\x80\x8B\n",
                       kept + "{type: words, min_count: 2}");
  CHECK(words.metadata(words.nodes.source).at("counts").at("empty") == 3);  // one of each split
  CHECK(words.metadata(words.nodes.packs.at("train")).at("without_tokens") == 1);
  CHECK(words.metadata(words.nodes.packs.at("train")).at("unknown_as_text") == 1);
  CHECK_FALSE(words.metadata(words.nodes.packs.at("test")).contains("unknown_as_text"));
  const Finished known("a b\na <unk>\nb a\n", kept + "{type: words, keep_unknown: true}");
  CHECK_FALSE(known.metadata(known.nodes.packs.at("train")).contains("unknown_as_text"));
  CHECK(known.metadata(known.nodes.packs.at("train")).at("unknown") == 1);
  // A tokenizer that is read from a file is not fitted to the texts.
  const TemporaryFolder folder;
  write_file_synced(folder / "vectors.txt", "a 1 2\nb 3 4\n");
  const Finished given("a b\na <unk>\nb a\n", kept + "{type: word_vectors, file: '" +
                                                  (folder / "vectors.txt").string() + "'}");
  CHECK(given.metadata(given.nodes.packs.at("train")).at("unknown_as_text") == 1);
}
