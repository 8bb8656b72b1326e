#include "framework/nodes/data_nodes.h"

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/hash.h"
#include "framework/base/strings.h"
#include "framework/checkpoint/safetensors.h"
#include "framework/data/split_files.h"
#include "framework/nodes/train_nodes.h"
#include "framework/options/json.h"
#include "framework/text/token_ids.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

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
  const char* reason = "not run: data missing";
  try {
    run_source(run, options, places);
  } catch (const MissingError& error) {
    throw NodeSkipped(reason, error.what());
  } catch (const DeviceError& error) {  // a download failed from all URLs
    throw NodeSkipped(reason, error.what());
  }
}

/// The texts of all records, field by field.
std::vector<std::string> all_texts(const Records& records) {
  std::vector<std::string> texts;
  for (size_t field = 0; field < records.fields.size(); ++field) {
    if (records.labels.contains(records.fields[field])) continue;
    for (const Record& row : records.rows) texts.push_back(row[field]);
  }
  return texts;
}

/// Rows of the special ids are zero but for <s> and </s> where the words have them.
void write_vectors(const TextVectors& vectors, const Vocabulary& ids, const fs::path& file) {
  const auto count = static_cast<int64_t>(vectors.words.size());
  const at::Tensor given = at::tensor(vectors.values).view({count, vectors.width});
  const at::Tensor special = at::zeros({ids.size - count, vectors.width});  // before the words
  for (int64_t i = 0; i < count; ++i) {
    if (vectors.words[i] == "<s>") special[ids.bos.value()].copy_(given[i]);
    if (vectors.words[i] == "</s>") special[ids.eos.value()].copy_(given[i]);
  }
  write_safetensors(file, {{kWordVectors, at::cat({special, given})}});
}

void run_tokenizer(NodeRun& run, const TokenizerFit& tokenizer) {
  std::vector<std::string> texts;
  if (run.inputs.contains("source")) texts = all_texts(read_records(run.input("source"), "train"));
  FittedTokenizer fitted = tokenizer.fit(texts, run.folder.path());
  run.outputs = std::move(fitted.files);
  run.facts = std::move(fitted.facts);
  if (fitted.vectors.width == 0) return;
  write_vectors(fitted.vectors, tokenizer.load(run.folder.path())->vocabulary(),
                run.folder.path() / kInitialFile);
  run.outputs.emplace_back(kInitialFile);
}

/// The records of the data's splits (write_records()).
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
  for (const auto& [file, entry] : run.manifest().at("files").items()) run.file(file);
  const auto component = run.manifest().at("component").get<std::string>();
  Errors not_reported;  // reading needs no options, required ones neither
  const auto& entry = TokenizerFit::components().get(component);
  return entry.read(Node::mapping({}), not_reported, "")->load(folder);
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

DataNodes add_data(Graph& graph, const std::string& prefix, const DataBlock& data,
                   const DataPlaces& places) {
  DataNodes nodes;
  nodes.source = add_source(graph, prefix + "-source", data.source, places);
  nodes.tokenizer = add_tokenizer(graph, prefix + "-tokenizer", nodes.source, data.tokenizer);
  for (const auto& split : split_names(data.source)) {
    nodes.packs[split] =
        add_pack(graph, prefix + "-pack-" + split, split, nodes.source, nodes.tokenizer, data.pack);
  }
  return nodes;
}

std::string add_tokenizer(Graph& graph, const std::string& name, const std::string& source,
                          const Choice<TokenizerFit>& tokenizer) {
  GraphNode node;
  node.name = name;
  node.kind = NodeKind::kFit;
  node.component = tokenizer.name();
  node.plugin = tokenizer.plugin();
  node.options = canonical_json(write_option(tokenizer));
  node.options.erase("type");
  const std::string file = tokenizer->given_file();
  if (file.empty()) {
    node.inputs = {{"source", source}};
  } else {
    node.options["file"] = sha256_file(file);
  }
  node.run = [tokenizer](NodeRun& run) { run_tokenizer(run, *tokenizer); };
  return graph.add(std::move(node));
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
