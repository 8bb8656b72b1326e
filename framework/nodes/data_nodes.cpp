#include "framework/nodes/data_nodes.h"

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/hash.h"
#include "framework/base/strings.h"
#include "framework/checkpoint/safetensors.h"
#include "framework/data/fingerprint.h"
#include "framework/data/split_files.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/json.h"
#include "framework/text/text_vectors.h"
#include "framework/text/words.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSentencePiece = "tokenizer.model";
constexpr const char* kWords = "words.json";
constexpr const char* kDescription = "records.json";

void run_source(NodeRun& run, const DataOptions& options, const DataPlaces& places) {
  const Splits splits = load_splits(options, places);
  const std::map<std::string, const std::vector<std::string>*> all = {{"train", &splits.train},
                                                                      {"valid", &splits.valid},
                                                                      {"test", &splits.test},
                                                                      {"reverse", &splits.reverse}};
  for (const auto& name : split_names()) {
    write_lines(run.folder.path() / (name + ".txt"), *all.at(name));
    run.outputs.push_back(name + ".txt");
    run.facts["sentences"][name] = all.at(name)->size();
  }
  run.facts["counts"] = to_json(splits.counts);
}

void write_records(const fs::path& file, const std::vector<Record>& records) {
  std::vector<std::string> lines;
  for (const auto& record : records) lines.push_back(join(record, "\t"));
  write_lines(file, lines);
}

void run_words(NodeRun& run, const WordOptions& options) {
  const Records source = read_records(run.input("source"), "train");
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
  const Words words(std::move(vectors.words), options.lowercase);
  const Vocabulary& ids = words.vocabulary();
  const at::Tensor special = at::zeros({ids.size - count, vectors.width});  // before the words
  for (int64_t i = 0; i < count; ++i) {
    if (words.words()[i] == "<s>") special[*ids.bos].copy_(given[i]);
    if (words.words()[i] == "</s>") special[*ids.eos].copy_(given[i]);
  }
  write_safetensors(run.folder.path() / kInitialFile, {{kWordVectors, at::cat({special, given})}});
  words.save(run.folder.path() / kWords);
  run.outputs = {kWords, kInitialFile};
  run.facts = {{"words", count}, {"width", vectors.width}};
}

std::string add_pack(Graph& graph, const std::string& name, const std::string& split,
                     const std::string& source, const std::string& tokenizer,
                     const Choice<Packer>& packer) {
  GraphNode pack;
  pack.name = name;
  pack.kind = NodeKind::kPack;
  pack.component = packer.name();
  pack.options = canonical_json(write_option(packer));
  pack.options.erase("type");
  pack.options["split"] = split;
  pack.inputs = {{"source", source}, {"tokenizer", tokenizer}};
  pack.run = [split, packer](NodeRun& run) {
    const PackCounts counts =
        packer->pack(read_records(run.input("source"), split),
                     *read_tokenizer(run.input("tokenizer")), run.folder.path() / kDatasetFile);
    run.outputs = {kDatasetFile};
    run.facts = {
        {"sentences", counts.rows}, {"tokens", counts.tokens}, {"unknown", counts.unknown}};
  };
  return graph.add(std::move(pack));
}

}  // namespace

const std::vector<std::string>& split_names() {
  static const std::vector<std::string> names = {"train", "valid", "test", "reverse"};
  return names;
}

void write_lines(const std::filesystem::path& file, const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  write_file_atomic(file, text);
}

std::vector<std::string> read_written_lines(const FinishedRun& run, const std::string& file) {
  std::vector<std::string> lines = split(run.read(file), '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();  // what follows the last line end
  return lines;
}

std::function<void(NodeRun&)> source_run(IfMissing if_missing, std::function<void(NodeRun&)> run) {
  if (if_missing == IfMissing::kFail) return run;
  return [run = std::move(run)](NodeRun& node) {
    try {
      run(node);
    } catch (const MissingError& error) {
      throw NodeSkipped(error.what());
    } catch (const DeviceError& error) {  // a download failed from all URLs
      throw NodeSkipped(error.what());
    }
  };
}

std::vector<std::string> read_split(const std::filesystem::path& source, const std::string& split) {
  return read_written_lines(FinishedRun(source), split + ".txt");
}

std::vector<std::string> read_text(const std::filesystem::path& folder) {
  return read_written_lines(FinishedRun(folder), "text.txt");
}

std::shared_ptr<const Tokenizer> read_tokenizer(const std::filesystem::path& folder) {
  const FinishedRun run(folder);
  if (run.lists(kWords)) return std::make_shared<Words>(Words::load(run.file(kWords)));
  return std::make_shared<SentencePiece>(SentencePiece::load(run.file(kSentencePiece)));
}

Words read_words(const std::filesystem::path& folder) {
  return Words::load(FinishedRun(folder).file(kWords));
}

Records read_records(const std::filesystem::path& source, const std::string& split_name) {
  const FinishedRun run(source);
  Records read;
  if (!run.lists(kDescription)) {
    read.fields = {"text"};
    for (auto& line : read_split(source, split_name)) read.records.push_back({std::move(line)});
    return read;
  }
  const auto json = nlohmann::json::parse(run.read(kDescription));
  read.fields = json.at("fields").get<std::vector<std::string>>();
  read.labels = json.at("labels").get<std::map<std::string, std::vector<std::string>>>();
  for (const auto& line : read_written_lines(run, split_name + ".tsv")) {
    read.records.push_back(split(line, '\t'));
  }
  return read;
}

Dataset read_dataset(const std::filesystem::path& folder) {
  return Dataset(FinishedRun(folder).file(kDatasetFile));
}

DataNodes add_data(Graph& graph, const DataBlock& data, const DataPlaces& places) {
  DataNodes nodes;
  GraphNode source;
  source.name = "data-source";
  source.kind = NodeKind::kSource;
  source.component = data.source.train.empty() ? data.source.set : "own_text";
  source.seed = data.source.seed;
  // Not the paths: an edited text is another node, the same text elsewhere is not.
  source.options = data_fingerprint(data.source);
  source.run = source_run(data.source.if_missing, [options = data.source, places](NodeRun& run) {
    run_source(run, options, places);
  });
  nodes.source = graph.add(std::move(source));

  GraphNode tokenizer;
  tokenizer.name = "data-tokenizer";
  tokenizer.kind = NodeKind::kFit;
  tokenizer.component = "sentencepiece";
  tokenizer.options = canonical_json(to_node(data.tokenizer));
  tokenizer.inputs = {{"source", nodes.source}};
  tokenizer.run = [options = data.tokenizer](NodeRun& run) {
    TokenizerTraining seen;
    const SentencePiece trained =
        SentencePiece::train(read_split(run.input("source"), "train"), options, &seen);
    write_file_atomic(run.folder.path() / kSentencePiece, trained.bytes());
    run.outputs = {kSentencePiece};
    run.facts = {{"pieces", trained.size()},
                 {"sha256", trained.sha256()},
                 {"lines", seen.lines},
                 {"too_long", seen.too_long}};
  };
  nodes.tokenizer = graph.add(std::move(tokenizer));

  for (const auto& split : split_names()) {
    nodes.packs[split] =
        add_pack(graph, "data-pack-" + split, split, nodes.source, nodes.tokenizer, data.pack);
  }
  return nodes;
}

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
    nodes.packs[name] = add_pack(graph, prefix + "-pack-" + name, name, nodes.source, nodes.words,
                                 Choice<Packer>("text"));
  }
  return nodes;
}

NodeInputs finished_packs(const DataNodes& data, const GraphStatus& status) {
  NodeInputs packs;
  for (const char* split : {"train", "valid"}) {
    const NodeStatus& entry = status.at(data.packs.at(split));
    if (entry.state != NodeState::kFinished) return {};
    packs[split] = entry.folder;
  }
  return packs;
}

}  // namespace lvtext
