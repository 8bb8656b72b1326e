#include "framework/nodes/record_nodes.h"

#include <algorithm>

#include "framework/base/files.h"
#include "framework/base/hash.h"
#include "framework/base/strings.h"
#include "framework/checkpoint/safetensors.h"
#include "framework/data/dataset_writer.h"
#include "framework/nodes/data_nodes.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/json.h"
#include "framework/text/text_vectors.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWords = "words.json";
constexpr const char* kDescription = "records.json";

void write_records(const fs::path& file, const std::vector<Record>& records) {
  std::vector<std::string> lines;
  for (const auto& record : records) lines.push_back(join(record, "\t"));
  write_lines(file, lines);
}

/// A split of a source node, and what its fields are.
struct SourceRecords {
  std::vector<std::string> fields;
  std::map<std::string, std::vector<std::string>> labels;
  std::vector<Record> records;

  SourceRecords(const fs::path& source, const std::string& split_name) {
    const FinishedRun run(source);
    const auto json = nlohmann::json::parse(run.read(kDescription));
    fields = json.at("fields").get<std::vector<std::string>>();
    labels = json.at("labels").get<std::map<std::string, std::vector<std::string>>>();
    for (const auto& line : read_written_lines(run, split_name + ".tsv")) {
      records.push_back(split(line, '\t'));
    }
  }
};

/// Writes the fields as columns, texts as ids of `words`; returns the words of all texts.
int64_t write_dataset(const fs::path& file, const SourceRecords& source,
                      const Tokenizer& words) {
  std::vector<ColumnDecl> columns;
  for (const auto& field : source.fields) {
    const auto labels = source.labels.find(field);
    if (labels == source.labels.end()) {
      columns.push_back({.name = field, .vocabulary = words.vocabulary()});
    } else {
      columns.push_back({.name = field,
                         .kind = ColumnKind::kLabel,
                         .classes = static_cast<int32_t>(labels->second.size())});
    }
  }
  DatasetWriter writer(file, columns);
  int64_t tokens = 0;
  for (const auto& record : source.records) {
    for (size_t field = 0; field < columns.size(); ++field) {
      const std::string& value = record[field];
      if (columns[field].kind == ColumnKind::kText) {
        const auto ids = words.encode(value);
        writer.add_text(field, ids);
        tokens += std::ssize(ids);
      } else {
        const auto& values = source.labels.at(columns[field].name);
        const auto label = std::find(values.begin(), values.end(), value) - values.begin();
        writer.add_label(field, static_cast<int32_t>(label));
      }
    }
    writer.end_row();
  }
  writer.finish();
  return tokens;
}

std::string add_record_pack(Graph& graph, const std::string& name, const std::string& split_name,
                            const std::string& source, const std::string& words) {
  GraphNode pack;
  pack.name = name;
  pack.kind = NodeKind::kPack;
  pack.component = "records";
  pack.options = {{"split", split_name}};
  pack.inputs = {{"source", source}, {"words", words}};
  pack.run = [split_name](NodeRun& run) {
    const SourceRecords records(run.input("source"), split_name);
    const Words vocabulary = read_words(run.input("words"));
    const int64_t words = write_dataset(run.folder.path() / kDatasetFile, records, vocabulary);
    run.outputs = {kDatasetFile};
    run.facts = {{"records", records.records.size()}, {"words", words}};
  };
  return graph.add(std::move(pack));
}

void run_words(NodeRun& run, const WordOptions& options) {
  const SourceRecords source(run.input("source"), "train");
  std::vector<std::string> texts;
  for (size_t place = 0; place < source.fields.size(); ++place) {
    if (source.labels.contains(source.fields[place])) continue;
    for (const auto& record : source.records) texts.push_back(record[place]);
  }
  const Words words = Words::count(texts, options);
  words.save(run.folder.path() / kWords);
  run.outputs = {kWords};
  run.facts = {{"words", words.words().size()}};
}

/// Rows of the special ids are zero but for <s> and </s> where the file has them.
void run_vectors(NodeRun& run, const WordOptions& options, const fs::path& file) {
  TextVectors vectors = read_text_vectors(file, options.most);
  const auto count = static_cast<int64_t>(vectors.words.size());
  const at::Tensor given =
      at::from_blob(vectors.values.data(), {count, vectors.width}, at::TensorOptions(at::kFloat));
  const at::Tensor special = at::zeros({kUnk + 1, vectors.width});
  for (int64_t i = 0; i < count; ++i) {
    if (vectors.words[i] == "<s>") special[kBos].copy_(given[i]);
    if (vectors.words[i] == "</s>") special[kEos].copy_(given[i]);
  }
  write_safetensors(run.folder.path() / kInitialFile, {{kWordVectors, at::cat({special, given})}});
  Words(std::move(vectors.words), options.lowercase).save(run.folder.path() / kWords);
  run.outputs = {kWords, kInitialFile};
  run.facts = {{"words", count}, {"width", vectors.width}};
}

}  // namespace

std::string add_record_source(Graph& graph, const std::string& name, const RecordOptions& options,
                              const DataPlaces& places) {
  GraphNode source;
  source.name = name;
  source.kind = NodeKind::kSource;
  source.component = options.set;
  source.seed = options.seed;
  source.options = records_fingerprint(options);
  source.run = source_run(options.if_missing, [options, places](NodeRun& run) {
    const RecordSplits splits = load_records(options, places);
    const fs::path folder = run.folder.path();
    write_records(folder / "train.tsv", splits.train);
    write_records(folder / "valid.tsv", splits.valid);
    write_records(folder / "test.tsv", splits.test);
    const Manifest set = load_manifest(options.set, manifest_folders());
    const nlohmann::ordered_json description = {{"fields", set.fields}, {"labels", set.labels}};
    write_file_atomic(folder / kDescription, description.dump(1) + "\n");
    run.outputs = {"train.tsv", "valid.tsv", "test.tsv", kDescription};
    run.facts = {{"records",
                  {{"train", splits.train.size()},
                   {"valid", splits.valid.size()},
                   {"test", splits.test.size()}}},
                 {"counts",
                  {{"lines", splits.lines},
                   {"unlabelled", splits.unlabelled},
                   {"overlaps", splits.overlaps},
                   {"duplicates", splits.duplicates}}}};
  });
  return graph.add(std::move(source));
}

std::string add_words(Graph& graph, const std::string& name, const std::string& source,
                      const WordOptions& options, const fs::path& vectors) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kFit;
  node.component = "words";
  node.options = canonical_json(to_node(options));
  if (vectors.empty()) {
    node.inputs = {{"source", source}};
    node.run = [options](NodeRun& run) { run_words(run, options); };
  } else {
    node.options["vectors"] = sha256_file(vectors);
    node.run = [options, vectors](NodeRun& run) { run_vectors(run, options, vectors); };
  }
  return graph.add(std::move(node));
}

RecordNodes add_records(Graph& graph, const std::string& prefix, const RecordOptions& data,
                        const WordOptions& words, const fs::path& vectors,
                        const DataPlaces& places) {
  RecordNodes nodes;
  nodes.source = add_record_source(graph, prefix + "-data", data, places);
  nodes.words = add_words(graph, prefix + "-words", nodes.source, words, vectors);
  for (const char* name : {"train", "valid"}) {
    nodes.packs[name] =
        add_record_pack(graph, prefix + "-pack-" + name, name, nodes.source, nodes.words);
  }
  return nodes;
}

Words read_words(const fs::path& folder) {
  return Words::load(FinishedRun(folder).file(kWords));
}

}  // namespace lvtext
