#include "framework/nodes/data_nodes.h"

#include "framework/base/error.h"
#include "framework/base/files.h"
#include "framework/base/strings.h"
#include "framework/data/fingerprint.h"
#include "framework/data/split_files.h"
#include "framework/options/json.h"

namespace lvtext {
namespace {

const std::vector<std::string>& split_names() {
  static const std::vector<std::string> names = {"train", "valid", "test", "reverse"};
  return names;
}

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

Tokenizer read_tokenizer(const std::filesystem::path& folder) {
  return Tokenizer::load(FinishedRun(folder).file("tokenizer.model"));
}

std::shared_ptr<const PackedCorpus> read_pack(const std::filesystem::path& folder) {
  return std::make_shared<PackedCorpus>(FinishedRun(folder).file("corpus.pack"));
}

PackedRows read_rows(const std::filesystem::path& folder) {
  const FinishedRun run(folder);
  for (const auto& [file, entry] : run.manifest().at("files").items()) run.file(file);
  return PackedRows::read(folder);
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
    const Tokenizer trained =
        Tokenizer::train(read_split(run.input("source"), "train"), options, &seen);
    write_file_atomic(run.folder.path() / "tokenizer.model", trained.bytes());
    run.outputs = {"tokenizer.model"};
    run.facts = {{"pieces", trained.size()},
                 {"sha256", trained.sha256()},
                 {"lines", seen.lines},
                 {"too_long", seen.too_long}};
  };
  nodes.tokenizer = graph.add(std::move(tokenizer));

  for (const auto& split : split_names()) {
    GraphNode pack;
    pack.name = "data-pack-" + split;
    pack.kind = NodeKind::kPack;
    pack.component = "packed_corpus";
    pack.options = {{"split", split}};
    pack.inputs = {{"source", nodes.source}, {"tokenizer", nodes.tokenizer}};
    pack.run = [split](NodeRun& run) {
      const Tokenizer pieces = read_tokenizer(run.input("tokenizer"));
      std::vector<std::vector<int32_t>> sentences;
      int64_t tokens = 0, unknown = 0;
      for (const auto& line : read_split(run.input("source"), split)) {
        sentences.push_back(pieces.encode(line));
        tokens += static_cast<int64_t>(sentences.back().size());
        for (int32_t id : sentences.back()) unknown += id == kUnk;
      }
      PackedCorpus::write(run.folder.path() / "corpus.pack", sentences, pieces.size());
      run.outputs = {"corpus.pack"};
      run.facts = {{"sentences", sentences.size()}, {"tokens", tokens}, {"unknown", unknown}};
    };
    nodes.packs[split] = graph.add(std::move(pack));
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
