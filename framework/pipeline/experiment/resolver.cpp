#include "framework/pipeline/experiment/resolver.h"

#include <algorithm>

#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/numbers.h"
#include "framework/pipeline/experiment/checked_references.h"
#include "framework/pipeline/experiment/usual_inputs.h"
#include "framework/pipeline/nodes/choice_nodes.h"
#include "framework/pipeline/nodes/joined_rows.h"
#include "framework/pipeline/nodes/node_tokenizer.h"
#include "framework/pipeline/nodes/stream_sources.h"
#include "framework/pipeline/nodes/train_nodes.h"

namespace lvtext {
namespace {

constexpr const char* kNoModel = "the row has no model";
constexpr const char* kPairs =
    "seeds are paired by their order: both must have equally many, or one of them only one";

/// Parses a reference within a model; it was checked before.
KnownReference reference_of(const std::string& text, const CheckedRecipe& recipe) {
  const auto parsed = parse_reference(text);
  LVT_ASSERT(parsed, "a reference that was not checked: " + text);
  if (parsed->id == "row") return {KnownReference::Of::kRow, "", parsed->part, ""};
  std::string id = parsed->entry();
  const auto is_set = [&](const CheckedData& data) { return data.id == id; };
  if (std::any_of(recipe.data.begin(), recipe.data.end(), is_set)) {
    return {KnownReference::Of::kData, id, parsed->part, ""};
  }
  if (id == "data") return {KnownReference::Of::kData, recipe.data.front().id, parsed->part, ""};
  return {KnownReference::Of::kEntry, id, parsed->part, ""};
}

/// Why a model cannot be used for an input; empty if it can.
std::string why_not(const InputDecl& input, const Component& model) {
  const std::string reason = misfit(input, model);
  return reason.empty() ? "" : "the model " + model.about.name + " " + reason;
}

void add_new(const std::string& reason, std::vector<std::string>& reasons) {
  const bool is_new = std::find(reasons.begin(), reasons.end(), reason) == reasons.end();
  if (is_new) reasons.push_back(reason);
}

/// Whether an input is read at each kept checkpoint.
bool reads_checkpoints(const FilledInputs& inputs, const FilledScoreInputs& scores,
                       const Graph& graph) {
  for (const auto& [input, parts] : inputs) {
    for (const NodePart& part : parts) {
      if (part.part == kAllCheckpoints) return true;
    }
  }
  for (const auto& [input, filled] : scores) {
    if (filled.pools_checkpoints) continue;
    for (const auto& metric : filled.scores) {
      for (const ScoreReference& score : metric) {
        if (!graph.at(score.node.typical()).checkpoints.empty()) return true;
      }
    }
  }
  return false;
}

}  // namespace

bool keeps_checkpoints(const CheckedRow& row) {
  if (!row.entry || !row.entry->is_trained() || !row.entry->train.keep.checkpoints) return false;
  return std::any_of(row.generation.begin(), row.generation.end(),
                     [](const auto& each) { return each.second->at_checkpoints; });
}

Resolver::Resolver(ResolverContext context) : context_(std::move(context)) {
  for (const CheckedMetric& metric : context_.recipe.metrics) {
    for (const CheckedInput& input : metric.inputs) want(input);
  }
}

void Resolver::want(const CheckedInput& input) {
  for (const Filling& filling : input.fillings) {
    if (const auto* reference = std::get_if<KnownReference>(&filling)) {
      want(*reference, input.decl.rows);
    } else if (const auto* model = std::get_if<InlineModel>(&filling)) {
      if (!model->text) continue;
      want(reference_of(model->text->from, context_.recipe), model->text->at_most);
    } else {
      const auto& inlined = *std::get<std::shared_ptr<const InlineComponent>>(filling);
      for (const CheckedInput& each : inlined.inputs) want(each);
    }
  }
}

void Resolver::want(const KnownReference& reference, int64_t rows) {
  if (reference.of != KnownReference::Of::kRow || reference.part == "model") return;
  const auto [wanted, is_new] = wanted_.emplace(reference.part, rows);
  if (!is_new) wanted->second = rows && wanted->second ? std::max(rows, wanted->second) : 0;
}

const CheckedEntry& Resolver::checked_entry(const std::string& id) const {
  const auto& all = context_.recipe.entries;
  const auto found =
      std::find_if(all.begin(), all.end(), [&id](const auto& each) { return each->id == id; });
  LVT_ASSERT(found != all.end(), "a reference that was not checked: " + id);
  return **found;
}

void Resolver::refuse(const std::string& id, const std::string& problem,
                      const std::string& hint) const {
  SourceLocation location;
  for (const char* section : {"artifacts", "models", "rows", "evaluate", "select"}) {
    const Node* entries = context_.recipe.recipe.tree.find(section);
    const Node::Entry* entry = entries ? entries->find_entry(id) : nullptr;
    if (entry && !location.source) location = entry->key_location;
  }
  Errors errors;
  errors.add(location, problem, hint);
  errors.throw_if_any();
  std::abort();
}

std::string Resolver::located(const std::string& id,
                              const std::function<std::string()>& add) const {
  try {
    return add();
  } catch (const ConfigError& error) {
    refuse(id, error.what(), "");
  }
}

void Resolver::open(const std::string& id) {
  if (std::find(open_.begin(), open_.end(), id) != open_.end()) {
    std::vector<std::string> circle(std::find(open_.begin(), open_.end(), id), open_.end());
    circle.push_back(id);
    refuse(id, "cyclic references: " + join(circle, " -> "), "");
  }
  open_.push_back(id);
}

const EntryRuns& Resolver::entry(const std::string& id, const std::string& split) {
  const std::pair key(id, split);
  if (const auto made = entries_.find(key); made != entries_.end()) return made->second;
  open(id);
  EntryRuns runs = add_entry(checked_entry(id), split);
  open_.pop_back();
  return entries_[key] = std::move(runs);
}

const Resolver::Seeds& Resolver::seeds_of(const CheckedEntry& entry) {
  if (const auto known = seeds_.find(entry.id); known != seeds_.end()) return known->second;
  Seeds seeds = {std::nullopt};
  if (!entry.reason.empty()) return seeds_[entry.id] = seeds;
  if (entry.is_model && !entry.component.inference) {
    const int64_t count = context_.seeds.value_or(entry.seeds);
    seeds.clear();
    for (int64_t k = 0; k < count; ++k) seeds.emplace_back(entry.train.seed + k);
    return seeds_[entry.id] = seeds;
  }
  open(entry.id);
  seeds = seeds_of(entry.inputs, entry.id);
  if (entry.init) {
    const std::string from = parse_reference(entry.init->from)->entry();
    pair_seeds(seeds_of(checked_entry(from)), "init", entry.id, seeds);
  }
  for (const auto& [stream, sides] : entry.data) {
    for (const auto& side : sides) {
      for (const Node& written : side) {
        const KnownReference named = reference_of(written.text(), context_.recipe);
        if (named.of != KnownReference::Of::kEntry) continue;
        pair_seeds(seeds_of(checked_entry(named.id)), "data", entry.id, seeds);
      }
    }
  }
  open_.pop_back();
  return seeds_[entry.id] = seeds;
}

EntryRuns Resolver::add_entry(const CheckedEntry& entry, const std::string& split) {
  EntryRuns runs{.reason = entry.reason};
  if (!runs.reason.empty()) return runs;
  open_.pop_back();  // seeds_of() opens it too
  const Seeds seeds = seeds_of(entry);
  open_.push_back(entry.id);
  for (size_t k = 0; k < seeds.size(); ++k) {
    ResolvedRow run{.id = entry.id, .index = k, .of = seeds.size()};
    // Nodes computed from a training have its seed, unless they have their own.
    run.seed = seeds[k];
    run.split = split;
    const int64_t seed = entry.has_own_seed && !entry.is_model
                             ? entry.train.seed
                             : run.seed.value_or(context_.recipe.train.seed);
    run.suffix = k ? "-" + std::to_string(seed) : "";
    const Resolved inputs = resolve(entry.id, entry.inputs, run);
    runs.reason = join(inputs.reasons, "; ");
    if (!runs.reason.empty()) return runs;
    runs.nodes.push_back(add_run(entry, run, inputs, seed, runs.reason));
    if (!runs.reason.empty()) return runs;
    runs.seeds.push_back(run.seed);
  }
  return runs;
}

std::string Resolver::add_run(const CheckedEntry& entry, const ResolvedRow& run,
                              const Resolved& inputs, int64_t seed, std::string& reason) {
  const std::string name = entry.id + (run.split.empty() ? "" : "-" + run.split) + run.suffix;
  Graph& graph = context_.graph;
  if (entry.imported) {
    InlineContext inlined;
    inlined.name = name;
    inlined.locations = context_.locations;
    inlined.config = context_.config;
    return located(entry.id, [&] {
      return add_inline_model(graph, context_.registries, *entry.imported, inlined);
    });
  }
  if (entry.component.inference) {
    return located(entry.id, [&] {
      return add_inference_node(graph, context_.registries, name, entry.component, inputs.inputs,
                                seed);
    });
  }
  if (entry.component.fit) {
    const std::string fitted = located(entry.id, [&] {
      return add_fit_node(graph, context_.registries, name, entry.component, inputs.inputs, seed);
    });
    check_tokenizers(entry, inputs, fitted);
    return fitted;
  }
  TrainOptions train = entry.train;
  train.seed = seed;
  const StreamSources no_data{std::map<std::string, StreamSource>()};
  Training training{name, entry.component, train, no_data, no_data, context_.config};
  if (entry.data.empty()) {
    const DataNodes& data = context_.data.at(context_.main_data);
    training.train_data = data.packs.at("train");
    training.valid_data = data.packs.at("valid");
  }
  bool has_split = false;
  const auto sources = [&](const StreamReferences& references, const std::string& split) {
    return stream_sources(references, [&](const Node& reference) {
      const KnownReference named = reference_of(reference.text(), context_.recipe);
      has_split = has_split || !named.part.empty();
      if (named.of == KnownReference::Of::kEntry) {
        const bool runs_by_split = !checked_entry(named.id).splits.empty();
        const std::string& own = named.part.empty() ? split : named.part;
        return run_of(named.id, runs_by_split ? own : "", run, reason);
      }
      return context_.data.at(named.id).packs.at(named.part.empty() ? split : named.part);
    });
  };
  if (!entry.data.empty()) training.train_data = sources(entry.data, "train");
  if (!entry.validate_on.empty()) {
    training.valid_data = sources(entry.validate_on, "valid");
  } else if (!entry.data.empty()) {
    // Whole data sets have a validation split; single splits do not.
    training.valid_data = has_split ? StreamSources(std::map<std::string, StreamSource>())
                                    : sources(entry.data, "valid");
  }
  if (entry.init) {
    const auto from = parse_reference(entry.init->from);
    training.initial = entry_at(from->entry(), from->at, run, reason);
    training.mapping = {entry.init->rename, entry.init->rows == InitRows::kExtend};
  }
  for (const auto& [input, nodes] : inputs.inputs) {
    training.models.insert_or_assign(input, nodes.front());
  }
  if (!reason.empty()) return "";
  for (const StreamSources* sources : {&training.train_data, &training.valid_data}) {
    for (const auto& [stream, source] : sources->streams) {
      for (const auto& side : source.sides) check_joined(entry.id, {side.begin(), side.end()});
    }
  }
  const std::string trained =
      located(entry.id, [&] { return add_training(graph, context_.registries, training); });
  check_tokenizers(entry, inputs, trained);
  return trained;
}

void Resolver::check_tokenizers(const CheckedEntry& entry, const Resolved& inputs,
                                const std::string& model) const {
  for (const CheckedInput& input : entry.inputs) {
    const auto filled = inputs.inputs.find(input.decl.name);
    if (!input.decl.same_tokenizer || filled == inputs.inputs.end()) continue;
    const std::string own = tokenizer_of(context_.graph, model);
    for (const NodePart& part : filled->second) {
      const std::string other = tokenizer_of(context_.graph, part.typical());
      if (other == own) continue;
      refuse(entry.id,
             entry.id + " reads tokens of " + shown(own) + ", and " + shown(part.typical()) +
                 ", the value of its input " + input.decl.name + ", reads those of " + shown(other),
             "train both on data of the same tokenizer");
    }
  }
}

std::vector<ResolvedRow> Resolver::runs_of(const CheckedRow& row, std::string& reason) {
  std::vector<ResolvedRow> runs;
  reason = row.reason;
  if (!reason.empty()) return runs;
  const EntryRuns* model = row.entry ? &entry(row.entry->id) : nullptr;
  if (model && !model->reason.empty()) {
    reason = model->reason;
    return runs;
  }
  Seeds seeds = model ? model->seeds : Seeds{std::nullopt};
  for (const auto& [name, fillings] : row.fillers) {
    for (const Filling& filling : fillings) pair_seeds(seeds_of(filling), name, row.id, seeds);
  }
  for (size_t k = 0; k < seeds.size(); ++k) {
    ResolvedRow run{.id = row.id, .row = &row, .index = k, .of = seeds.size()};
    run.seed = seeds[k];
    if (k) run.suffix = "-" + std::to_string(run.seed.value_or(static_cast<int64_t>(k)));
    if (model) {
      run.model = row.entry->component.component;
      run.trained = model->nodes[model->nodes.size() == 1 ? 0 : k];
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

Resolver::Seeds Resolver::seeds_of(const Filling& filling) {
  if (const auto* inlined = std::get_if<std::shared_ptr<const InlineComponent>>(&filling)) {
    return seeds_of((*inlined)->inputs, (*inlined)->component.component->about.name);
  }
  const auto* named = std::get_if<KnownReference>(&filling);
  if (!named || !named->removed.empty()) return {std::nullopt};
  if (named->of == KnownReference::Of::kEntry) {
    return seeds_of(checked_entry(named->id));
  }
  if (named->of != KnownReference::Of::kSelect) return {std::nullopt};
  Seeds seeds;
  for (const Choice& choice : choices(*find_entry(context_.recipe.selects, named->id))) {
    seeds.push_back(choice.seed);
  }
  return seeds;
}

Resolver::Seeds Resolver::seeds_of(const std::vector<CheckedInput>& inputs,
                                   const std::string& owner) {
  Seeds seeds = {std::nullopt};
  for (const CheckedInput& input : inputs) {
    for (const Filling& filling : input.fillings) {
      pair_seeds(seeds_of(filling), input.decl.name, owner, seeds);
    }
  }
  return seeds;
}

Resolver::Seeds Resolver::seeds_of(const std::vector<ResolvedRow>& runs) {
  Seeds seeds;
  for (const ResolvedRow& run : runs) seeds.push_back(run.seed);
  return seeds;
}

void Resolver::pair_seeds(const Seeds& more, const std::string& name, const std::string& owner,
                          Seeds& seeds) const {
  if (more.size() > 1 && seeds.size() > 1 && more.size() != seeds.size()) {
    refuse(owner,
           owner + " has " + format_count(std::ssize(seeds), "seed") + " and its " + name + " " +
               std::to_string(more.size()),
           kPairs);
  }
  if (more.size() > seeds.size()) seeds.resize(more.size(), seeds.front());
  for (size_t k = 0; k < seeds.size(); ++k) {
    if (!seeds[k]) seeds[k] = more[more.size() == 1 ? 0 : k];
  }
}

std::string Resolver::shown_rows(const NodePart& part) const {
  const std::string& node = part.typical();
  const NodeRows rows = rows_of(context_.graph, node);
  for (const auto& [id, data] : context_.data) {
    if (data.source != rows.source) continue;
    const std::string split = id + "." + rows.split;
    const auto pack = data.packs.find(rows.split);
    const bool is_split = pack != data.packs.end() && pack->second == node;
    return is_split ? split : shown(node) + " (rows of " + split + ")";
  }
  return shown(node) + " (its own rows)";
}

void Resolver::check_joined(const std::string& owner, const std::vector<NodePart>& parts) const {
  const JoinedRows joined = joined_rows(context_.graph, parts);
  if (!joined.unjoinable) return;
  const auto& [first, second] = *joined.unjoinable;
  refuse(owner,
         owner + " joins columns of different records: " + shown_rows(parts[first]) + " and " +
             shown_rows(parts[second]),
         "columns can be joined if one is derived from the rows or records of the other");
}

std::string Resolver::why_not_aligned(const std::vector<CheckedInput>& inputs,
                                      const FilledInputs& filled) const {
  for (const CheckedInput& input : inputs) {
    const auto other = filled.find(input.decl.aligned_with);
    const auto own = filled.find(input.decl.name);
    if (other == filled.end() || own == filled.end()) continue;
    const auto rows = rows_of_all(context_.graph, other->second);
    for (const NodePart& part : own->second) {
      if (rows_of_all(context_.graph, {part}) == rows) continue;
      return other->first + " and " + input.decl.name +
             " are of different records: " + shown_rows(other->second.front()) + " and " +
             shown_rows(part);
    }
  }
  return "";
}

Resolved Resolver::resolve(const std::string& owner, const std::vector<CheckedInput>& inputs,
                           const ResolvedRow& row) {
  Resolved resolved;
  for (const CheckedInput& input : inputs) {
    if (input.decl.type == ArtifactType::kScores) continue;  // scores_for()
    std::vector<std::string> reasons;
    const std::vector<NodePart> nodes = fill(owner, input, row, reasons);
    if (!nodes.empty()) resolved.inputs[input.decl.name].assign(nodes.begin(), nodes.end());
    const bool is_joined = input.decl.type == ArtifactType::kDataset && !input.decl.is_list();
    if (is_joined) check_joined(owner, nodes);
    if (input.decl.arity == InputDecl::Arity::kOptional) continue;
    for (const auto& reason : reasons) add_new(reason, resolved.reasons);
  }
  return resolved;
}

std::vector<NodePart> Resolver::fill(const std::string& owner, const CheckedInput& input,
                                     const ResolvedRow& row, std::vector<std::string>& reasons) {
  const InputDecl& decl = input.decl;
  std::vector<Filling> fillings = input.fillings;
  if (!input.is_written && row.row && has_value(*row.row, decl.name)) {
    fillings = {KnownReference{KnownReference::Of::kRow, "", decl.name, ""}};
  }
  // If a value has several members, all of them are used.
  std::vector<Filling> all;
  for (const Filling& filling : fillings) {
    const auto* named = std::get_if<KnownReference>(&filling);
    const auto filler = named && named->of == KnownReference::Of::kRow && row.row
                            ? row.row->fillers.find(named->part)
                            : decltype(row.row->fillers.end()){};
    const bool is_list = named && named->of == KnownReference::Of::kRow && row.row &&
                         filler != row.row->fillers.end() && filler->second.size() > 1;
    if (is_list) {
      for (Filling each : filler->second) {
        auto* known = std::get_if<KnownReference>(&each);
        if (known && !named->column.empty()) *known = part_of(*known, named->column);
        all.push_back(std::move(each));
      }
    } else {
      all.push_back(filling);
    }
  }
  std::vector<NodePart> nodes;
  for (size_t i = 0; i < all.size(); ++i) {
    const Filling& filling = all[i];
    const std::string index = owner + (i ? "-" + std::to_string(i + 1) : "");
    std::string reason;
    NodePart node("");
    if (const auto* reference = std::get_if<KnownReference>(&filling)) {
      node = artifact(decl, *reference, row, reason);
    } else if (const auto* model = std::get_if<InlineModel>(&filling)) {
      node = inline_model(index, decl, *model, row, reason);
    } else {
      node = inline_component(
          index, decl, *std::get<std::shared_ptr<const InlineComponent>>(filling), row, reason);
    }
    if (node.column.empty()) node.column = decl.column;
    if (node.typical().empty()) {
      reasons.push_back(reason);
    } else {
      nodes.push_back(std::move(node));
    }
  }
  if (all.empty()) reasons.push_back("no value for its input " + decl.name);
  return nodes;
}

std::string Resolver::inline_component(const std::string& owner, const InputDecl& input,
                                       const InlineComponent& inlined, const ResolvedRow& row,
                                       std::string& reason) {
  const std::string id = owner + "-" + input.name;
  ResolvedRow from = row;
  if (inlined.component.fit) from.at_checkpoints = false;  // a model is fitted to one text
  const Resolved resolved = resolve(id, inlined.inputs, from);
  if (!resolved.reasons.empty()) {
    reason = join(resolved.reasons, "; ");
    return "";
  }
  const bool of_row = uses_row(inlined.inputs) || seeds_of(inlined.inputs, id).front();
  const bool names_row = owner == row.id;
  const std::string name = of_row ? (names_row ? "" : row.id + "-") + id + row.suffix : id;
  // Its own seed, otherwise that of its inputs.
  const Node* own = inlined.component.options.find("seed");
  const int64_t shared = context_.recipe.train.seed;
  const int64_t inherited = of_row ? row.seed.value_or(shared) : shared;
  const int64_t seed = own ? parse_int(own->text()).value_or(inherited) : inherited;
  const auto add = inlined.component.fit ? add_fit_node : add_inference_node;
  return add(context_.graph, context_.registries, name, inlined.component, resolved.inputs, seed);
}

size_t Resolver::paired(size_t count, const std::string& name, const ResolvedRow& row) const {
  if (count == 1) return 0;
  if (count == row.of) return row.index;
  refuse(row.id,
         row.id + " has " + format_count(static_cast<int64_t>(row.of), "seed") + " and " + name +
             " " + std::to_string(count),
         kPairs);
}

std::string Resolver::run_of(const std::string& id, const std::string& split,
                             const ResolvedRow& row, std::string& reason) {
  const EntryRuns& runs = entry(id, split);
  reason = runs.reason;
  if (!reason.empty()) return "";
  return runs.nodes[paired(runs.nodes.size(), id, row)];
}

NodePart Resolver::artifact(const InputDecl& input, const KnownReference& reference,
                            const ResolvedRow& row, std::string& reason) {
  NodePart none("");
  if (!reference.removed.empty()) {
    reason = "not run: " + reference.removed;
    return none;
  }
  if (reference.of == KnownReference::Of::kEntry) {
    const auto& splits = checked_entry(reference.id).splits;
    const std::string& split = reference.part.empty() ? row.split : reference.part;
    if (!splits.empty() && split.empty()) {
      reason = reference.id + " has the splits " + join(splits) + ": one must be named";
      return none;
    }
    NodePart part = splits.empty() ? entry_at(reference.id, reference.at, row, reason)
                                   : NodePart(run_of(reference.id, split, row, reason));
    if (!reference.named_part.empty()) part.part = reference.named_part;
    part.column = reference.column;
    return part;
  }
  if (reference.of == KnownReference::Of::kSelect) return chosen(input, reference, row, reason);
  if (reference.of == KnownReference::Of::kRow && !reference.column.empty()) {
    const auto filler = row.row->fillers.find(reference.part);
    const auto* named = filler == row.row->fillers.end()
                            ? nullptr
                            : std::get_if<KnownReference>(&filler->second.front());
    if (named) return artifact(input, part_of(*named, reference.column), row, reason);
    KnownReference whole = reference;
    whole.column.clear();
    NodePart part = artifact(input, whole, row, reason);
    part.column = reference.column;
    return part;
  }
  if (input.type == ArtifactType::kRecords && reference.of == KnownReference::Of::kData) {
    return NodePart(context_.data.at(reference.id).source);
  }
  const bool is_text = input.type == ArtifactType::kText || input.type == ArtifactType::kDataset;
  if (is_text && reference.of == KnownReference::Of::kData) {
    const bool as_column = input.type == ArtifactType::kDataset && !reference.column.empty();
    KnownReference whole = reference;
    if (as_column) whole.column.clear();
    NodePart part = at_its_checkpoints(text(whole, row, reason).node);
    if (as_column) part.column = reference.column;
    return part;
  }
  if (input.type == ArtifactType::kText) {
    // A filler may name a column or a part of an artifact, which a node's name alone would lose.
    const KnownReference* of_entry = entry_filler(reference, row);
    if (!of_entry) return at_its_checkpoints(text(reference, row, reason).node);
    NodePart part = artifact(input, *of_entry, row, reason);
    if (part.part.empty() && part.among.empty()) part.part = at_its_checkpoints(part.node).part;
    return part;
  }
  if (reference.part == "model") {
    if (row.trained.empty()) {
      reason = kNoModel;
      return none;
    }
    reason = why_not(input, *row.model);
    return reason.empty() ? NodePart(row.trained, row.model_part) : none;
  }
  const auto& fillers = row.row->fillers;
  const auto filler = fillers.find(reference.part);
  if (filler == fillers.end()) {
    if (row.row->generation.contains(reference.part)) {
      return at_its_checkpoints(generate(reference.part, row, reason));
    }
    reason = "the row has no " + reference.part;
    return none;
  }
  if (const auto* inlined =
          std::get_if<std::shared_ptr<const InlineComponent>>(&filler->second.front())) {
    return at_its_checkpoints(
        inline_component(row.id, InputDecl{.name = reference.part}, **inlined, row, reason));
  }
  const auto* named = std::get_if<KnownReference>(&filler->second.front());
  const bool reads_data = is_text || input.type == ArtifactType::kRecords;
  if (!named || (named->of == KnownReference::Of::kData && !reads_data)) {
    reason = "the row's " + reference.part + " is not " + type_name(input.type);
    return none;
  }
  if (input.type == ArtifactType::kModel && named->of == KnownReference::Of::kEntry) {
    const auto& all = context_.recipe.entries;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto& each) { return each->id == named->id; });
    if (named->removed.empty()) reason = why_not(input, *(*found)->component.component);
    if (!reason.empty()) return none;
  }
  return artifact(input, *named, row, reason);
}

const KnownReference* Resolver::entry_filler(const KnownReference& reference,
                                             const ResolvedRow& row) {
  if (reference.of != KnownReference::Of::kRow || !row.row) return nullptr;
  const auto filler = row.row->fillers.find(reference.part);
  if (filler == row.row->fillers.end()) return nullptr;
  const auto* named = std::get_if<KnownReference>(&filler->second.front());
  return named && named->of == KnownReference::Of::kEntry ? named : nullptr;
}

KnownReference Resolver::part_of(KnownReference filler, const std::string& written) const {
  std::string rest = written;
  if (filler.of == KnownReference::Of::kData && remove_decoded(rest)) filler.decoded = true;
  if (rest.empty()) return filler;
  std::vector<std::string> splits;
  if (filler.of == KnownReference::Of::kEntry) splits = checked_entry(filler.id).splits;
  if (filler.of == KnownReference::Of::kData) {
    splits = find_entry(context_.recipe.data, filler.id)->splits;
  }
  const std::string first = rest.substr(0, rest.find('.'));
  const bool is_split =
      filler.part.empty() && std::find(splits.begin(), splits.end(), first) != splits.end();
  if (is_split) filler.part = first;
  filler.column = !is_split                    ? rest
                  : rest.size() > first.size() ? rest.substr(first.size() + 1)
                                               : "";
  return filler;
}

NodePart Resolver::entry_at(const std::string& id, const std::string& at, const ResolvedRow& row,
                            std::string& reason) {
  const std::string node = run_of(id, "", row, reason);
  const CheckedSelect* select = find_entry(context_.recipe.selects, at);
  if (node.empty() || !select) return {node, at};
  for (const CheckedRow& checked : context_.recipe.rows) {
    if (!checked.entry || checked.entry->id != id) continue;
    for (const ResolvedRow& run : runs_of(checked, reason)) {
      if (run.trained != node) continue;
      const std::string choice = checkpoint_choice(*select, run);
      if (!choice.empty()) return NodePart::chosen(node, choice);
    }
  }
  reason = id + " keeps no checkpoints for " + at + " to select from";
  return {""};
}

NodePart Resolver::at_its_checkpoints(const std::string& node) const {
  if (node.empty()) return {node};
  const GraphNode& known = context_.graph.at(node);
  const bool has_parts = !known.checkpoints.empty() && known.kind != NodeKind::kTrain;
  return {node, has_parts ? kAllCheckpoints : ""};
}

NodePart Resolver::chosen(const InputDecl& input, const KnownReference& reference,
                          const ResolvedRow& row, std::string& reason) {
  const KnownReference of_row{KnownReference::Of::kRow, "", reference.part, "", reference.column};
  return chosen_of(
      *find_entry(context_.recipe.selects, reference.id), row, reason,
      [&](const ResolvedRow& candidate) { return artifact(input, of_row, candidate, reason); });
}

NodePart Resolver::chosen_of(const CheckedSelect& select, const ResolvedRow& row,
                             std::string& reason,
                             const std::function<NodePart(const ResolvedRow&)>& of_candidate) {
  const std::vector<Choice> made = choices(select);
  const size_t index = paired(made.size(), select.id, row);
  reason = made[index].reason;
  if (!reason.empty()) return NodePart("");
  std::vector<CandidateNode> among;
  std::string column;
  for (const auto& candidate : select.among) {
    const CheckedRow& checked = *find_entry(context_.recipe.rows, candidate.row);
    const auto runs = runs_of(checked, reason);
    if (runs.empty()) return NodePart("");
    const NodePart node = of_candidate(runs[runs.size() == 1 ? 0 : index]);
    if (!reason.empty()) return NodePart("");
    among.push_back({candidate.key, node.node, node.part});
    column = node.column;
  }
  NodePart one = NodePart::chosen_of(std::move(among), made[index].node);
  one.column = column;
  return one;
}

std::string Resolver::score_of(const CheckedMetric& metric, const ResolvedRow& row,
                               std::string& reason) {
  const bool is_asked = metric.rows.empty() || std::find(metric.rows.begin(), metric.rows.end(),
                                                         row.id) != metric.rows.end();
  if (!is_asked) {
    reason = "not computed for this row";
    return "";
  }
  if (metric.across_checkpoints && !keeps_checkpoints(*row.row)) {
    reason = "the row keeps no checkpoints";
    return "";
  }
  if (metric.evaluator.component->scores_of != ScoresOf::kRow && !metric.across_checkpoints) {
    reason = "it is computed from several rows together";
    return "";
  }
  const Resolved inputs = resolve(metric.id, metric.inputs, row);
  reason = join(inputs.reasons, "; ");
  if (reason.empty()) reason = why_not_aligned(metric.inputs, inputs.inputs);
  if (!reason.empty()) return "";
  ResolvedRow scored = row;
  scored.at_checkpoints = row.at_checkpoints || metric.across_checkpoints;
  const FilledScoreInputs scores = scores_for(metric, {scored}, {}, reason);
  if (!reason.empty()) return "";
  const bool each = reads_checkpoints(inputs.inputs, scores, context_.graph);
  return located(metric.id, [&] {
    return add_evaluation(
        context_.graph, context_.registries,
        row.id + "-" + metric.id + "-score" + (each ? "-checkpoints" : "") + row.suffix,
        metric.evaluator, inputs.inputs, scores);
  });
}

std::string Resolver::score_at_checkpoints(const CheckedMetric& metric, const ResolvedRow& row) {
  if (!row.row || !keeps_checkpoints(*row.row) || metric.across_checkpoints) return "";
  ResolvedRow at = row;
  at.at_checkpoints = true;
  std::string reason;
  const std::string node = score_of(metric, at, reason);
  return node.empty() || context_.graph.at(node).checkpoints.empty() ? "" : node;
}

std::string Resolver::checkpoint_choice(const CheckedSelect& select, const ResolvedRow& row) {
  const CheckedMetric& metric = *find_entry(context_.recipe.metrics, select.metric);
  const std::string scores = score_at_checkpoints(metric, row);
  if (scores.empty()) return "";
  return add_checkpoint_choice(context_.graph, row.id + "-" + select.id + row.suffix, select.rule,
                               scores, select.score.empty() ? metric.score : select.score,
                               row.seed.value_or(0));
}

FilledScoreInputs Resolver::scores_for(const CheckedMetric& metric,
                                       const std::vector<ResolvedRow>& rows,
                                       const std::vector<ResolvedRow>& against,
                                       std::string& reason) {
  FilledScoreInputs all;
  open(metric.id);
  const std::vector<Filling>* first = nullptr;
  for (const CheckedInput& input : metric.inputs) {
    if (input.decl.type != ArtifactType::kScores) continue;
    // Without scores of its own, the second side of a comparison uses the metric of the first side
    // on other rows.
    const bool is_other_side = input.fillings.empty() && first && !against.empty();
    const auto& fillings = is_other_side ? *first : input.fillings;
    if (!first) first = &fillings;
    FilledScores filled;
    filled.pools_checkpoints = metric.across_checkpoints || metric.pools_checkpoints;
    for (const ResolvedRow& row : is_other_side ? against : rows) filled.lines.push_back(row.id);
    for (const Filling& filling : fillings) {
      const auto& named = std::get<KnownReference>(filling);
      if (!named.removed.empty()) {
        reason = "not run: " + named.removed;
        continue;
      }
      const CheckedMetric& other = *find_entry(context_.recipe.metrics, named.id);
      filled.metrics.push_back(named.id + (named.part.empty() ? "" : "." + named.part));
      auto& scores = filled.scores.emplace_back();
      for (const ResolvedRow& row : is_other_side ? against : rows) {
        std::string why;
        NodePart node = scores_of_line(other, row, why);
        if (node.typical().empty()) reason = other.id + " of " + row.id + ": " + why;
        scores.push_back({std::move(node), named.part.empty() ? other.score : named.part});
      }
    }
    if (fillings.empty()) reason = "no value for its input " + input.decl.name;
    all[input.decl.name] = std::move(filled);
  }
  open_.pop_back();
  return all;
}

NodePart Resolver::scores_of_line(const CheckedMetric& metric, const ResolvedRow& line,
                                  std::string& reason) {
  if (!line.select) return score_of(metric, line, reason);
  return chosen_of(*line.select, line, reason, [&](const ResolvedRow& candidate) {
    return NodePart(score_of(metric, candidate, reason));
  });
}

FilledInputs Resolver::inputs_across(const CheckedMetric& metric,
                                     const std::vector<ResolvedRow>& lines, std::string& reason) {
  FilledInputs all;
  for (const CheckedInput& input : metric.inputs) {
    if (input.decl.type == ArtifactType::kScores) continue;
    for (const ResolvedRow& line : lines) {
      const Resolved of_line = resolve(metric.id, {input_of_line(input, line)}, line);
      if (!of_line.reasons.empty()) reason = line.id + ": " + join(of_line.reasons, "; ");
      const auto found = of_line.inputs.find(input.decl.name);
      if (found == of_line.inputs.end()) continue;
      auto& nodes = all[input.decl.name];
      nodes.insert(nodes.end(), found->second.begin(), found->second.end());
      if (!is_of_line(input, line)) break;  // the same for each row
    }
  }
  return all;
}

bool Resolver::is_of_line(const CheckedInput& input, const ResolvedRow& line) const {
  if (uses_row({input})) return true;
  const CheckedRow* row = line.row;
  if (line.select && !line.select->among.empty()) {
    row = find_entry(context_.recipe.rows, line.select->among.front().row);
  }
  return !input.is_written && row && has_value(*row, input.decl.name);
}

CheckedInput Resolver::input_of_line(const CheckedInput& input, const ResolvedRow& line) const {
  if (!line.select) return input;
  CheckedInput of_line = input;
  if (!uses_row({input}) && is_of_line(input, line)) {
    of_line.fillings = {KnownReference{KnownReference::Of::kRow, "", input.decl.name, ""}};
  }
  for (Filling& filling : of_line.fillings) {
    auto* named = std::get_if<KnownReference>(&filling);
    if (!named || named->of != KnownReference::Of::kRow) continue;
    named->of = KnownReference::Of::kSelect;
    named->id = line.select->id;
  }
  return of_line;
}

std::vector<ResolvedRow> Resolver::lines_of(const std::string& id, std::string& reason) {
  const CheckedSelect* select = find_entry(context_.recipe.selects, id);
  if (!select) return runs_of(*find_entry(context_.recipe.rows, id), reason);
  std::vector<ResolvedRow> lines;
  const std::vector<Choice> made = choices(*select);
  for (size_t k = 0; k < made.size(); ++k) {
    ResolvedRow line{.id = id, .select = select, .index = k, .of = made.size()};
    line.seed = made[k].seed;
    if (made[k].node.empty()) {
      reason = made[k].reason;
      return {};
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ResolvedRow> Resolver::rows_at(const std::vector<std::string>& ids, size_t index,
                                           bool at_checkpoints, std::string& reason) {
  std::vector<ResolvedRow> rows;
  for (const auto& id : ids) {
    const auto runs = lines_of(id, reason);
    if (runs.empty()) continue;
    rows.push_back(runs[runs.size() == 1 ? 0 : index]);
    ResolvedRow& line = rows.back();
    line.at_checkpoints = at_checkpoints && line.row && keeps_checkpoints(*line.row);
  }
  return rows;
}

std::string Resolver::why_unscored(const CheckedMetric& metric, const std::string& row) {
  std::string reason;
  const auto runs = lines_of(row, reason);
  if (runs.empty()) return reason;
  for (const CheckedInput& input : metric.inputs) {
    for (const Filling& filling : input.fillings) {
      const auto* named = std::get_if<KnownReference>(&filling);
      if (!named || named->of != KnownReference::Of::kMetric || !named->removed.empty()) continue;
      const CheckedMetric& other = *find_entry(context_.recipe.metrics, named->id);
      const NodePart scores = scores_of_line(other, runs.front(), reason);
      if (scores.typical().empty()) return other.id + ": " + reason;
    }
    if (input.decl.type == ArtifactType::kScores || !is_of_line(input, runs.front())) continue;
    const Resolved given = resolve(metric.id, {input_of_line(input, runs.front())}, runs.front());
    if (!given.reasons.empty()) return join(given.reasons, "; ");
  }
  return "";
}

std::vector<Resolver::Choice> Resolver::across(const CheckedMetric& metric,
                                               std::map<std::string, std::string>& left_out) {
  CheckedMetric scored = metric;
  std::vector<std::string> rows, against;
  for (size_t i = 0; i < std::max(metric.across.size(), metric.against.size()); ++i) {
    bool is_scored = true;
    for (const auto* ids : {&metric.across, &metric.against}) {
      if (i >= ids->size()) continue;
      const std::string& id = (*ids)[i];
      const std::string reason = left_out.contains(id) ? left_out.at(id) : why_unscored(metric, id);
      if (reason.empty()) continue;
      left_out[id] = reason;
      is_scored = false;
    }
    if (is_scored && i < metric.across.size()) rows.push_back(metric.across[i]);
    if (is_scored && i < metric.against.size()) against.push_back(metric.against[i]);
  }
  scored.across = rows;
  scored.against = against;
  if (rows.empty()) return {{"", std::nullopt, "none of its rows has a score"}};
  Seeds seeds = {std::nullopt};
  std::string reason;
  for (const auto* ids : {&scored.across, &scored.against}) {
    for (const auto& id : *ids) {
      const auto runs = lines_of(id, reason);
      if (!runs.empty()) pair_seeds(seeds_of(runs), id, scored.id, seeds);
    }
  }
  std::vector<Choice> made;
  for (size_t k = 0; k < seeds.size(); ++k) {
    Choice one{.seed = seeds[k]};
    const auto rows = rows_at(scored.across, k, scored.pools_checkpoints, one.reason);
    const auto against = rows_at(scored.against, k, scored.pools_checkpoints, one.reason);
    const FilledScoreInputs scores = scores_for(scored, rows, against, one.reason);
    const FilledInputs inputs = inputs_across(scored, rows, one.reason);
    if (one.reason.empty()) {
      one.node = add_evaluation(context_.graph, context_.registries,
                                scored.id + "-score" + (k ? "-" + std::to_string(k) : ""),
                                scored.evaluator, inputs, scores);
    }
    made.push_back(std::move(one));
  }
  return made;
}

std::vector<Resolver::Choice> Resolver::choices(const CheckedSelect& select) {
  if (const auto made = choices_.find(select.id); made != choices_.end()) return made->second;
  open(select.id);
  const CheckedMetric& metric = *find_entry(context_.recipe.metrics, select.metric);
  std::vector<std::vector<ResolvedRow>> runs;
  std::string reason;
  Seeds seeds = {std::nullopt};
  for (const auto& candidate : select.among) {
    runs.push_back(runs_of(*find_entry(context_.recipe.rows, candidate.row), reason));
    if (!runs.back().empty()) pair_seeds(seeds_of(runs.back()), candidate.row, select.id, seeds);
  }
  std::vector<Choice> made;
  for (size_t k = 0; k < seeds.size(); ++k) {
    Choice choice{.seed = seeds[k]};
    std::vector<ScoredCandidate> scored;
    for (size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].empty()) continue;
      const ResolvedRow& run = runs[i][runs[i].size() == 1 ? 0 : k];
      const std::string node = score_of(metric, run, reason);
      if (!node.empty()) scored.push_back({select.among[i].key, node});
    }
    if (scored.empty()) {
      choice.reason = reason.empty() ? "there are no candidates" : reason;
    } else {
      const std::string score = select.score.empty() ? metric.score : select.score;
      const std::string suffix = k ? "-" + std::to_string(choice.seed.value_or(0)) : "";
      choice.node = add_choice(context_.graph, select.id + suffix, select.rule, scored, score,
                               choice.seed.value_or(0));
    }
    made.push_back(std::move(choice));
  }
  open_.pop_back();
  return choices_[select.id] = std::move(made);
}

InlineContext::Source Resolver::text(const KnownReference& reference, const ResolvedRow& row,
                                     std::string& reason) {
  if (reference.of == KnownReference::Of::kData) {
    const DataNodes& data = context_.data.at(reference.id);
    const std::string& split = reference.part.empty() ? row.split : reference.part;
    if (split.empty()) {
      reason = reference.id + " has several splits: one must be named";
      return {};
    }
    std::string name = reference.id + "-" + split, node = data.packs.at(split);
    if (!reference.column.empty()) {
      name += "-" + reference.column;
      node = add_column(context_.graph, name, data.source, split, reference.column, data.tokenizer);
    }
    if (reference.decoded) {
      node = add_sentences(context_.graph, name + "-decoded", node, {.decoded = true});
    }
    return {node, 0};
  }
  if (reference.of == KnownReference::Of::kEntry) {
    const InputDecl any{.name = reference.id};
    const NodePart part = artifact(any, reference, row, reason);
    if (part.column.empty() && part.part.empty()) return {part.node, 0};
    reason = "a model is trained on all texts of " + reference.id + ", not on its part " +
             (part.column.empty() ? part.part : part.column);
    return {};
  }
  LVT_ASSERT(reference.of == KnownReference::Of::kRow, "a select is used as a text within a model");
  const auto wanted = wanted_.find(reference.part);
  return {text_of_row(reference.part, row, reason), wanted == wanted_.end() ? 0 : wanted->second};
}

std::string Resolver::text_of_row(const std::string& name, const ResolvedRow& row,
                                  std::string& reason) {
  LVT_ASSERT(row.row, "a text of a row is used where there is no row");
  const auto filler = row.row->fillers.find(name);
  if (filler == row.row->fillers.end()) return generate(name, row, reason);
  const Filling& filling = filler->second.front();
  if (const auto* inlined = std::get_if<std::shared_ptr<const InlineComponent>>(&filling)) {
    return inline_component(row.id, InputDecl{.name = name}, **inlined, row, reason);
  }
  const auto& reference = std::get<KnownReference>(filling);
  if (!reference.removed.empty()) {
    reason = "not run: " + reference.removed;
    return "";
  }
  if (reference.of == KnownReference::Of::kSelect) {
    reason = "a select is not a text of a row";
    return "";
  }
  const InlineContext::Source source = text(reference, row, reason);
  if (reference.of != KnownReference::Of::kData || source.node.empty()) return source.node;
  const auto wanted = wanted_.find(name);
  const int64_t rows = wanted == wanted_.end() ? 0 : wanted->second;
  if (rows == 0 && (!reference.column.empty() || reference.decoded)) return source.node;
  return add_sentences(context_.graph, row.id + "-" + name, source.node, {.at_most = rows});
}

std::string Resolver::generate(const std::string& name, const ResolvedRow& row,
                               std::string& reason) {
  const auto found = row.row->generation.find(name);
  if (found == row.row->generation.end()) {
    reason = "the row has no " + name;
    return "";
  }
  const InlineComponent& inlined = *found->second;
  const Component& component = *inlined.component.component;
  Node options = inlined.component.options;
  const auto set = [&](const std::string& key, const std::string& value) {
    if (inlined.written.find(key)) return;
    for (const FieldSchema& field : component.about.schema.fields) {
      if (field.key == key) options = options.with({key, Node::scalar(value), {}});
    }
  };
  const auto wanted = wanted_.find(name);
  if (wanted != wanted_.end() && wanted->second > 0) set("count", std::to_string(wanted->second));
  set("seed", std::to_string(row.seed.value_or(0)));
  const Configured configured = component.configure(options);
  ResolvedRow from = row;
  from.model_part = row.at_checkpoints && inlined.at_checkpoints ? kAllCheckpoints : "";
  const Resolved resolved = resolve(row.id + "-" + name, inlined.inputs, from);
  reason = join(resolved.reasons, "; ");
  if (!reason.empty()) return "";
  const bool each = reads_checkpoints(resolved.inputs, {}, context_.graph);
  return add_inference_node(context_.graph, context_.registries,
                            row.id + "-" + name + (each ? "-checkpoints" : "") + row.suffix,
                            configured, resolved.inputs, row.seed.value_or(0));
}

std::string Resolver::inline_model(const std::string& owner, const InputDecl& input,
                                   const InlineModel& model, const ResolvedRow& row,
                                   std::string& reason) {
  // Nodes that all rows share have the recipe's seed, not that of a run.
  const bool of_row = model.uses_row();
  InlineContext inlined;
  inlined.name = (of_row ? row.id + "-" : "") + owner + "-" + input.name;
  inlined.name += of_row ? row.suffix : "";
  // A model that all rows share is trained once.
  if (const auto made = shared_.find(inlined.name); made != shared_.end()) return made->second;
  const int64_t shared = context_.recipe.train.seed;
  inlined.seed = of_row ? row.seed.value_or(shared) : shared;
  inlined.locations = context_.locations;
  inlined.config = context_.config;
  ResolvedRow whole = row;  // a model is trained on one text: that of the selected weights
  whole.at_checkpoints = false;
  const auto source = [&](const std::string& from) {
    return text(reference_of(from, context_.recipe), whole, reason);
  };
  if (model.text) {
    source(model.text->from);
    if (!reason.empty()) return "";
  }
  inlined.text = source;
  const std::string node = add_inline_model(context_.graph, context_.registries, model, inlined);
  if (!of_row) shared_[inlined.name] = node;
  return node;
}

}  // namespace lvtext
