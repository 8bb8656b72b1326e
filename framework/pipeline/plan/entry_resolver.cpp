#include "framework/pipeline/plan/entry_resolver.h"

#include "framework/core/base/counts.h"
#include "framework/pipeline/nodes/component_nodes.h"
#include "framework/pipeline/nodes/stream_sources.h"
#include "framework/pipeline/nodes/train_nodes.h"
#include "framework/pipeline/plan/resolver.h"
#include "framework/pipeline/store/node_tokenizer.h"

namespace lvtext {
namespace {

constexpr const char* kPairs =
    "seeds are paired by their order: both must have equally many, or one of them only one";

/// Throws ConfigError for a trained or fitted model whose input with InputDecl::same_tokenizer
/// has another tokenizer.
void check_tokenizers(const ResolverContext& context, const CheckedEntry& entry,
                      const FilledInputs& inputs, const std::string& model) {
  for (const CheckedInput& input : entry.inputs) {
    const auto filled = inputs.find(input.decl.name);
    if (!input.decl.same_tokenizer || filled == inputs.end()) continue;
    const std::string own = tokenizer_of(context.graph, model);
    for (const NodePart& part : filled->second) {
      const std::string other = tokenizer_of(context.graph, part.representative());
      if (other == own) continue;
      context.refuse(entry.id,
                     entry.id + " reads tokens of " + shown(own) + ", and " +
                         shown(part.representative()) + ", the value of its input " +
                         input.decl.name + ", reads those of " + shown(other),
                     "train both on data of the same tokenizer");
    }
  }
}

}  // namespace

std::vector<ResolvedRow> EntryResolver::runs_of(const CheckedRow& row) {
  if (!row.reason.empty()) throw Absent(row.reason);
  const Runs* model = row.entry ? &entry(row.entry->id) : nullptr;
  if (model && !model->reason.empty()) throw Absent(model->reason);
  std::vector<ResolvedRow> runs;
  Seeds seeds = row.entry ? seeds_of(*row.entry) : Seeds{std::nullopt};
  for (const auto& [name, fillings] : row.fillers) {
    for (const Filling& filling : fillings) pair_seeds(seeds_of(filling), name, row.id, seeds);
  }
  for (size_t k = 0; k < seeds.size(); ++k) {
    ResolvedRow run{.id = row.id, .row = &row, .seed_index = k, .seed_count = seeds.size()};
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

std::string EntryResolver::run_of(const std::string& id, const std::string& split,
                                  const ResolvedRow& row) {
  const Runs& runs = entry(id, split);
  if (!runs.reason.empty()) throw Absent(runs.reason);
  return runs.nodes[paired(runs.nodes.size(), id, row)];
}

NodePart EntryResolver::entry_at(const std::string& id, const std::string& at,
                                 const ResolvedRow& row) {
  const std::string node = run_of(id, "", row);
  const CheckedSelect* select = find_entry(context_.recipe.selects, at);
  if (!select) return {node, at};
  for (const CheckedRow& checked : context_.recipe.rows) {
    if (!checked.entry || checked.entry->id != id) continue;
    for (const ResolvedRow& run : runs_of(checked)) {
      if (run.trained != node) continue;
      const std::string selection = resolver_.selects().checkpoint_selection(*select, run);
      if (!selection.empty()) return NodePart::chosen(node, selection);
    }
  }
  throw Absent(id + " keeps no checkpoints for " + at + " to select from");
}

const EntryResolver::Runs& EntryResolver::entry(const std::string& id, const std::string& split) {
  const std::pair key(id, split);
  if (const auto made = entries_.find(key); made != entries_.end()) return made->second;
  const CheckedEntry& checked = context_.entry(id);
  const Seeds& seeds = seeds_of(checked);
  const Resolver::Opening opening(resolver_, id);
  return entries_[key] = add_entry(checked, seeds, split);
}

EntryResolver::Runs EntryResolver::add_entry(const CheckedEntry& entry, const Seeds& seeds,
                                             const std::string& split) {
  if (!entry.reason.empty()) return {.reason = entry.reason};
  Runs runs;
  for (size_t k = 0; k < seeds.size(); ++k) {
    ResolvedRow run{.id = entry.id, .seed_index = k, .seed_count = seeds.size()};
    // Nodes computed from a training have its seed, unless they have their own.
    run.seed = seeds[k];
    run.split = split;
    const int64_t seed =
        entry.keeps_seed() ? entry.train.seed : run.seed.value_or(context_.recipe.train.seed);
    run.suffix = k ? "-" + std::to_string(seed) : "";
    std::string reason;
    const auto node = unless_absent(reason, [&] {
      return add_run(entry, run, resolver_.all_inputs(entry.id, entry.inputs, run), seed);
    });
    if (!node) return {.reason = reason};
    runs.nodes.push_back(*node);
  }
  return runs;
}

std::string EntryResolver::add_run(const CheckedEntry& entry, const ResolvedRow& run,
                                   const FilledInputs& inputs, int64_t seed) {
  const std::string name = entry.id + (run.split.empty() ? "" : "-" + run.split) + run.suffix;
  Graph& graph = context_.graph;
  if (entry.imported) {
    InlineContext inlined;
    inlined.name = name;
    inlined.locations = context_.locations;
    inlined.config = context_.config;
    return context_.located(entry.id, [&] {
      return add_inline_model(graph, context_.registries, *entry.imported, inlined);
    });
  }
  if (entry.component.inference) {
    return context_.located(entry.id, [&] {
      return add_inference_node(graph, context_.registries, name, entry.component, inputs, seed);
    });
  }
  if (entry.component.fit) {
    const std::string fitted = context_.located(entry.id, [&] {
      return add_fit_node(graph, context_.registries, name, entry.component, inputs, seed);
    });
    check_tokenizers(context_, entry, inputs, fitted);
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
  set_data(entry, run, training);
  if (entry.init) {
    training.initial = entry_at(entry.initial.id, entry.initial.at, run);
    training.mapping = {entry.init->rename, entry.init->rows == InitRows::kExtend};
  }
  for (const auto& [input, nodes] : inputs) {
    training.models.insert_or_assign(input, nodes.front());
  }
  for (const StreamSources* sources : {&training.train_data, &training.valid_data}) {
    for (const auto& [stream, source] : sources->streams) {
      for (const auto& side : source.sides) {
        context_.check_joined(entry.id, {side.begin(), side.end()});
      }
    }
  }
  const std::string trained = context_.located(
      entry.id, [&] { return add_training(graph, context_.registries, training); });
  check_tokenizers(context_, entry, inputs, trained);
  return trained;
}

void EntryResolver::set_data(const CheckedEntry& entry, const ResolvedRow& run,
                             Training& training) {
  bool has_split = false;
  const auto node_of = [&](const KnownReference& named, const std::string& split) {
    has_split = has_split || !named.part.empty();
    const std::string& own = named.part.empty() ? split : named.part;
    if (named.of != KnownReference::Of::kEntry) return context_.data.at(named.id).packs.at(own);
    const bool runs_by_split = !context_.entry(named.id).splits.empty();
    return run_of(named.id, runs_by_split ? own : "", run);
  };
  const auto sources = [&](const CheckedStreams& checked, const std::string& split) {
    std::map<std::string, StreamSource> streams;
    for (const auto& [stream, sides] : checked) {
      for (const auto& parts : sides) {
        auto& nodes = streams[stream].sides.emplace_back();
        for (const KnownReference& part : parts) nodes.push_back(node_of(part, split));
      }
    }
    return StreamSources(std::move(streams));
  };
  if (!entry.data.empty()) training.train_data = sources(entry.data, "train");
  if (!entry.validate_on.empty()) {
    training.valid_data = sources(entry.validate_on, "valid");
  } else if (!entry.data.empty()) {
    // Whole data sets have a validation split; single splits do not.
    training.valid_data = has_split ? StreamSources(std::map<std::string, StreamSource>())
                                    : sources(entry.data, "valid");
  }
}

const Seeds& EntryResolver::seeds_of(const CheckedEntry& entry) {
  if (const auto known = seeds_.find(entry.id); known != seeds_.end()) return known->second;
  Seeds seeds = {std::nullopt};
  if (!entry.reason.empty()) return seeds_[entry.id] = seeds;
  if (entry.is_model && !entry.component.inference) {
    const int64_t count = context_.seeds.value_or(entry.seeds);
    seeds.clear();
    for (int64_t k = 0; k < count; ++k) seeds.emplace_back(entry.train.seed + k);
    return seeds_[entry.id] = seeds;
  }
  const Resolver::Opening opening(resolver_, entry.id);
  seeds = seeds_of(entry.inputs, entry.id);
  if (entry.init) pair_seeds(seeds_of(context_.entry(entry.initial.id)), "init", entry.id, seeds);
  for (const auto& [stream, sides] : entry.data) {
    for (const auto& side : sides) {
      for (const KnownReference& named : side) {
        if (named.of != KnownReference::Of::kEntry) continue;
        pair_seeds(seeds_of(context_.entry(named.id)), "data", entry.id, seeds);
      }
    }
  }
  return seeds_[entry.id] = seeds;
}

Seeds EntryResolver::seeds_of(const std::vector<CheckedInput>& inputs, const std::string& owner) {
  Seeds seeds = {std::nullopt};
  for (const CheckedInput& input : inputs) {
    for (const Filling& filling : input.fillings) {
      pair_seeds(seeds_of(filling), input.decl.name, owner, seeds);
    }
  }
  return seeds;
}

Seeds EntryResolver::seeds_of(const Filling& filling) {
  if (const auto* inlined = std::get_if<std::shared_ptr<const InlineComponent>>(&filling)) {
    return seeds_of((*inlined)->inputs, (*inlined)->component.component->about.name);
  }
  const auto* named = std::get_if<KnownReference>(&filling);
  if (!named || !named->removed.empty()) return {std::nullopt};
  if (named->of == KnownReference::Of::kEntry) return seeds_of(context_.entry(named->id));
  if (named->of != KnownReference::Of::kSelect) return {std::nullopt};
  const CheckedSelect& select = *find_entry(context_.recipe.selects, named->id);
  Seeds seeds;
  for (const SeedNode& made : resolver_.selects().selections(select)) seeds.push_back(made.seed);
  return seeds;
}

Seeds EntryResolver::seeds_of(const std::vector<ResolvedRow>& runs) {
  Seeds seeds;
  for (const ResolvedRow& run : runs) seeds.push_back(run.seed);
  return seeds;
}

void EntryResolver::pair_seeds(const Seeds& more, const std::string& name, const std::string& owner,
                               Seeds& seeds) const {
  if (more.size() > 1 && seeds.size() > 1 && more.size() != seeds.size()) {
    const std::string count = format_count(std::ssize(seeds), "seed");
    context_.refuse(
        owner, owner + " has " + count + " and its " + name + " " + std::to_string(more.size()),
        kPairs);
  }
  if (more.size() > seeds.size()) seeds.resize(more.size(), seeds.front());
  for (size_t k = 0; k < seeds.size(); ++k) {
    if (!seeds[k]) seeds[k] = more[more.size() == 1 ? 0 : k];
  }
}

size_t EntryResolver::paired(size_t count, const std::string& name, const ResolvedRow& row) const {
  if (count == 1) return 0;
  if (count == row.seed_count) return row.seed_index;
  const std::string own = format_count(static_cast<int64_t>(row.seed_count), "seed");
  context_.refuse(row.id, row.id + " has " + own + " and " + name + " " + std::to_string(count),
                  kPairs);
}

}  // namespace lvtext
