#include "framework/nodes/data_nodes.h"

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/hash.h"
#include "framework/base/strings.h"
#include "framework/checkpoint/safetensors.h"
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

void run_source(NodeRun& run, const DataOptions& options, const DataPlaces& places) {
  const Splits splits = load_splits(options, places);
  run.outputs = write_records(splits, run.folder.path());
  for (const auto& [split, records] : splits.records) {
    run.facts["sentences"][split] = records.rows.size();
  }
  run.facts["counts"] = to_json(splits.counts);
}

/// Under IfMissing::kSkip data that cannot be had end the node as skipped.
void run_source_or_skip(NodeRun& run, const DataOptions& options, const DataPlaces& places) {
  if (options.if_missing == IfMissing::kFail) return run_source(run, options, places);
  try {
    run_source(run, options, places);
  } catch (const MissingError& error) {
    throw NodeSkipped(error.what());
  } catch (const DeviceError& error) {  // a download failed from all URLs
    throw NodeSkipped(error.what());
  }
}

void run_words(NodeRun& run, const WordOptions& options) {
  const Records source = read_records(run.input("source"), "train");
  std::vector<std::string> texts;
  for (size_t place = 0; place < source.fields.size(); ++place) {
    if (source.labels.contains(source.fields[place])) continue;
    for (const auto& record : source.rows) texts.push_back(record[place]);
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
  pack.plugin = packer.plugin();
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

std::vector<std::string> read_split(const std::filesystem::path& source, const std::string& split) {
  return read_records(source, split).texts();
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

Records read_records(const std::filesystem::path& source, const std::string& split) {
  const FinishedRun run(source);
  const auto description = nlohmann::json::parse(run.read(kRecordsFile));
  Records records;
  records.fields = description.at("fields").get<std::vector<std::string>>();
  records.labels = description.at("labels").get<Labels>();
  records.rows = parse_json_lines(run.read(split_file(split)), records.fields);
  return records;
}

Dataset read_dataset(const std::filesystem::path& folder) {
  return Dataset(FinishedRun(folder).file(kDatasetFile));
}

DataNodes add_data(Graph& graph, const DataBlock& data, const DataPlaces& places) {
  DataNodes nodes;
  nodes.source = add_source(graph, "data-source", data.source, places);

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

  for (const auto& split : split_names(data.source)) {
    nodes.packs[split] =
        add_pack(graph, "data-pack-" + split, split, nodes.source, nodes.tokenizer, data.pack);
  }
  return nodes;
}

std::string add_source(Graph& graph, const std::string& name, const DataOptions& options,
                       const DataPlaces& places) {
  GraphNode source;
  source.name = name;
  source.kind = NodeKind::kSource;
  source.component = options.train.empty() ? options.set : "own_text";
  source.seed = options.seed;
  // Not the paths: an edited text is another node, the same text elsewhere is not.
  source.options = data_fingerprint(options);
  source.plugin = reader_plugin(options);
  source.run = [options, places](NodeRun& run) { run_source_or_skip(run, options, places); };
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

RecordNodes add_records(Graph& graph, const std::string& prefix, const DataOptions& data,
                        const WordOptions& words, const fs::path& vectors,
                        const DataPlaces& places) {
  RecordNodes nodes;
  nodes.source = add_source(graph, prefix + "-data", data, places);
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
