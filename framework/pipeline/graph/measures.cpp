#include "framework/pipeline/graph/measures.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/checkpoint/json_lines.h"
#include "framework/core/tensor/device.h"

namespace lvtext {
namespace {

/// The processor's name. Part of the key because machines may share a home directory, and times
/// are not comparable between processors.
const std::string& processor() {
  static const std::string name = [] {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
      if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    }
    return std::string("unknown");
  }();
  return name;
}

/// What times are comparable for: this kind of processor, with this number of threads.
std::string machine() {
  return processor() + ", " + std::to_string(cpu_threads()) + " threads";
}

std::string key_of(const GraphNode& node) {
  const nlohmann::json parts = {{"processor", processor()},
                                {"threads", cpu_threads()},
                                {"kind", enum_name(node.kind)},
                                {"component", node.component},
                                {"cost", node.cost.is_null() ? node.options : node.cost}};
  return sha256(parts.dump()).substr(0, 16);
}

constexpr const char* kSchema = "lvtext.measures/1";
/// A file of more lines is reduced to those that are used: reading 45,000 lines takes 0.3 s.
constexpr size_t kMaxLines = 4000;

/// A node is predicted by the nodes whose ratio of sizes is within this factor of the nearest's.
constexpr double kNearSizes = 2;

struct Seconds {
  double low = 0, high = 0;
};

/// The time that a measured computation takes on an idle machine. Only a source may wait for
/// something other than a processor.
Seconds idle_time(const std::string& kind, const Measure& measure) {
  const bool waits = kind == enum_name(NodeKind::kSource);
  if (measure.cpu <= 0 || waits) return {measure.seconds, measure.seconds};
  const double high = std::min(measure.seconds, measure.cpu);
  return {std::min(high, measure.cpu / cpu_threads()), high};
}

/// Time per unit of work, or of the whole node without units.
double rate_of(const std::string& kind, const Measure& measure) {
  const double high = idle_time(kind, measure).high;
  return measure.units > 0 ? high / measure.units : high;
}

/// The newest `most` lines of each key, in their order.
std::vector<nlohmann::ordered_json> newest(const std::vector<nlohmann::ordered_json>& lines,
                                           size_t most) {
  std::map<std::string, size_t> seen;
  std::vector<nlohmann::ordered_json> kept;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (seen[line->at("key").dump()]++ < most) kept.push_back(*line);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

/// Replaces the file. A line that another process appends meanwhile is lost, which affects
/// estimates only.
void rewrite(const std::filesystem::path& file, const std::vector<nlohmann::ordered_json>& lines) {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    nlohmann::ordered_json line;
    if (i == 0) line["schema"] = kSchema;
    for (const auto& [key, value] : lines[i].items()) {
      if (key != "schema") line[key] = value;
    }
    text += line.dump() + "\n";
  }
  try {
    write_file_atomic(file, text);
  } catch (const Error&) {
  }
}

}  // namespace

std::filesystem::path Measures::default_file() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') {
    return std::filesystem::path(cache) / "lvtext" / "measures.jsonl";
  }
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : ".") / ".cache" / "lvtext" /
         "measures.jsonl";
}

Measures::Measures(std::filesystem::path file) : file_(std::move(file)) {
  std::vector<nlohmann::ordered_json> all;
  std::ifstream lines(file_);
  for (std::string text; std::getline(lines, text);) {
    auto line = nlohmann::ordered_json::parse(text, nullptr, false);
    if (line.is_object() && line.contains("key")) all.push_back(std::move(line));
  }
  if (all.size() > kMaxLines) {
    const size_t read = all.size();
    all = newest(all, kRecent);
    if (2 * all.size() < read) rewrite(file_, all);
  }
  for (const auto& line : all) {
    if (line.value("machine", "") != machine()) continue;
    lines_.push_back({line.at("key"),
                      line.value("kind", ""),
                      line.value("component", ""),
                      {.seconds = line.value("seconds", 0.0),
                       .units = line.value("units", 0.0),
                       .memory = line.value("memory", 0.0),
                       .disk = line.value("disk", 0.0),
                       .whole = line.value("whole", false),
                       .cpu = line.value("cpu", 0.0),
                       .size = line.value("size", 0.0)}});
  }
}

template <class Matches>
std::vector<Measures::Line> Measures::best_lines(const Matches& matches) const {
  std::map<std::string, size_t> seen;
  std::map<std::string, Line> best;
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
    if (!matches(*line) || seen[line->key]++ >= kRecent) continue;
    const auto [found, is_first] = best.try_emplace(line->key, *line);
    const double rate = rate_of(line->kind, line->measure);
    if (!is_first && rate < rate_of(line->kind, found->second.measure)) found->second = *line;
  }
  std::vector<Line> lines;
  for (auto& [key, line] : best) lines.push_back(std::move(line));
  return lines;
}

std::optional<Measure> Measures::find(const GraphNode& node) const {
  const auto best = best_lines([key = key_of(node)](const Line& line) { return line.key == key; });
  return best.empty() ? std::nullopt : std::optional(best.front().measure);
}

void Measures::add(const GraphNode& node, const Measure& measure) {
  const std::string key = key_of(node);
  lines_.push_back({key, enum_name(node.kind), node.component, measure});
  try {
    std::filesystem::create_directories(file_.parent_path());
    JsonLines(file_, kSchema)
        .append({{"key", key},
                 {"machine", machine()},
                 {"kind", enum_name(node.kind)},
                 {"component", node.component},
                 {"seconds", measure.seconds},
                 {"cpu", measure.cpu},
                 {"units", measure.units},
                 {"size", measure.size},
                 {"memory", measure.memory},
                 {"disk", measure.disk},
                 {"whole", measure.whole}});
  } catch (const Error&) {
  } catch (const std::filesystem::filesystem_error&) {
  }
}

std::optional<Cost> Measures::expect(const GraphNode& node, const Work& work) const {
  const std::string kind = enum_name(node.kind);
  if (const auto own = find(node);
      own && (node.units ? work.units && own->units > 0 : own->whole)) {
    const double factor = node.units ? *work.units / own->units : 1;
    const Seconds idle = idle_time(kind, *own);
    return Cost{idle.low * factor, idle.high * factor, own->memory, own->disk};
  }
  for (const bool of_component : {true, false}) {
    const double spread = of_component ? 2 : 4;
    const auto same = [&](const Line& line) {
      return line.kind == kind && (!of_component || line.component == node.component);
    };
    std::multimap<double, Cost> found;  // by the distance of the sizes, as the log of their ratio
    for (const Line& line : best_lines(same)) {
      const Measure& other = line.measure;
      double factor = 1, distance = 0;
      if (work.units && other.units > 0) {
        const bool has_sizes = work.size && other.size > 0;
        const double ratio = has_sizes ? *work.size / other.size : 1;
        factor = *work.units / other.units * ratio;
        distance = work.size && !has_sizes ? std::numeric_limits<double>::infinity()
                                           : std::abs(std::log(ratio));
      } else if (node.units || !other.whole) {
        continue;  // neither a few steps nor a run of another length predict a whole run
      }
      const Seconds idle = idle_time(kind, other);
      found.emplace(distance, Cost{idle.low * factor / spread, idle.high * factor * spread,
                                   other.memory, other.disk, true});
    }
    if (found.empty()) continue;
    // The time per unit of a small model is mostly overhead, so that it does not grow with its
    // size.
    found.erase(found.upper_bound(found.begin()->first + std::log(kNearSizes)), found.end());
    Cost cost = found.begin()->second;
    for (const auto& [distance, near] : found) {
      cost.low = std::min(cost.low, near.low);
      cost.high = std::max(cost.high, near.high);
      cost.memory = std::max(cost.memory, near.memory);
      cost.disk = std::max(cost.disk, near.disk);
    }
    return cost;
  }
  return std::nullopt;
}

}  // namespace lvtext
