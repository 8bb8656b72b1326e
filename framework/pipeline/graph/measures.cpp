#include "framework/pipeline/graph/measures.h"

#include <cstdlib>
#include <fstream>

#include "framework/core/base/error.h"
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

std::string key_of(const GraphNode& node) {
  const nlohmann::json parts = {{"processor", processor()},
                                {"threads", cpu_threads()},
                                {"kind", enum_name(node.kind)},
                                {"component", node.component},
                                {"cost", node.cost.is_null() ? node.options : node.cost}};
  return sha256(parts.dump()).substr(0, 16);
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
  std::ifstream lines(file_);
  for (std::string text; std::getline(lines, text);) {
    const auto line = nlohmann::json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("key")) continue;
    by_key_[line.at("key")] = {line.value("seconds", 0.0), line.value("units", 0.0),
                               line.value("memory", 0.0), line.value("disk", 0.0),
                               line.value("whole", false)};
  }
}

std::optional<Measure> Measures::find(const GraphNode& node) const {
  const auto found = by_key_.find(key_of(node));
  if (found == by_key_.end()) return std::nullopt;
  return found->second;
}

void Measures::add(const GraphNode& node, const Measure& measure) {
  const std::string key = key_of(node);
  by_key_[key] = measure;
  try {
    std::filesystem::create_directories(file_.parent_path());
    JsonLines(file_, "lvtext.measures/1")
        .append({{"key", key},
                 {"component", node.component},
                 {"seconds", measure.seconds},
                 {"units", measure.units},
                 {"memory", measure.memory},
                 {"disk", measure.disk},
                 {"whole", measure.whole}});
  } catch (const Error&) {
  } catch (const std::filesystem::filesystem_error&) {
  }
}

std::optional<Measure> Measures::expect(const GraphNode& node, std::optional<double> units) const {
  auto measure = find(node);
  if (!measure) return std::nullopt;
  if (!node.units) return measure->whole ? measure : std::nullopt;
  if (!units || measure->units <= 0) return std::nullopt;
  measure->seconds *= *units / measure->units;
  measure->units = *units;
  return measure;
}

}  // namespace lvtext
